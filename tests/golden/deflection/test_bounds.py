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
import pytest

from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from tests.golden.model.test_deflection import Flit, Slow

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


LONG = pytest.param("triangle", marks=[pytest.mark.regress])


@pytest.mark.parametrize("name", ["line of 3", LONG])
def test_old_flits_are_gone_after_as_many_hops_as_proven(name: str) -> None:
    network = small(name)
    states = Hops(network).reachable()
    hops = longest(lambda state: filter(old, states[state]), filter(old, states))
    # A path of so many steps has one state more, and in each there is an old flit.
    assert 0 < (hops + 1) * network.hop_cycles <= network.drain_cycles


@pytest.mark.parametrize("name", ["line of 3", LONG])
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
