import pytest

import hdl.queue
from formal.queue import queue
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("waits", "Mux(self.goes, more, self.waits) | self.arrives", "more | self.arrives"),
        ("full", "Mux(self.comes, self._after(self.newest), self.newest)", "self.newest"),
        ("tail", "self.last.eq(Mux(more, tail, self.tail))", "self.last.eq(self.tail)"),
        ("head", "self.head.eq(self.last)", "self.head.eq(1)"),
        ("way", "~self.waits & self.head", "~self.waits"),
        ("way", "self.wants.eq(Mux(more, way, self.way))", "self.wants.eq(way)"),
        ("row", "following.eq(self._after(self.oldest))", "following.eq(self.newest)"),
        ("kept", "row == self.depth - 1, 0", "row == self.depth - 1, 1"),
        ("full", "row == self.depth - 1, 0", "row == self.depth - 2, 0"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.queue, "Queue", old, new)
    breaks(queue(depth=3, outputs=2, early=claim == "full"), claim)
