"""How terminals that send without end fare, beside what fair merging would give them."""

from dataclasses import dataclass

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled import engine
from fingerpost.golden.measure.zero_load import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.service.endless import endless
from fingerpost.golden.service.merging import shares
from fingerpost.golden.traffic import Traffic

MEASURED = 8
"""Packets that fair merging must give a source for its part to be judged."""


@dataclass(frozen=True)
class Judgement:
    """The service that sources get under a pattern of traffic.

    Attributes
    ----------
    sources, judged : int
        Those that send; those that fair merging gives at least `MEASURED` packets.
    starved : int
        Judged sources without a delivered packet.
    along, behind : float
        The least service of a source, as a part of its share (`golden.service.merging.Shares`).
    poorest : int
        The source with the least part of its share `behind`.
    gap : int
        The longest time without a delivered packet of a judged source, after its first.
    patience, onset : float
        Maxima over judged sources, in packet times of the source's share `behind`: of `gap`, and of
        the time until the first delivered packet, less its time in an empty network. That packet
        may wait at each hop.
    accepted : float
        Flits per cycle delivered, of all sources.
    """

    sources: int
    judged: int
    starved: int
    along: float
    behind: float
    poorest: int
    gap: int
    patience: float
    onset: float
    accepted: float


def judge(network: Network, destination: IntArray, *, length: int, cycles: int) -> Judgement:
    """Let every node of the model send packets to its destination, as fast as it can.

    Flits of packets of which the last has not come out are not counted.

    Raises
    ------
    ValueError
        If a packet came out where it should not, or if there are too few cycles.
    """
    pattern = endless(network, destination, length=length, cycles=cycles)
    one_class = (1, *[0] * (network.classes - 1))
    model = engine(network, [Traffic(network, None, 1, pattern=pattern, classes=one_class)])
    model.run(cycles)
    run = model.runs[0]
    if run.faults:
        raise ValueError(f"Network needs repair: {run.faults[0]}")
    flits, gap, began = np.zeros((3, network.topology.nodes), np.int64)
    for source in np.flatnonzero(destination >= 0).tolist():
        first, last = np.searchsorted(run.traffic.source, [source, source + 1])
        times = run.delivered[first:last]
        times = times[times >= 0]
        flits[source] = len(times) * length
        gap[source] = np.diff(times, append=cycles).max() if len(times) else cycles
        began[source] = times[0] if len(times) else cycles
    return assess(
        network,
        destination,
        length=length,
        cycles=cycles,
        flits=flits,
        gap=gap,
        began=began,
    )


def assess(
    network: Network,
    destination: IntArray,
    *,
    length: int,
    cycles: int,
    flits: IntArray,
    gap: IntArray,
    began: IntArray,
) -> Judgement:
    """Compare what came out with what fair merging gives.

    Parameters
    ----------
    network : Network
    destination : (nodes,)
        Of the packets of each node, -1 if it sends none.
    length, cycles : int
        Flits of a packet; how long they were sent.
    flits, gap, began : (nodes,)
        What came out, by source, the longest time in which no packet of it came out after its
        first, and when that did.

    Raises
    ------
    ValueError
        If there were too few cycles.
    """
    some = np.flatnonzero(destination >= 0)
    along, behind = (share[some] for share in shares(network, destination))
    got, gap = flits[some] / cycles, gap[some]
    waited = began[some] - _least(network, some, destination[some], length)
    judged = behind * cycles >= MEASURED * length
    if not judged.any():
        raise ValueError(
            f"Judgement needs more cycles than {cycles}: fair merging gives no source "
            f"{MEASURED} packets"
        )
    part = np.where(judged, got / behind, np.inf)
    return Judgement(
        sources=len(some),
        judged=int(judged.sum()),
        starved=int((got[judged] == 0).sum()),
        along=float((got / along)[judged].min()),
        behind=float(part.min()),
        poorest=int(some[part.argmin()]),
        gap=int(gap[judged].max()),
        patience=float((gap * behind / length)[judged].max()),
        onset=float((waited * behind / length)[judged].max()),
        accepted=float(got.sum()),
    )


def _least(network: Network, source: IntArray, goal: IntArray, length: int) -> IntArray:
    """Return when the first packets would be out of an empty network; 0 where that varies."""
    hops = walk(network.routing, source, goal).hops
    times = [zero_load(network, int(count), flits=length) or 0 for count in hops]
    return np.array(times, np.int64)
