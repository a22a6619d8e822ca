"""The model of deflection routers beside an independent simulation, and what must always hold."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.deflection.switches import RANKS
from fingerpost.golden.model import Traffic
from fingerpost.golden.model.deflection import DeflectionModel, Writes
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.rewriting import new_entries
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel
from tests.golden.deflection.examples import ROUTERS, TOPOLOGIES, deflection


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
            if node_type.terminal:
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


class Watched:
    """A model with its terminals, and the cycle in which each packet went in."""

    def __init__(
        self,
        network: DeflectionNetwork,
        load: float,
        cycles: int,
        *,
        stall: float = 0.0,
        **traffic: Any,
    ) -> None:
        self.network, self.model = network, DeflectionModel(network)
        self.traffic = Traffic(network, load, cycles, **traffic)
        self.terminals = SingleFlitTerminalModel(self.traffic, network.ejections, stall=stall)
        self.entered = np.full(len(self.traffic.source), -1)
        self.now = 0

    @property
    def longest_wait(self) -> int:
        """The longest wait for injection so far, ended or not, of the first flit of a terminal."""
        source, since = self.traffic.source, self.traffic.time.copy()
        until = np.where(self.entered < 0, self.now, self.entered)
        behind = np.flatnonzero(source[1:] == source[:-1]) + 1
        since[behind] = np.maximum(since[behind], until[behind - 1] + 1)
        return int((until - since).max())

    def cycle(self) -> tuple[Any, Any, set[int], set[int]]:
        """Run a cycle; return what is offered, what came out, and the credits of both sides."""
        model, terminals = self.model, self.terminals
        ready = set(model.injection_credit.tolist())
        terminals.credit(model.injection_credit)
        offered = terminals.send(self.now)
        terminals.receive(model.ejected, self.now)
        credit = terminals.give_back()
        node = offered.port_index // terminals.ports
        went = np.isin(node, list(ready))
        self.entered[offered.tag[went]] = self.now
        out = model.ejected
        model.step(offered, credit)
        self.now += 1
        return (node, offered), out, ready, set(credit.tolist())

    @property
    def inside(self) -> int:
        """The packets that went in and did not come out."""
        in_model = (self.entered >= 0) & self.terminals.expected & (self.terminals.delivered < 0)
        return int(in_model.sum()) - len(self.model.ejected.tag)

    @property
    def longest(self) -> int:
        """The longest time in the network so far, ended or not."""
        terminals = self.terminals
        sent = (self.entered >= 0) & terminals.expected
        until = np.where(terminals.delivered < 0, self.now, terminals.delivered)
        return int((until - self.entered)[sent].max())


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_flit_where_an_independent_simulation_has_it(name: str) -> None:
    network = deflection(name, **ROUTERS[name])
    cycles = {"hypercube": 40}.get(name, 120)
    pattern = "hotspot:nodes=0;1,share=0.9" if network.wait_limit == 4 else "uniform"
    run = Watched(network, 0.6, cycles, pattern=pattern, stall=0.3, malformed=0.1, seed=3)
    slow, header, held = Slow(network), network.destination_width, 0
    out_before: list[tuple[int, int, int]] = []
    counted = [[0] * network.topology.nodes] * 2  # seen two cycles later
    for _ in range(cycles):
        model = run.model
        assert model.errors.tolist() == counted.pop(0)
        (node, offered), out, ready, credit = run.cycle()
        seen = zip(
            (out.port_index // model.ports).tolist(),
            out.channel.tolist(),
            out.data.tolist(),
            strict=True,
        )
        assert sorted(seen) == out_before
        data = offered.data
        offers = {
            v: (int(d & ((1 << header) - 1)), int(d >> header))
            for v, d in zip(node.tolist(), data.tolist(), strict=True)
        }
        out_before, slow_ready = slow.step(offers, credit)
        counted.append([min(slow.errors[v], 255) for v in range(model.nodes)])
        assert slow_ready == ready
        held += run.model.held
        on_links = {
            (int(port // model.ports), int(port % model.ports)): int(d)
            for port, d in zip(model.link.port_index, model.link.data, strict=True)
        }
        topology = network.topology
        arrivals = {
            (int(topology.neighbour[v, p]), int(topology.arrival_port[v, p])): d
            for (v, p), d in on_links.items()
        }
        expected = {at: flit.data for at, flit in slow.links.get(slow.cycle, {}).items()}
        assert arrivals == expected
    assert run.terminals.received_flits > cycles / 4
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
    while not run.terminals.empty and run.now < 40_000:
        run.cycle()
        if run.now == cycles:
            run.terminals.stop()
        if run.now < 300:
            assert run.model.flits == run.inside
            tags = [
                register.tag[register.valid]
                for register in (run.model.links, run.model.arrived, run.model.ranked)
            ]
            if network.hop_cycles == 4:
                tags.append(run.model.switched.tag[run.model.switched.valid])
            assert max(Counter(np.concatenate(tags).tolist()).values(), default=1) == 1
    assert run.terminals.all_delivered
    assert run.terminals.faults == []
    assert run.model.flits == 0
    assert run.longest <= bound


@pytest.mark.parametrize("name", ["petersen", "kautz"])
def test_a_terminal_waits_for_injection_no_longer_than_the_bound(name: str) -> None:
    """Without it a neighbour of a hot spot waits for ever."""
    longest = {}
    for limit in ("none", 4):
        network = deflection(name, ejections=1, injection="half", wait_limit=limit)
        run = Watched(network, 1.0, 1000, pattern="hotspot:nodes=0;1,share=1.0", seed=1)
        while run.now < 1000:
            run.cycle()
        longest[limit] = run.longest_wait
    assert network.wait_bound is not None
    assert 16 < longest[4] <= network.wait_bound < longest["none"]


def test_terminals_that_take_nothing_keep_flits_in_the_network() -> None:
    network = deflection("petersen")
    run = Watched(network, 1.0, 200, seed=4)
    taking = False
    give_back = run.terminals.give_back
    run.terminals.give_back = lambda: give_back()[: None if taking else 0]  # type: ignore[method-assign]
    while run.now < 400:
        run.cycle()
    assert run.terminals.received_flits == 0
    assert run.model.flits == run.inside == network.links * network.hop_cycles  # all places
    taking = True
    run.terminals.stop()
    while not run.terminals.empty and run.now < 1000:
        run.cycle()
    assert run.terminals.faults == []
    assert run.terminals.all_delivered
    assert run.model.flits == 0


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


def fail(model: DeflectionModel, node: int, port: int, *, up: bool = False) -> None:
    """Let a link fail in both directions, or come back."""
    topology = model.network.topology
    there = topology.neighbour[node, port], topology.arrival_port[node, port]
    model.link_up[node, port] = model.link_up[there] = up


@pytest.mark.parametrize("name", UNDIRECTED)
def test_links_that_fail_lose_only_what_is_on_its_way_to_them(name: str) -> None:
    """What arrives after a failure leaves by links that are up, however many have failed."""
    network = deflection(name, link_up=True, ejections=1)
    topology, hop = network.topology, network.hop_cycles
    run, rng = Watched(network, 0.9, 100, seed=7), np.random.default_rng(1)
    model = run.model
    node, port = np.nonzero(topology.neighbour >= 0)
    lost: list[int] = []
    told = [model.link_up.copy()] * (hop + 1)
    while run.now < 100:
        for i in np.flatnonzero(rng.random(len(node)) < 0.02).tolist():
            fail(model, node[i], port[i], up=rng.random() < 0.4)
        told = [*told[1:], model.link_up.copy()]
        run.cycle()
        lost += model.dropped.tolist()
        leaving = model.links.valid
        wiring = model.wiring
        # They arrived `hop` cycles ago, when routers had been told a cycle before.
        assert told[-hop - 1][wiring.node, wiring.output][leaving].all()
    assert len(lost) == len(set(lost)) == model.lost.sum() > 0
    assert (model.lost < 255).all()
    delivered = run.terminals.delivered >= 0
    assert not delivered[lost].any()
    out = delivered.sum() + len(model.ejected.tag)
    assert (run.entered >= 0).sum() == out + len(lost) + model.flits
    assert run.terminals.faults == []


def test_new_entries_bring_flits_round_a_failed_link() -> None:
    """They bring flits round a link whose own table would send them back to it for ever."""
    network = deflection("petersen", link_up=True)
    left = {False: 0, True: 0}
    for rewriting in left:
        run = Watched(network, 0.05, 600, seed=2)
        model = run.model
        fail(model, 0, 0)
        entries = new_entries(network, f"link:0-{network.topology.neighbour[0, 0]}")
        assert len({entry.node for entry in entries}) > 2
        links, waiting = 3, entries if rewriting else []
        while run.now < 900:
            node = [entry for entry in waiting if entry.node == run.now % 10][:1]
            for entry in node:
                waiting.remove(entry)
                parts = entry.value & 7, entry.value >> links & 3
                model.writes = Writes(*np.array([[entry.node, entry.destination, *parts]]).T)
            run.cycle()
            assert not len(model.dropped)
        assert run.terminals.faults == []
        left[rewriting] = int((run.terminals.delivered[run.terminals.expected] < 0).sum())
        graph = nx.Graph(
            (v, w) for v, row in enumerate(network.topology.neighbour.tolist()) for w in row
        )
        graph.remove_edge(0, int(network.topology.neighbour[0, 0]))
        hops = dict(nx.all_pairs_shortest_path_length(graph))
        far = [[min(hops[v][w], 3) for w in range(10)] for v in range(10)]
        assert (model.distance[:, :10].tolist() == far) is rewriting
    assert left[False] > left[True] == 0


def test_links_that_may_fail_need_a_way_back() -> None:
    with pytest.raises(ParameterError, match="need a way back at the same port, but node "):
        deflection("kautz", link_up=True)
