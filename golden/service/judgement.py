"""How terminals that send without end fare, beside what fair merging would give them."""

from dataclasses import dataclass

import numpy as np

from golden.arrays import IntArray
from golden.network import Network
from golden.service.flows import Flows
from golden.service.merging import shares

__all__ = ["MEASURED", "Judgement", "assess", "judge"]

MEASURED = 8
"""Packets that fair merging must give a source for its part to be judged."""


@dataclass(frozen=True)
class Judgement:
    """What a pattern of traffic gave to its sources.

    Attributes
    ----------
    sources, judged : int
        Those that send; those that fair merging gives at least `MEASURED` packets.
    starved : int
        Those judged of which nothing came out.
    along, behind : float
        The least of what a source got, as a part of its share (`golden.service.merging.Shares`).
    poorest : int
        The source that got the least part of its share `behind`.
    wait : int
        The longest that a source with something to send could send nothing, in cycles.
    patience : float
        The most, over sources, of that wait in packet times of the source's share `behind`.
    gap : int
        The longest time in which no packet of a judged source came out.
    accepted : float
        Flits per cycle that came out, of all.
    """

    sources: int
    judged: int
    starved: int
    along: float
    behind: float
    poorest: int
    wait: int
    patience: float
    gap: int
    accepted: float


def judge(network: Network, destination: IntArray, *, length: int, cycles: int) -> Judgement:
    """Let every node of the model send packets to its destination, as fast as it can.

    Raises
    ------
    ValueError
        If a packet came out where it should not, or if there are too few cycles.
    """
    flows = Flows(network, destination, length=length)
    flows.run(cycles)
    return assess(flows, destination)


def assess(flows: Flows, destination: IntArray) -> Judgement:
    """Judge what came of terminals that sent to their destinations for some time.

    Raises
    ------
    ValueError
        If a packet came out where it should not, or if there were too few cycles.
    """
    flows.finish()
    network, length, cycles = flows.network, flows.length, flows.now
    if flows.astray:
        raise ValueError(f"Network needs repair: {flows.astray} flits came out at wrong terminals")
    some = flows.sources
    along, behind = (share[some] for share in shares(network, destination))
    got, waited = flows.delivered[some] / cycles, flows.waited[some]
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
        wait=int(waited.max()),
        patience=float((waited * behind / length).max()),
        gap=int(flows.gap[some][judged].max()),
        accepted=float(got.sum()),
    )
