"""Queues of the model against lists."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from fingerpost.golden.model.vc_buffers import Push, VcBuffers

FIELDS = ("port", "channel", "tail", "data", "tag")


@dataclass
class Line:
    """One queue: its flits, and the route of the packet at its front."""

    inside: list[tuple[int, int, bool, int, int]] = field(default_factory=list)
    mid_packet: bool = False
    route: tuple[int, int] = (-1, 0)

    def front(self) -> None:
        """Let a head at the front set the route."""
        if self.inside and not self.mid_packet:
            self.route = self.inside[0][:2]


@pytest.mark.parametrize("seed", range(3))
def test_queues_are_like_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth = np.array([1, 2, 3, 8, 5, 1, 10])
    buffers, lines = VcBuffers(depth), [Line() for _ in depth]
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
        buffers.step(taken, Push(arriving, port, channel, tail, data, tag))
        for queue in taken.tolist():
            lines[queue].mid_packet = not lines[queue].inside.pop(0)[2]
            through[queue] += 1
        columns = zip(*(x.tolist() for x in (port, channel, tail, data, tag)), strict=True)
        for queue, flit in zip(arriving.tolist(), columns, strict=True):
            lines[queue].inside.append(flit)
        for queue, line in enumerate(lines):
            line.front()
            assert buffers.level[queue] == len(line.inside)
            assert buffers.mid_packet[queue] == line.mid_packet
            if line.inside:
                row = buffers.read_ptr[queue]
                found = tuple(getattr(buffers, name)[row].item() for name in FIELDS)
                assert found == line.inside[0]
            if line.inside or line.mid_packet:
                assert (buffers.route_port[queue], buffers.route_channel[queue]) == line.route
    assert through.min() > 300
