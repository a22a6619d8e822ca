import pytest

import hdl.handover
from formal.handover import LIMIT, handover
from formal.prove import prove
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    "inputs",
    [
        (0, 1),
        (0, 0, 1),
        (0, 1, 2, 3),
        pytest.param((0, 0, 1, 1, 2, 2, 3), marks=pytest.mark.regress),
    ],
)
def test_everybodys_turn_comes(inputs: tuple[int, ...]) -> None:
    verdict = prove(handover(inputs))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("courtesy", [1, 2, 3])
@pytest.mark.parametrize(
    "inputs", [(0, 1, 2), pytest.param((0, 0, 1, 1, 2, 2, 3), marks=pytest.mark.regress)]
)
def test_a_guest_shuts_nobody_out(inputs: tuple[int, ...], courtesy: int) -> None:
    # In an earlier version turns began anew after each of its packets: the last had none, ever.
    verdict = prove(handover(inputs, guest=True, courtesy=courtesy))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("inputs", [(0, 1), (0, 1, 2)])
def test_no_less_can_be_promised(inputs: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formal.handover.LIMIT", LIMIT - 1)
    breaks(handover(inputs), "served")


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("served", "turn.rotate_left(1)", "turn"),
        ("served", "~waiting | Cat(met).any()", "Cat(met).any()"),
        ("free", "(first & ~goes & ~begins.replicate(count))", "0"),
        ("free", "Mux(ends, first, self.holder)", "Mux(ends, 0, self.holder)"),
        ("kept", "Mux(ends, first, self.holder)", "first"),
        ("own", "(goes & ~self.last) |", "0 |"),
        ("one_holder", "first & ~goes & ~begins.replicate(count)", "first & ~goes"),
        ("free", "ends & ~waiting)", "ends)"),
        (
            "sent",
            "for i in dict.fromkeys(self.sources)",
            "for i in [*dict.fromkeys(self.sources)][1:]",
        ),
        ("served", "self.waits[-1] & self.insists", "0"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.handover, "Handover", old, new)
    breaks(handover((0, 1, 1, 2), guest=True), claim)
