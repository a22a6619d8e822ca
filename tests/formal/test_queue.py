import pytest

import hdl.queue
from formal.prove import prove
from formal.queue import queue
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(("depth", "outputs"), [(1, 2), (2, 4), (3, 4), (4, 3), (5, 3)])
def test_keeps_all_in_order(depth: int, outputs: int) -> None:
    verdict = prove(queue(depth=depth, outputs=outputs))
    assert verdict.proven, str(verdict)


@pytest.mark.regress
@pytest.mark.parametrize("depth", [6, 8])
def test_keeps_all_in_order_when_deep(depth: int) -> None:
    verdict = prove(queue(depth=depth, outputs=4), seconds=600)
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("waits", "Mux(self.goes, more, self.waits) | self.arrives", "more | self.arrives"),
        ("full", "self.full.eq(self.waits & ", "self.full.eq("),
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
    breaks(queue(depth=3, outputs=2), claim)
