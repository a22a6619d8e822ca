"""Queues of the model against lists."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from golden.model.queues import Queues

FIELDS = ("port", "channel", "tail", "data", "tag")


@dataclass
class Line:
    """One queue: its flits, and the way of the packet at its front."""

    inside: list[tuple[int, int, bool, int, int]] = field(default_factory=list)
    midst: bool = False
    way: tuple[int, int] = (-1, 0)

    def front(self) -> None:
        """Let a head that has come to the front tell the way."""
        if self.inside and not self.midst:
            self.way = self.inside[0][:2]


@pytest.mark.parametrize("seed", range(3))
def test_queues_are_like_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth = np.array([1, 2, 3, 8, 5, 1, 10])
    queues, lines = Queues(depth), [Line() for _ in depth]
    through = np.zeros(len(depth), np.int64)
    for cycle in range(1500):
        push, pop = [(0.9, 0.4), (0.4, 0.9), (0.7, 0.7)][cycle // 100 % 3]
        level = np.array([len(line.inside) for line in lines])
        taken = np.flatnonzero((level > 0) & (rng.random(len(depth)) < pop))
        arriving = np.flatnonzero((level < depth) & (rng.random(len(depth)) < push))
        count = len(arriving)
        port, channel = rng.integers(-1, 4, count), rng.integers(0, 3, count)
        tail = rng.random(count) < 0.4
        data, tag = rng.integers(1 << 40, size=count), np.arange(count) + cycle
        queues.step(taken, arriving, port, channel, tail, data, tag)
        for queue in taken.tolist():
            lines[queue].midst = not lines[queue].inside.pop(0)[2]
            through[queue] += 1
        columns = zip(*(x.tolist() for x in (port, channel, tail, data, tag)), strict=True)
        for queue, flit in zip(arriving.tolist(), columns, strict=True):
            lines[queue].inside.append(flit)
        for queue, line in enumerate(lines):
            line.front()
            assert queues.level[queue] == len(line.inside)
            assert queues.midst[queue] == line.midst
            if line.inside:
                row = queues.oldest[queue]
                found = tuple(getattr(queues, name)[row].item() for name in FIELDS)
                assert found == line.inside[0]
            if line.inside or line.midst:
                assert (queues.way_port[queue], queues.way_channel[queue]) == line.way
    assert through.min() > 300
