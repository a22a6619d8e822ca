"""Latencies of packets: where nothing is in the way, and counted as they come out.

Counts give mean and percentiles, also by hops, class and flow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.topology.base import distances
from fingerpost.golden.traffic import Lengths, Pattern
from fingerpost.golden.traffic.traffic import Transactions

PERCENTILES = {"median": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}


class Latencies:
    """Counts of the packets that were measured and came out.

    Parameters
    ----------
    flows : bool
        Whether to count by source and destination, too, for `by_flow` and `by_hops`.

    Attributes
    ----------
    counts : (message classes, latencies)
        How many packets of each class had each latency: cycles from the one in which a packet was
        made, to wait at its source, to the one in which its tail came out.
    flows : (5, flows), optional
        Source and destination, ascending; packets, sum and maximum of the latency.
    """

    def __init__(self, *, flows: bool = False) -> None:
        self.counts = np.zeros((1, 1), np.int64)
        self.flows: IntArray | None = np.zeros((5, 0), np.int64) if flows else None

    def add(
        self,
        source: IntArray,
        destination: IntArray,
        latency: IntArray,
        message_class: IntArray | None = None,
    ) -> None:
        """Count some packets."""
        if not len(latency):
            return
        row = np.zeros_like(latency) if message_class is None else message_class
        classes, most = np.maximum(self.counts.shape, (row.max() + 1, latency.max() + 1)).tolist()
        counts = np.bincount(row * most + latency, minlength=classes * most).reshape(classes, most)
        self.counts = _sum(self.counts, counts)
        if self.flows is not None:
            one = np.ones_like(latency)
            rows = np.stack([source, destination, one, latency, latency])
            self.flows = _merged(np.concatenate([self.flows, rows], axis=1), 2)

    def __add__(self, other: "Latencies") -> "Latencies":
        both = Latencies()
        both.counts, both.flows = _sum(self.counts, other.counts), None
        if self.flows is not None and other.flows is not None:
            both.flows = _merged(np.concatenate([self.flows, other.flows], axis=1), 2)
        return both

    def of_class(self, number: int) -> "Latencies":
        """Return those of one message class; they know of no flows."""
        one = Latencies()
        one.counts = self.counts[number : number + 1]
        return one

    @property
    def packets(self) -> int:
        """Return how many packets were counted."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float | None:
        """Return the mean over all packets; None if there were none."""
        total = int(self.counts.sum(axis=0) @ np.arange(self.counts.shape[1]))
        return total / self.packets if self.packets else None

    @property
    def percentiles(self) -> dict[str, float | None]:
        """Return the latencies that so many percent of the packets do not exceed, by name."""
        if not self.packets:
            return dict.fromkeys(PERCENTILES)
        until = self.counts.sum(axis=0).cumsum()
        # Between two packets they are interpolated, as numpy does.
        place = (self.packets - 1) * (np.array(list(PERCENTILES.values())) / 100)
        below = np.searchsorted(until, np.floor(place), side="right")
        above = np.searchsorted(until, np.ceil(place), side="right")
        apart, part = above - below, place - np.floor(place)
        found = np.where(part < 0.5, below + apart * part, above - apart * (1 - part))
        return dict(zip(PERCENTILES, found.tolist(), strict=True))


def _sum(one: IntArray, other: IntArray) -> IntArray:
    """Add up two tables of counts; what one does not have is 0."""
    found = np.zeros(np.maximum(one.shape, other.shape), np.int64)
    for each in (one, other):
        found[: each.shape[0], : each.shape[1]] += each
    return found


def _merged(table: NDArray[Any], keys: int) -> NDArray[Any]:
    """Add up packets and latencies of rows with the same keys; sort by these."""
    if not table.shape[1]:
        return table
    table = table[:, np.lexsort(table[:keys][::-1])]
    begin = np.flatnonzero(np.any(np.diff(table[:keys], axis=1, prepend=-1) != 0, axis=0))
    sums = np.add.reduceat(table[keys:-1], begin, axis=1)
    most = np.maximum.reduceat(table[-1], begin)
    return np.concatenate([table[:keys, begin], sums, most[None]])


def _flows(latencies: Latencies) -> IntArray:
    if latencies.flows is None:
        raise ValueError("Latencies need flows=True to be told apart by flow or hops")
    return latencies.flows


def _rows(names: tuple[str, ...], table: IntArray) -> list[dict[str, Any]]:
    """Return packets, mean and maximum behind the keys that `names` are the names of."""
    return [
        {
            **dict(zip(names, keys, strict=True)),
            "packets": packets,
            "mean": total / packets,
            "max": most,
        }
        for *keys, packets, total, most in table.T.tolist()
    ]


def by_hops(latencies: Latencies, routing: Routing) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each number of hops.

    Hops are those of the route; where chance or free links decide, those of a shortest one.
    """
    first, last, *counted = _flows(latencies)
    if not len(first):
        return []
    source, destination = routing.topology.node_of(first), routing.topology.node_of(last)
    if routing.selection:
        hops = np.empty(len(source), np.int64)
        for node in np.unique(source).tolist():
            some = source == node
            hops[some] = distances(routing.topology.neighbour, node)[destination[some]]
    else:
        hops = walk(routing, source, destination).hops
    return _rows(("hops",), _merged(np.stack([hops, *counted]), 1))


def by_class(latencies: Latencies) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each message class."""
    cycles = np.arange(latencies.counts.shape[1])
    return _rows(
        ("class",),
        np.array(
            [
                (number, counts.sum(), counts @ cycles, np.flatnonzero(counts)[-1])
                for number, counts in enumerate(latencies.counts)
                if counts.any()
            ],
            np.int64,
        )
        .reshape(-1, 4)
        .T,
    )


def by_flow(latencies: Latencies) -> list[dict[str, Any]]:
    """Return packets, mean and maximum of the latency for each source and destination."""
    return _rows(("source", "destination"), _flows(latencies))


def zero_load_of(
    network: AnyNetwork, pattern: Pattern, lengths: Lengths, transactions: Transactions
) -> float | None:
    """Return the mean latency of transactions that meet no others, in cycles.

    None where `zero_load` has none, and where not all terminals have the same sides.
    """
    terminal, topology = network.terminal, network.topology
    assert isinstance(terminal, Axi4Terminal)
    uninvited, parts = terminal.uninvited(network), terminal.transactions.parts
    longest = terminal.transactions.request_beats + lengths.most * parts
    partial = terminal.managers != "all" or terminal.subordinates != "all"
    partial |= terminal.lite not in ("all", "none")
    if network.jitter_reason or partial or (uninvited is not None and longest > uninvited):
        return None
    demand = pattern.demand(topology)
    hops = wires = weights = 0.0
    for number, node in enumerate(topology.terminals.tolist()):
        rate = demand.rows(np.array([number]))[0]
        other = topology.terminals[rate > 0]
        here, weight = np.full_like(other, node), rate[rate > 0]
        for ends in ((here, other), (other, here)):
            routes = walk(network.routing, *map(topology.node_of, ends))
            hops += float(weight @ routes.hops)
            wires += float(weight @ network.registers_on(routes))
        weights += float(weight.sum())
    total = (network.hop_cycles * hops + wires) / weights
    for share, write in zip(transactions.shares, (False, True), strict=True):
        given: Any = {"write": write, "memory_cycles": transactions.memory_cycles}
        given["lite"] = terminal.lite == "all"
        one, two = (terminal.least_latency(network, 0, beats, **given) for beats in (1, 2))
        total += share * (one + (two - one) * (lengths.mean - 1))
    return total


def zero_load(
    network: AnyNetwork,
    hops: float,
    *,
    flits: float = 1.0,
    longest: int | None = None,
    registers: float = 0.0,
) -> float | None:
    """Return the mean latency of packets that meet no others, in cycles.

    Parameters
    ----------
    network : AnyNetwork
    hops, flits : float
        The means over all packets.
    longest : int, optional
        Flits of the longest; by default all have as many.
    registers : float
        Registers of the links on the way, the mean over all packets: `AnyNetwork.wire_cycles`.

    Returns
    -------
    float or None
        None where links or terminals vary, or where packets wait for a grant. A packet that is
        longer than its buffers and has fewer than five places in each takes longer than this, for
        its credits run out.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> zero_load(build({"name": "ring", **star}), 2.5, flits=4)
    10.0
    """
    uninvited = network.terminal.uninvited(network)
    if network.jitter_reason or (uninvited is not None and (longest or flits) > uninvited):
        return None
    path = network.least_latency(0, 1) + network.hop_cycles * hops + registers
    return path + network.terminal.flit_cycles * (flits - 1)
