import pytest

import hdl.injection
from formal.injection import injection
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room", "~self.full & (valid | cut)", "valid | cut"),
        ("ended", "cut.eq(self.full & (cut | (valid & self.inside)))", "cut.eq(0)"),
        ("ended", "self.next_flit.head.eq(0), self.next_flit.tail.eq(1)", ""),
        ("as_it_is", "(cut | (valid & self.inside))", "(cut | valid)"),
        ("of_nothing", "cut.eq(self.full & (cut | (valid & self.inside)))", "cut.eq(self.full)"),
        ("counted", "valid & (self.full | cut)", "valid & self.full"),
        ("counted", " & ~self.overruns.all()", ""),
        ("begins", "cut.eq(self.full & (cut", "cut.eq((self.full | ~valid) & (cut"),
        ("goes_on", "with m.If(cut):", "with m.If(cut | ~self.flit.head):"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.injection, "Injection", old, new)
    breaks(injection(depth=2), claim)
