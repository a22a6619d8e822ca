"""The packets of a run, drawn in windows of so many cycles: memory does not grow with the run."""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial

import numpy as np

from fingerpost.golden.traffic import spelling
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.carrier import Carrier
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.patterns import Pattern
from fingerpost.golden.traffic.traffic import Traffic

PACKETS = 1 << 17
"""Packets of a window, in the mean: a packet takes about 200 bytes while it is drawn."""

COLUMNS = "source", "message_class", "destination", "time", "length", "kind", "salt"


class Windows:
    """The windows of a traffic: each is a `Traffic`.

    Those that fit in one window are the packets of `Traffic` with the same seed; so are all those
    of traces and of patterns and arrivals in which packets depend on earlier ones.

    Parameters
    ----------
    network, load, cycles, seed, pattern, arrivals, lengths, classes
        See `Traffic`.
    packets : int
        Packets of a window, in the mean.

    Attributes
    ----------
    step : int
        Cycles of a window; the last may have fewer.
    """

    def __init__(
        self,
        network: Carrier,
        load: float | None,
        cycles: int,
        *,
        seed: int = 0,
        pattern: Pattern | str = "uniform",
        arrivals: Arrivals | str = "bernoulli",
        lengths: Lengths | str | int | tuple[int, int] = 1,
        classes: Sequence[float] | None = None,
        packets: int = PACKETS,
    ) -> None:
        self.cycles = self.step = cycles
        pattern, arrivals = spelling.pattern(pattern), spelling.arrivals(arrivals)
        lengths = spelling.lengths(lengths)
        if load and 0 < load <= lengths.mean and not (pattern.memory or arrivals.memory):
            each_cycle = load / lengths.mean * len(network.topology.terminals)
            self.step = min(cycles, max(1, int(packets / each_cycle)))
        self._make = partial(
            Traffic,
            network,
            load,
            seed=seed,
            pattern=pattern,
            arrivals=arrivals,
            lengths=lengths,
            classes=classes,
        )

    def __len__(self) -> int:
        return max(1, -(-self.cycles // self.step))

    def __iter__(self) -> Iterator[Traffic]:
        for number in range(len(self)):
            begin = number * self.step
            yield self._make(cycles=min(self.step, self.cycles - begin), begin=begin)

    def joined(self) -> Traffic:
        """Return all packets as one traffic."""
        windows = list(self)
        traffic = copy(windows[0])
        channel = np.concatenate([each.terminal_channel for each in windows])
        order = np.argsort(channel, kind="stable")
        for name in COLUMNS:
            column = np.concatenate([getattr(each, name) for each in windows])
            setattr(traffic, name, column[order])
        traffic.cycles = self.cycles
        return traffic
