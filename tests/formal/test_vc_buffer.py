import pytest

import fingerpost.hdl.router.vc_buffer
from fingerpost.formal.vc_buffer import vc_buffer
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("valid", "Mux(self.pop, more, self.valid) | self.push", "more | self.push"),
        (
            "full",
            "Mux(self.push_pending, self._after(self.write_ptr), self.write_ptr)",
            "self.write_ptr",
        ),
        ("tail", "self.tail.eq(Mux(more, tail, self.push_tail))", "self.tail.eq(self.push_tail)"),
        ("head", "self.head.eq(self.tail)", "self.head.eq(1)"),
        ("route", "~self.valid & self.head", "~self.valid"),
        ("route", "self.request.eq(Mux(more, route, self.push_route))", "self.request.eq(route)"),
        ("row", "next_read_ptr.eq(self._after(self.read_ptr))", "next_read_ptr.eq(self.write_ptr)"),
        ("kept", "row == self.depth - 1, 0", "row == self.depth - 1, 1"),
        ("full", "row == self.depth - 1, 0", "row == self.depth - 2, 0"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, fingerpost.hdl.router.vc_buffer, "VcBuffer", old, new)
    breaks(vc_buffer(depth=3, outputs=2, early=claim == "full"), claim)
