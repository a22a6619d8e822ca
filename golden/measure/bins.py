"""What goes into a network and comes out of it, by time: the series of a simulation."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.measure.latency import Latencies
from fingerpost.golden.measure.watch import Sent

MOST = 256
"""Bins; then two each become one of twice the length."""

GROUP = 8
"""Bins whose latencies and links are counted together: the warm-up is some of these groups."""


class Group(NamedTuple):
    """What came out, and the flits on each output, in the cycles of a group of bins."""

    latencies: Latencies
    sent: IntArray

    def __add__(self, other: object) -> "Group":
        assert isinstance(other, Group)
        return Group(self.latencies + other.latencies, self.sent + other.sent)


class Bins:
    """Counts in bins of `width` cycles, from `start` on.

    Attributes
    ----------
    made, out : (bins, nodes)
        Flits of the packets of each source that came out: by the cycle in which they were made,
        and by that in which their tail came out.
    total, packets : (bins,)
        Sum of the latencies of the packets that came out, and their number.
    groups : list of Group
    """

    def __init__(self, *, start: int, width: int, nodes: int, flows: bool) -> None:
        self.start, self.width, self.flows = start, width, flows
        self.made, self.out = np.zeros((2, MOST, nodes), np.int64)
        self.total, self.packets = np.zeros((2, MOST), np.int64)
        self.groups: list[Group] = []
        self._open = Latencies(flows=flows)

    def add(self, sent: Sent) -> None:
        """Count packets that came out in the group of bins behind those that are closed."""
        latency = sent.delivered - sent.time
        self._open.add(sent.source, sent.destination, latency, sent.message_class)
        self.made += self.by_bin(sent.time, sent.source, sent.length)
        self.out += self.by_bin(sent.delivered, sent.source, sent.length)
        bin_of = (sent.delivered - self.start) // self.width
        self.total += np.bincount(bin_of, latency, MOST).astype(np.int64)
        self.packets += np.bincount(bin_of, minlength=MOST)

    def close(self, links: IntArray) -> None:
        """Close this group; `links` are the flits on each output in its cycles."""
        self.groups.append(Group(self._open, links))
        self._open = Latencies(flows=self.flows)
        if len(self.groups) == MOST // GROUP:
            self._halve()

    def by_bin(self, time: IntArray, source: IntArray, flits: IntArray) -> IntArray:
        """Return flits by bin and source; those before the start are left out."""
        nodes = self.made.shape[1]
        place = (time - self.start) // self.width * nodes + source
        found = np.bincount(place[time >= self.start], flits[time >= self.start], MOST * nodes)
        return found.astype(np.int64).reshape(MOST, nodes)

    def _halve(self) -> None:
        """Make one bin of two, and one group of two."""
        self.width *= 2
        for name in ("made", "out", "total", "packets"):
            old = getattr(self, name)
            new = np.zeros_like(old)
            new[: MOST // 2] = old[::2] + old[1::2]
            setattr(self, name, new)
        pairs = zip(self.groups[::2], self.groups[1::2], strict=True)
        self.groups = [one + other for one, other in pairs]
