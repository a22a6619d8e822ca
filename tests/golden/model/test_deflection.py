"""The model of deflection routers beside an independent simulation, and what must always hold."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.deflection.state import Wiring
from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import RANKS
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.traffic import Traffic
from tests.networks import ROUTERS, TOPOLOGIES, deflection, only


@dataclass
class Flit:
    epoch: int
    key: int
    destination: int
    data: int
    distance: int = 0
    old: bool = False
    wanted: frozenset[int] = frozenset()  # output ports


@dataclass
class Slow:
    """Deflection routers flit by flit: a hop is one step whose outcome is seen a hop later."""

    network: DeflectionNetwork
    cycle: int = 0
    links: dict[int, dict[tuple[int, int], Flit]] = field(default_factory=dict)
    taking: set[int] = field(default_factory=set)
    errors: Counter[int] = field(default_factory=Counter)
    pending: set[int] = field(default_factory=set)
    waits: list[bool] = field(default_factory=list)  # by cycle: some terminal is pending
    hold: list[bool] = field(default_factory=lambda: [False, False])  # by cycle, from -1

    def __post_init__(self) -> None:
        topology = self.network.topology
        self.graph = nx.DiGraph(
            (v, w) for v, row in enumerate(topology.neighbour.tolist()) for w in row if w >= 0
        )
        self.hops = dict(nx.all_pairs_shortest_path_length(self.graph))
        self.most = (1 << max(1, self.network.destinations.diameter.bit_length())) - 1

    def step(self, offers: dict[int, tuple[int, int]], credit: set[int]) -> tuple[Any, set[int]]:
        """Return what is ejected, (node, port, data), and the nodes that can inject."""
        network, topology = self.network, self.network.topology
        epoch = max(self.cycle - 1, 0) >> network.epoch & 1
        on_links, next_links = self.links.pop(self.cycle, {}), {}
        ejected, ready, waiting = [], set(), set()
        held, ticked = self._wait()
        for node, node_type in enumerate(topology.node_type):
            pairing = network.pairings[node_type]
            links = len(pairing.outputs)
            slots: list[Flit | None] = [on_links.get((node, port)) for port in pairing.inputs]
            for arrived in filter(None, slots):
                arrived.old = arrived.epoch != epoch
            if node_type.terminals:
                for port in range(network.ejections):
                    share = [i for i in range(links) if i * network.ejections // links == port]
                    home = [(i, flit) for i in share if (flit := slots[i]) and flit.key == 0]
                    if home and node * network.ejections + port in self.taking:
                        out, leaving = min(home, key=lambda each: (not each[1].old, each[0]))
                        slots[out] = None
                        ejected.append((node, port, leaving.data))
                enters = range(0, links, 1 if network.injection == "all" else 2)
                free = [i for i in enters if slots[i] is None]
                destination, data = offers.get(node, (None, 0))
                if free and (not held or node in self.pending):
                    ready.add(node)
                    if destination is not None and destination >= len(topology.terminals):
                        self.errors[node] += 1
                    elif destination is not None:
                        slots[free[0]] = Flit(epoch, self.most, destination, data)
                elif destination is not None and (node in self.pending or (ticked and not held)):
                    waiting.add(node)
            for port, flit in self._switched(node, pairing.outputs, slots).items():
                deflected = self.most if topology.directed else min(flit.distance + 1, self.most)
                flit.key = flit.distance - 1 if port in flit.wanted else deflected
                there = int(topology.neighbour[node, port])
                next_links[there, int(topology.arrival_port[node, port])] = flit
        self.links[self.cycle + network.hop_cycles] = next_links
        self.taking, self.cycle, self.pending = credit, self.cycle + 1, waiting
        return sorted(ejected), ready

    def _wait(self) -> tuple[bool, bool]:
        """Return whether others are stopped, and whether those that wait become pending."""
        limit, stages = self.network.wait_limit, self.network.hold_stages
        if limit is None:
            return False, False
        now, tick = self.cycle, self.cycle % (1 << limit) == 0
        self.waits.append(bool(self.pending))
        known = now >= stages and self.waits[now - stages]
        self.hold.append(known and (self.hold[now + 1] or tick))
        return self.hold[now], now % (1 << limit) == 1

    def _switched(
        self, node: int, outputs: tuple[int, ...], slots: list[Flit | None]
    ) -> dict[int, Flit]:
        """Return the flits by output port: switch after switch, the winner first."""
        neighbour = self.network.topology.neighbour
        ranks = RANKS[len(outputs)]
        order: dict[int, Any] = {}
        for slot, flit in enumerate(slots):
            if flit:
                end = int(self.network.topology.terminals[flit.destination])
                flit.distance = self.hops[node][end]
                flit.wanted = frozenset(
                    p for p in outputs if self.hops[neighbour[node, p]][end] < flit.distance
                )
                order[id(flit)] = (not flit.old, flit.key, slot)

        def ends(slot: int, rank: int) -> set[int]:
            """The output ports that can be reached from a slot before a rank."""
            if rank == len(ranks):
                return {outputs[slot]}
            pair = next((pair for pair in ranks[rank] if slot in pair), (slot,))
            return set().union(*(ends(other, rank + 1) for other in pair))

        for rank, switches in enumerate(ranks):
            for a, b in switches:
                sides = ends(a, rank + 1), ends(b, rank + 1)
                there = sorted((f for f in (slots[a], slots[b]) if f), key=lambda f: order[id(f)])
                for flit in there:
                    can = [bool(flit.wanted & side) for side in sides]
                    if can[0] != can[1]:
                        if flit is not slots[(a, b)[can.index(True)]]:
                            slots[a], slots[b] = slots[b], slots[a]
                        break
        return {port: flit for port, flit in zip(outputs, slots, strict=True) if flit}


class Watched(Deflection):
    """A network with its packets, of which every register is looked at."""

    def __init__(
        self,
        network: DeflectionNetwork,
        load: float,
        cycles: int,
        *,
        stall: float = 0.0,
        plain: bool = False,
        **traffic: Any,
    ) -> None:
        packets = Traffic(network, load, cycles, **traffic)
        super().__init__(network, [packets], stall=stall, plain=plain)
        self.only: Any = self.runs[0]
        self.traffic = self.only.traffic

    @property
    def entered(self) -> Any:
        """The cycle in which each packet went in, -1 if it did not."""
        return self.arrays.packets["entered"]

    @property
    def longest_wait(self) -> int:
        """The longest wait for injection so far, ended or not, of the first flit of a terminal."""
        source, since = self.traffic.source, self.traffic.time.copy()
        until = np.where(self.entered < 0, self.only.now, self.entered)
        behind = np.flatnonzero(source[1:] == source[:-1]) + 1
        since[behind] = np.maximum(since[behind], until[behind - 1] + 1)
        return int((until - since).max())

    @property
    def ejected(self) -> int:
        """The flits that come out in this cycle."""
        return int(self.arrays.clock["ejected"][0, 0])

    @property
    def inside(self) -> int:
        """The packets that went in and did not come out."""
        in_model = (self.entered >= 0) & self.only.expected & (self.only.delivered < 0)
        return int(in_model.sum()) - self.ejected

    @property
    def longest(self) -> int:
        """The longest time in the network so far, ended or not."""
        sent = (self.entered >= 0) & self.only.expected
        until = np.where(self.only.delivered < 0, self.only.now, self.only.delivered)
        return int((until - self.entered)[sent].max())

    @property
    def on_links(self) -> Any:
        """The flits on links, by slot."""
        return self.arrays.routers.links[0, self.only.now & 1]

    def tags(self) -> list[int]:
        """The packets of all flits in registers."""
        routers, wiring = self.arrays.routers, Wiring(self.network)
        found = self.on_links["tag"][self.on_links["valid"]].tolist()
        for name in ("arrived", "ranked", "switched")[: self.network.hop_cycles - 1]:
            held = routers.router[name][0][wiring.node] >> wiring.local & 1 > 0
            found += getattr(routers, name)["tag"][0][held].tolist()
        return found

    def dropped(self) -> list[int]:
        """The packets that were lost in the last cycle."""
        count = self.arrays.clock["dropped"][0, 0]
        found: list[int] = self.arrays.routers.dropped[0, :count].tolist()
        return found


@pytest.mark.parametrize(
    ("name", "plain"),
    only(
        [(x, plain) for x in TOPOLOGIES for plain in (False, x == "uneven")],
        product(TOPOLOGIES, (False, True)),
    ),
)
def test_every_flit_where_an_independent_simulation_has_it(name: str, plain: bool) -> None:
    network = deflection(name, **ROUTERS[name])
    topology, each = network.topology, network.ejections
    cycles = {"hypercube": 40}.get(name, 120)
    pattern = "hotspot:nodes=0;1,share=0.9" if network.wait_limit == 4 else "uniform"
    options: dict[str, Any] = {"pattern": pattern, "stall": 0.3, "malformed": 0.1, "seed": 3}
    run = Watched(network, 0.6, cycles, plain=plain, **options)
    slow, held = Slow(network), 0
    out_before: list[tuple[int, int, int]] = []
    counted = [[0] * topology.nodes] * 2  # seen two cycles later
    for _ in range(cycles):
        record = run.record(1)
        given, links, seen = (
            {field: column[0].tolist() for field, column in columns.items()}
            for columns in (record.given, record.links, record.terminals)
        )
        assert seen["errors"] == counted.pop(0)
        out = [
            (node, port, seen[f"data{port}"][node])
            for node in range(topology.nodes)
            for port in range(each)
            if seen["valid"][node] >> port & 1
        ]
        assert out == out_before
        arrivals = {
            (int(topology.neighbour[v, p]), int(topology.arrival_port[v, p])): data
            for (v, p), valid, data in zip(
                np.ndindex(topology.neighbour.shape), links["valid"], links["data"], strict=True
            )
            if valid
        }
        expected = {at: flit.data for at, flit in slow.links.get(slow.cycle, {}).items()}
        assert arrivals == expected
        offers = {
            node: (given["destination"][node], given["data"][node])
            for node in np.flatnonzero(given["valid"]).tolist()
        }
        takes = given["eject_ready"]
        credit = {i for i in range(topology.nodes * each) if takes[i // each] >> i % each & 1}
        out_before, slow_ready = slow.step(offers, credit)
        counted.append([min(slow.errors[v], 255) for v in range(topology.nodes)])
        assert slow_ready == set(np.flatnonzero(seen["ready"]).tolist())
        held += int(run.arrays.clock["held"][0, 0])
    assert run.only.received.sum() > cycles / 4
    assert sum(slow.errors.values()) > 0 or network.all_known
    assert held or network.wait_limit != 4


@pytest.mark.parametrize("traffic", ["uniform", "hotspot:nodes=0;1,share=0.5"])
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_no_flit_is_lost_or_doubled_and_none_stays_longer_than_the_bound(
    name: str, traffic: str
) -> None:
    network = deflection(name, ejections=1)
    bound = network.time_bound
    assert bound
    cycles = {"hypercube": 60}.get(name, 250)
    run = Watched(network, 1.0, cycles, pattern=traffic, seed=5)
    while not run.only.empty and run.only.now < 40_000:
        run.run(1)
        if run.only.now == cycles:
            run.only.stop()
        if run.only.now < 300:
            assert run.only.flits == run.inside
            assert max(Counter(run.tags()).values(), default=1) == 1
    assert run.only.all_delivered
    assert run.only.faults == []
    assert run.only.flits == 0
    assert run.longest <= bound


@pytest.mark.parametrize("name", ["petersen", "kautz"])
def test_a_terminal_waits_for_injection_no_longer_than_the_bound(name: str) -> None:
    """Without it a neighbour of a hot spot waits for ever."""
    longest = {}
    for limit in ("none", 4):
        network = deflection(name, ejections=1, injection="half", wait_limit=limit)
        run = Watched(network, 1.0, 1000, pattern="hotspot:nodes=0;1,share=1.0", seed=1)
        run.run(1000)
        longest[limit] = run.longest_wait
    assert network.wait_bound is not None
    assert 16 < longest[4] <= network.wait_bound < longest["none"]


@pytest.mark.parametrize(
    ("name", "diameter", "links", "nodes", "stages"),
    [("petersen", 2, 30, 10, 2), ("borel", 3, 84, 21, 3)],
)
def test_the_bounds_are_those_of_the_arguments(
    name: str, diameter: int, links: int, nodes: int, stages: int
) -> None:
    """A class has at most a flit on each link, and one more is being injected."""
    network = deflection(name, wait_limit=5)
    turn = (links + 1) * diameter * 4 + nodes * diameter
    assert network.wait_bound == 2 * (turn + 32 + stages + 2)
    assert deflection(name, wait_limit="none").wait_bound is None
    assert deflection(name, epoch=network.epoch - 1, wait_limit=5).wait_bound is None
    assert network.drain_cycles == (links + 1) * diameter * 4
    assert 1 << network.epoch >= network.drain_cycles > 1 << network.epoch - 1
    assert network.time_bound == 2 << network.epoch
    assert deflection(name, epoch=network.epoch - 1).time_bound is None


UNDIRECTED = [name for name in TOPOLOGIES if name not in ("kautz", "digraph")]


class Links:
    """The links of a network, of which some fail in both directions."""

    def __init__(self, network: DeflectionNetwork) -> None:
        self.topology = network.topology
        self.up = np.ones_like(self.topology.neighbour)

    def fail(self, node: int, port: int, *, up: bool = False) -> None:
        """Let a link fail, or come back."""
        ends = self.topology.neighbour, self.topology.arrival_port
        there = ends[0][node, port], ends[1][node, port]
        self.up[node, port] = self.up[there] = up

    def told(self) -> dict[str, Any]:
        """What nodes are told of them."""
        return {"link_up": self.up @ (1 << np.arange(self.up.shape[1]))}


@pytest.mark.parametrize("name", UNDIRECTED)
def test_links_that_fail_lose_only_what_is_on_its_way_to_them(name: str) -> None:
    """What arrives after a failure leaves by links that are up, however many have failed."""
    network = deflection(name, link_up=True, ejections=1)
    wiring, hop, links = Wiring(network), network.hop_cycles, Links(network)
    run, rng = Watched(network, 0.9, 100, seed=7), np.random.default_rng(1)
    node, port = np.nonzero(network.topology.neighbour >= 0)
    lost: list[int] = []
    told = [links.up.copy()] * (hop + 1)
    while run.only.now < 100:
        for i in np.flatnonzero(rng.random(len(node)) < 0.02).tolist():
            links.fail(node[i], port[i], up=rng.random() < 0.4)
        told = [*told[1:], links.up.copy()]
        run.tell(links.told())
        run.run(1)
        lost += run.dropped()
        # They arrived `hop` cycles ago, when routers had been told a cycle before.
        assert told[-hop - 1][wiring.node, wiring.output][run.on_links["valid"]].all()
    assert len(lost) == len(set(lost)) == run.only.lost.sum() > 0
    assert (run.only.lost < 255).all()
    delivered = run.only.delivered >= 0
    assert not delivered[lost].any()
    assert not run.only.expected[lost].any()
    out = delivered.sum() + run.ejected
    assert (run.entered >= 0).sum() == out + len(lost) + run.only.flits
    assert run.only.faults == []


def test_links_that_may_fail_need_a_way_back() -> None:
    with pytest.raises(ParameterError, match="need a way back at the same port, but node "):
        deflection("kautz", link_up=True)
