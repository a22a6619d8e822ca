import pytest

import hdl.handover
from formal.handover import handover
from formal.prove import prove
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize("inputs", [(0, 1), (0, 0, 1), (0, 0, 1, 1, 2)])
def test_everybodys_turn_comes(inputs: tuple[int, ...]) -> None:
    verdict = prove(handover(inputs))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("inputs", [(0, 1, 2, 3), (0, 0, 1, 1, 2)])
def test_a_guest_shuts_nobody_out(inputs: tuple[int, ...]) -> None:
    # Once the turns began anew after each packet of the guest: the last had none, ever.
    verdict = prove(handover(inputs, guest=True))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("each_twice", "first.eq(turn & waits & ~self.holder)", "first.eq(waits & (~waits + 1))"),
        ("one_more_than_others", "with m.If(~first.any())", "with m.If(1)"),
        ("own", "Mux(ends, first, self.holder)", "first"),
        ("own", "goes & ~self.last, left", "first, left"),
        ("kept", "Mux(self.free, first, self.holder)", "first"),
        ("useful", "goes & ~self.last", "goes"),
        ("held", "with m.If(~first.any())", "with m.If(0)"),
        ("free", "self.free & ~first.any()", "~first.any()"),
        ("sent", "for i in dict.fromkeys(self.sources)", "for i in self.sources[1:]"),
        ("held", "turn & waits & ~self.holder", "turn & waits & self.holder"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.handover, "Handover", old, new)
    breaks(handover((0, 1, 1, 2), guest=True), claim)
