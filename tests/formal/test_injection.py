import pytest

import fingerpost.hdl.router.injection
from fingerpost.formal.injection import injection
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room", "~blocked & (valid | truncated)", "valid | truncated"),
        (
            "ended",
            "truncated.eq(blocked & (truncated | (valid & self.in_packet)))",
            "truncated.eq(0)",
        ),
        ("ended", "self.next_flit.head.eq(0), self.next_flit.tail.eq(1)", ""),
        ("as_it_is", "(truncated | (valid & self.in_packet))", "(truncated | valid)"),
        (
            "of_nothing",
            "truncated.eq(blocked & (truncated | (valid & self.in_packet)))",
            "truncated.eq(self.full)",
        ),
        ("counted", "valid & (self.full | truncated)", "valid & self.full"),
        ("counted", " & ~self.overruns.all()", ""),
        (
            "begins",
            "truncated.eq(blocked & (truncated",
            "truncated.eq((blocked | ~valid) & (truncated",
        ),
        ("goes_on", "with m.If(ends):", "with m.If(ends | ~self.flit.head):"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, fingerpost.hdl.router.injection, "Injection", old, new)
    breaks(injection(depth=2), claim)
