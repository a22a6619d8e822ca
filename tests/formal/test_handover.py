import pytest

import hdl.handover
from formal.handover import handover
from formal.prove import prove
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize("inputs", [(0, 1), (0, 0, 1), (0, 0, 1, 1, 2, 2, 3)])
def test_everybodys_turn_comes(inputs: tuple[int, ...]) -> None:
    verdict = prove(handover(inputs))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("courtesy", [1, 2, 3])
@pytest.mark.parametrize("inputs", [(0, 1, 2, 3), (0, 0, 1, 1, 2, 2, 3)])
def test_a_guest_shuts_nobody_out(inputs: tuple[int, ...], courtesy: int) -> None:
    # Once the turns began anew after each packet of the guest: the last had none, ever.
    verdict = prove(handover(inputs, guest=True, courtesy=courtesy))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        (
            "each_twice",
            'next_after(m, "home", last, home)',
            'next_after(m, "home", home[:0], home)',
        ),
        ("each_twice", "last = self.holder[:-1] | (", "last = self.holder[:-1] | 0 & ("),
        ("own", "Mux(ends, first, self.holder)", "first"),
        ("own", "Mux(self.free, goes, left)", "Mux(self.free, first, left)"),
        ("kept", "Mux(idle, first, self.holder)", "first"),
        ("taken_if_wanted", "Mux(idle, first, self.holder)", "Mux(idle, 0, self.holder)"),
        ("passed_on", "Mux(idle, first, self.holder)", "Mux(self.free, first, self.holder)"),
        ("free", "~self.free & ~left.any()", "~left.any()"),
        ("sent", "for i, queues in inputs.items()", "for i, queues in [*inputs.items()][1:]"),
        ("insists", "guest & self.insists", "guest & 0"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.handover, "Handover", old, new)
    breaks(handover((0, 1, 1, 2), guest=True), claim)
