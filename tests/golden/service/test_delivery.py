"""Every packet arrives within the bound, and each part of the bound is needed."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic
from tests.golden.service.endless import endless, hot_spot
from tests.networks import PETERSEN, built

TOPOLOGIES: dict[str, tuple[dict[str, Any], str]] = {
    "petersen": (PETERSEN, "table"),
    "torus-3x3": ({"family": "grid", "sizes": [3, 3], "wrap": True}, "dimension-order"),
    "star-3": ({"family": "star", "n": 3}, "greedy"),
}


def network(name: str, **router: Any) -> Network:
    topology, algorithm = TOPOLOGIES[name]
    return built(topology, algorithm, **router)


DEAF = 1 << 20
"""A terminal whose backlog is less by so much returns no credit."""


def longest_wait(network: Network, traffic: Traffic, cycles: int, *, pause: int = 1) -> int:
    """Run a network; return for how long no packet of some source came out.

    Each terminal returns a credit so many cycles after the one before, at the earliest.
    """
    model = engine(network, [traffic])
    assert isinstance(model, Wormhole)
    run, state = model.runs[0], of_run(model.arrays, 0)
    backlog, received = state.terminals.backlog, state.flits
    waited = np.zeros_like(backlog)
    for _ in range(cycles if pause > 1 else 0):
        waited += 1
        owed = backlog - received
        backlog[waited < pause] -= DEAF
        model.run(1)
        backlog[waited < pause] += DEAF
        waited[backlog - received < owed] = 0
    model.run(cycles - run.now)
    waits = []
    for each in np.unique(traffic.source).tolist():
        times = np.sort(run.delivered[(traffic.source == each) & (run.delivered >= 0)])
        waits.append(np.diff(times, append=cycles).max() if len(times) else cycles)
    return int(max(waits))


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("length", [1, 3])
def test_packets_arrive_within_the_bound(name: str, length: int) -> None:
    some = network(name, buffer_depth=2)
    bound = Delivery(some, longest=length, stall=1).cycles
    spot = endless(some, hot_spot(some, 0), length=length, cycles=400)
    hot, spread = Traffic(some, None, 1, pattern=spot), Traffic(some, 1.0, 400, lengths=length)
    longest = max(longest_wait(some, each, 400) for each in (hot, spread))
    # While a packet waits for the one before, that one is behind its own bound.
    assert 0 < longest <= 2 * bound


def test_slow_terminals_need_more_than_a_bound_for_fast_ones() -> None:
    """With one source there is nothing to wait for but the terminal."""
    some = network("star-3", buffer_depth=1)
    destination = np.full(some.topology.nodes, -1)
    destination[0] = int(some.topology.neighbour[0, 0])
    pause = 4 * Delivery(some, stall=1).flit_cycles
    pattern = endless(some, destination, length=1, cycles=6 * pause)
    traffic = Traffic(some, None, 1, pattern=pattern)
    longest = longest_wait(some, traffic, 6 * pause, pause=pause)
    assert pause <= longest <= 2 * Delivery(some, stall=pause).cycles


def test_the_bound_grows_with_all_that_it_depends_on() -> None:
    bound = Delivery(network("petersen"), longest=2, stall=4, gap=2).cycles
    for more in ({"longest": 3}, {"stall": 5}, {"gap": 3}):
        other = {"longest": 2, "stall": 4, "gap": 2} | more
        assert Delivery(network("petersen"), **other).cycles > bound
    assert (
        Delivery(network("petersen", virtual_channels=4), longest=2, stall=4, gap=2).cycles > bound
    )


def test_refuses_what_has_no_bound() -> None:
    with pytest.raises(ValueError, match="turn_bypass_limit"):
        Delivery(network("torus-3x3", bypass_limit=1, turn_bypass_limit=2))
    with pytest.raises(ValueError, match="service: bounded"):
        Delivery(network("petersen", service="local"))


BATCH = 2
"""Packets that each other buffer begins on a virtual channel while a head waits for it: `passed` in
the contract of the output port."""

CREDIT_CYCLES = 4
"""From a flit that leaves a buffer to the grant of the next one with its credit, if none waits."""


@dataclass(frozen=True)
class Delivery:
    """A bound on the time to the terminal, without deadlock and starvation, in the worst case.

    It follows the channel dependency graph, which has no cycle, from its end. A flit at the far end
    of a channel leaves in time if the channels that it may request next let it. So a credit
    returns in time, and then each packet that holds the channel ends in time; while a head waits,
    each other buffer begins `BATCH` packets at most, or one if all inputs have one channel.

    What routers promise is proven of components (`formal/output_port.py`, `formal/input_port.py`).
    Assumed of terminals: a packet has up to `longest` flits; its flits follow each other
    within `gap` cycles while there are credits; a terminal gives the credit of a flit
    back within `stall` cycles, whatever it sends or waits for. So there is no dependency between
    messages: with several message classes this is a bound for the class that all terminals take.

    Raises
    ------
    ValueError
        If inputs from links yield to others (`turn_bypass_limit`), or with another service than
        `bounded`: then no bound is proven; or if links are OS-Links.
    """

    network: Network
    longest: int = 1
    stall: int = 1
    gap: int = 1

    def __post_init__(self) -> None:
        if self.network.service != "bounded":
            raise ValueError("Delivery needs service: bounded: else no bound is proven")
        if self.network.turn_bypass_limit:
            raise ValueError("Delivery needs a turn_bypass_limit of 0: else no bound is proven")
        if self.network.link.jitter_reason:
            raise ValueError(f"Delivery needs links of wires, not {self.network.link!r}")

    @property
    def _inputs(self) -> int:
        return self.network.topology.degree + 1

    @property
    def _buffers(self) -> int:
        """Return the buffers of a router that may request an output."""
        return self._inputs * self.network.lanes.all_channels

    @property
    def flit_cycles(self) -> int:
        """Return the cycles in which a flit is granted that has a credit and may use its channel.

        It is not its input's candidate while others of its input are, once each; each
        candidate waits for the others that request its output (`served`, `turn`).
        """
        each = self._buffers * (self.longest if self.network.lanes.spare else 1)
        return self.network.lanes.all_channels * (2 * each + 1) + 1

    @property
    def _follows(self) -> int:
        """Return the cycles to the next flit of a packet, from its terminal if all are empty."""
        hops = self.network.channels.crossings.longest + 1
        step = self.flit_cycles + self.network.hop_cycles + CREDIT_CYCLES
        return hops * step + self.gap + self.network.routing.header_cycles

    def _others(self, sources: int) -> int:
        """Return the packets that begin on a channel of some buffers while a head waits for it."""
        limit, channels = self.network.bypass_limit, self.network.lanes.all_channels
        batch = BATCH if channels > 1 else 1
        yields = limit + channels + 1 if limit else 0
        return (batch + yields) * (sources - 1)

    def _through(self, leaves: int, sources: int) -> tuple[int, int, int]:
        """Return of a channel whose far end keeps a flit so long: flit, head, whole packet."""
        flit = leaves + CREDIT_CYCLES + self.flit_cycles
        rest = (self.longest - 1) * (self._follows + flit)
        head = rest + (self._others(sources) + 1) * (flit + rest)
        return flit, head, head + rest

    @cached_property
    def cycles(self) -> int:
        """The cycles from when a head is next in its terminal's buffer to its tail's arrival."""
        network = self.network
        classes = network.lanes.classes
        graph = network.channels.dependencies(classes)
        after: defaultdict[int, list[int]] = defaultdict(list)
        for start, end in zip(graph.start.tolist(), graph.end.tolist(), strict=True):
            after[start].append(end)
        ranks = graph.ranks()
        last = self._through(self.stall, self._buffers)  # the channel to a terminal
        # Buffers that request a channel: those it is known of one by one, and the terminal's.
        sources = np.full(graph.vertices, self._buffers)
        known = len(np.unique(network.channels.orbit)) == network.topology.nodes
        if known and not network.lanes.spare and network.classes == 1:
            sources = np.bincount(graph.end, minlength=graph.vertices) + 1
        through: dict[int, tuple[int, int, int]] = {}
        total: dict[int, int] = {}
        hop = network.hop_cycles
        for vertex in sorted(range(graph.vertices), key=lambda v: -int(ranks[v])):
            nexts = [through[end] for end in after[vertex]]
            leaves = max(max(flit, head) for flit, head, _ in [last, *nexts])
            through[vertex] = self._through(leaves, int(sources[vertex]))
            rest = max((total[end] for end in after[vertex]), default=0)
            total[vertex] = through[vertex][1] + hop + max(rest, last[2] + hop)
        return max(total.values(), default=last[2] + hop) + hop
