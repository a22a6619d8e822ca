"""The bounds of deflection routers in all states that small networks can get into.

A class of flits that meet is explored by itself, hop by hop, with any injection: it has at most
one flit on each link. The switches are those of the independent simulation of
`tests.golden.model.test_deflection`, which sees that they are those of the model.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.detours import new_entries
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.traffic import Traffic
from tests.golden.model.test_deflection import Flit, Slow
from tests.networks import deflection, only

NETWORKS: dict[str, dict[str, Any]] = {
    "line of 3": {"family": "grid", "sizes": [3]},
    "triangle": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]},
}

One = tuple[bool, int, int]  # old, key, destination
State = tuple[One | None, ...]  # by link, in the order of nodes and slots
Outcome = tuple[bool, tuple[tuple[int, One], ...]]  # whether a flit went in; by link, what leaves


@dataclass
class Hops:
    """What can become of a class of flits in a hop."""

    network: DeflectionNetwork
    known: dict[Hashable, list[Outcome]] = field(default_factory=dict)

    @cached_property
    def slow(self) -> Slow:
        return Slow(self.network)

    @cached_property
    def inputs(self) -> list[list[tuple[int, int]]]:
        kinds = enumerate(self.network.topology.node_type)
        return [[(v, port) for port in self.network.pairings[kind].inputs] for v, kind in kinds]

    @cached_property
    def link(self) -> dict[tuple[int, int], int]:
        return {at: i for i, at in enumerate(at for row in self.inputs for at in row)}

    def at(self, node: int, arriving: State, offers: Iterable[int | None]) -> list[Outcome]:
        """Return what can come of the flits that arrive at a node, if it injects one of these."""
        key = node, arriving, tuple(offers)
        if key not in self.known:
            self.known[key] = list({self._one(node, arriving, offer) for offer in key[2]})
        return self.known[key]

    def _one(self, node: int, arriving: State, offer: int | None) -> Outcome:
        network, topology = self.network, self.network.topology
        slots = [flit and Flit(0, flit[1], flit[2], 0, old=flit[0]) for flit in arriving]
        links = len(slots)
        for port in range(network.ejections):
            share = [i for i in range(links) if i * network.ejections // links == port]
            home = [(not flit.old, i) for i in share if (flit := slots[i]) and flit.key == 0]
            if home:
                slots[min(home)[1]] = None
        free = [i for i in range(links) if network.enters(i) and slots[i] is None]
        enters = bool(free) and offer is not None
        if enters:
            slots[free[0]] = Flit(0, self.slow.most, offer, 0)  # type: ignore[arg-type]
        outputs = network.pairings[topology.node_type[node]].outputs
        found = []
        for port, flit in sorted(self.slow._switched(node, outputs, slots).items()):
            left = flit.distance - 1 if port in flit.wanted else flit.distance + 1
            there = int(topology.neighbour[node, port]), int(topology.arrival_port[node, port])
            one = flit.old, min(left, self.slow.most), flit.destination
            found.append((self.link[there], one))
        return enters, tuple(found)

    def after(
        self, state: State, offers: Callable[[int], Iterable[int | None]]
    ) -> Iterator[tuple[State, list[int]]]:
        """Return what can come of a state, and the nodes that injected."""
        parts, start = [], 0
        for node, row in enumerate(self.inputs):
            parts.append(self.at(node, state[start : start + len(row)], offers(node)))
            start += len(row)
        for every in product(*parts):
            then: list[One | None] = [None] * len(state)
            for _, leaves in every:
                for link, one in leaves:
                    then[link] = one
            yield tuple(then), [node for node, (entered, _) in enumerate(every) if entered]

    def anything(self, node: int) -> Iterable[int | None]:
        return (None, *range(self.network.topology.nodes))

    def reachable(self) -> dict[State, set[State]]:
        """Return all states, and what follows each; an epoch ends only when no old flit is left."""
        start: State = (None,) * len(self.link)
        found, todo = dict[State, set[State]](), [start]
        while todo:
            state = todo.pop()
            if state in found:
                continue
            found[state] = {then for then, _ in self.after(state, self.anything)}
            if not old(state):
                found[state].add(older(state))
            todo += found[state]
        return found


def old(state: State) -> bool:
    return any(one and one[0] for one in state)


def older(state: State) -> State:
    return tuple(one and (True, *one[1:]) for one in state)


def longest(follows: Callable[[Any], Iterable[Any]], starts: Iterable[Any]) -> int:
    """Return the steps of the longest path; networkx refuses a graph that has a cycle."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    todo = [*starts]
    graph.add_nodes_from(todo)
    while todo:
        state = todo.pop()
        for then in follows(state):
            if then not in graph:
                todo.append(then)
            graph.add_edge(state, then)
    return nx.dag_longest_path_length(graph)


def small(name: str) -> DeflectionNetwork:
    topology = NETWORKS[name]
    router = {"kind": "deflection", "ejections": 1, "injection": "half"}
    return build_deflection({"name": "x", "topology": topology, "router": router})


TRIANGLE = pytest.param("triangle", marks=[pytest.mark.regress])


@pytest.mark.parametrize("name", ["line of 3", TRIANGLE])
def test_old_flits_are_gone_after_as_many_hops_as_proven(name: str) -> None:
    network = small(name)
    states = Hops(network).reachable()
    hops = longest(lambda state: filter(old, states[state]), filter(old, states))
    # A path of so many steps has one state more, and in each there is an old flit.
    assert 0 < (hops + 1) * network.hop_cycles <= network.drain_cycles


@pytest.mark.parametrize("name", ["line of 3", TRIANGLE])
def test_pending_terminals_inject_after_as_many_hops_as_proven(name: str) -> None:
    """Any terminals are pending, any flits are in the network, and the others are stopped."""
    network = small(name)
    hops, nodes = Hops(network), network.topology.nodes

    def follows(each: tuple[State, frozenset[int]]) -> Iterator[tuple[State, frozenset[int]]]:
        state, pending = each
        if pending:
            offers = [range(nodes) if node in pending else (None,) for node in range(nodes)]
            for then, served in hops.after(state, offers.__getitem__):
                left = pending.difference(served)
                if left:
                    yield then, left
                    if not old(then):
                        yield older(then), left

    every = [frozenset(v for v in range(nodes) if bits >> v & 1) for bits in range(1, 1 << nodes)]
    found = longest(follows, product(hops.reachable(), every))
    assert 0 < found + 1 <= (network.links + nodes + 1) * network.destinations.diameter


LONG = 30
"""Hops after which a flit goes round for ever; the routes here have at most eight."""


def failing(network: DeflectionNetwork, ends: list[tuple[int, int]]) -> Deflection:
    """A model of which the links at some ports have failed, with new entries in its tables."""
    topology, model = network.topology, Deflection(network, [Traffic(network, 1.0, 1)])
    model.runs[0].stop()
    up = np.ones_like(topology.neighbour)
    for node, port in ends:
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        up[node, port] = up[there] = 0
    told = {"link_up": up @ (1 << np.arange(topology.degree))}
    model.tell(told)
    waiting = new_entries(
        network, ",".join(f"link:{v}-{topology.neighbour[v, p]}" for v, p in ends)
    )
    nodes = np.arange(topology.nodes)
    assert len({entry.node for entry in waiting}) > 2
    for entry in waiting:  # one in each cycle
        write = {"table_write": nodes == entry.node}
        write["table_destination"] = np.full_like(nodes, entry.destination)
        write["table_entry"] = np.full_like(nodes, entry.value)
        model.tell(told | write)
        model.run(1)
    model.tell(told | {"table_write": np.zeros_like(nodes)})
    model.run(network.hop_cycles)  # until routers know
    return model


def never_arrive(model: Deflection) -> list[tuple[int, int]]:
    """The pairs of terminals between which a flit that meets no other goes round for ever."""
    network, arrays, found = model.network, model.arrays, []
    terminals = network.topology.terminals.tolist()
    for source in terminals:
        for number, terminal in enumerate(terminals):
            packet = int(np.searchsorted(model.runs[0].traffic.source, source))
            arrays.packets[packet] = (0, 0, -1, -1, terminal, number, True)
            arrays.terminals.packet[0, source] = packet
            arrays.terminals.end[0, source] = packet + 1
            arrays.terminals.due[0, source] = 0
            arrays.clock["outstanding"] = 1
            model.run(network.hop_cycles * LONG, until_delivered=True)
            if not model.runs[0].all_delivered:
                found.append((source, terminal))
                arrays.routers.links["valid"] = False
                for register in ("arrived", "ranked", "switched"):
                    arrays.routers.router[register] = 0
    return found


CASES = {
    "borel, a link of A": ("borel", [(2, 0)]),
    "borel, a link of B": ("borel", [(2, 1)]),
    "borel, three": ("borel", [(0, 0), (7, 1), (12, 0)]),
    "torus, two at a node": ("torus", [(5, 0), (5, 2)]),
    "mesh, at the border": ("mesh", [(0, 0)]),
    "petersen, two": ("petersen", [(0, 0), (6, 1)]),
    "uneven": ("uneven", [(0, 0)]),
    "kyklos": ("kyklos", [(0, 0)]),
}


@pytest.mark.parametrize("case", only(["borel, a link of A", "petersen, two"], CASES))
def test_a_flit_alone_arrives(case: str) -> None:
    name, ends = CASES[case]
    network = deflection(name, link_up=True)
    assert never_arrive(failing(network, ends)) == []


def test_what_has_no_detour_is_refused() -> None:
    """What comes to node 1 by the only link of 2 cannot leave it by another than that."""
    with pytest.raises(ParameterError, match="way for every flit past these faults, but one from"):
        new_entries(deflection("petersen", link_up=True), "link:1-6,link:2-7,link:2-3")


def test_tables_that_cannot_be_written_have_no_entries() -> None:
    with pytest.raises(ParameterError, match="deflection routers with link_up: true, not"):
        new_entries(deflection("petersen"), "link:0-1")
