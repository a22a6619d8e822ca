"""Latencies of packets: mean with interval, percentiles, by hops, message class and flow."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.measure.statistics import Estimate, by_batch, estimate
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.distance import distances

__all__ = ["PERCENTILES", "Latencies", "by_class", "by_flow", "by_hops"]

PERCENTILES = {"median": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}


@dataclass(frozen=True)
class Latencies:
    """The packets that were measured and came out; arrays are over them.

    Attributes
    ----------
    source, destination : arrays
    made : array
        The cycle in which each was made, to wait at its source.
    latency : array
        Cycles from there to the one in which its tail came out.
    start, cycles : int
        The measurement.
    message_class : array, optional
    """

    source: IntArray
    destination: IntArray
    made: IntArray
    latency: IntArray
    start: int
    cycles: int
    message_class: IntArray | None = None

    @property
    def mean(self) -> Estimate | None:
        """Return the mean over all packets, its interval by batches; None if there were none.

        There is no interval if nothing was made in some batch.
        """
        if not len(self.latency):
            return None
        total, count = by_batch(self.made, self.latency, start=self.start, cycles=self.cycles)
        mean = float(self.latency.mean())
        if not count.all():
            return Estimate(mean, None, None)
        batches = estimate(total / count)
        if batches.low is None or batches.high is None:
            return Estimate(mean, None, None)
        half = (batches.high - batches.low) / 2
        return Estimate(mean, mean - half, mean + half)

    @property
    def percentiles(self) -> dict[str, float | None]:
        """Return the latencies that so many percent of the packets do not exceed, by name."""
        if not len(self.latency):
            return dict.fromkeys(PERCENTILES)
        found = np.percentile(self.latency, list(PERCENTILES.values()))
        return dict(zip(PERCENTILES, found.tolist(), strict=True))


def _grouped(latencies: Latencies, keys: tuple[IntArray, ...]) -> list[tuple[int, ...]]:
    """Return, for each value of the keys, these, and packets, sum and maximum of the latency."""
    if not len(latencies.latency):
        return []
    order = np.lexsort(keys[::-1])
    table = np.stack(keys)[:, order]
    begin = np.flatnonzero(np.any(np.diff(table, axis=1, prepend=-1) != 0, axis=0))
    sorted_ = latencies.latency[order]
    packets = np.diff(np.append(begin, len(order)))
    columns = [*table[:, begin], packets, np.add.reduceat(sorted_, begin)]
    columns.append(np.maximum.reduceat(sorted_, begin))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def by_hops(latencies: Latencies, routing: Routing) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each number of hops.

    Hops are those of the route; where chance or free links decide, those of a shortest one.
    """
    source, destination = latencies.source, latencies.destination
    pairs, row = np.unique(np.stack([source, destination]), axis=1, return_inverse=True)
    if not pairs.shape[1]:
        return []
    if routing.selection:
        hops = np.empty(pairs.shape[1], np.int64)
        for node in np.unique(pairs[0]).tolist():
            some = pairs[0] == node
            hops[some] = distances(routing.topology.neighbour, node)[pairs[1, some]]
    else:
        hops = walk(routing, pairs[0], pairs[1]).hops
    return [
        {"hops": hop, "packets": packets, "mean": total / packets, "max": most}
        for hop, packets, total, most in _grouped(latencies, (hops[row],))
    ]


def by_class(latencies: Latencies) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each message class."""
    key = latencies.message_class
    key = np.zeros_like(latencies.latency) if key is None else key
    return [
        {"class": number, "packets": packets, "mean": total / packets, "max": most}
        for number, packets, total, most in _grouped(latencies, (key,))
    ]


def by_flow(latencies: Latencies) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each source and destination."""
    return [
        {
            "source": source,
            "destination": destination,
            "packets": packets,
            "mean": total / packets,
            "max": most,
        }
        for source, destination, packets, total, most in _grouped(
            latencies, (latencies.source, latencies.destination)
        )
    ]
