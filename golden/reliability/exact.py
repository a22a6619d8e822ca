"""Exact survival reliability: Theorem 2.1 for the DDLCN, or a sweep that remembers its frontier.

The sweep takes one node after the other. A node is in the frontier while it has links to nodes
still to come. Of what lies behind the frontier nothing need be remembered but the reachability
that it gives to the frontier nodes: a node may leave the frontier if it reaches another living
frontier node and is reached from one, and is then as well connected as they will be. The last one
to leave closes the set of survivors. A ring of n nodes with short steps has a frontier of a few
nodes at both ends of the sweep, so the time is O(n).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.reliability.links import Chance, Links, double_loop, links, narrowest
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop

LONGEST = 5_000
"""More nodes than this are not swept: with many states it would take minutes."""


def ddlcn(n: int, node: Chance, a: Chance, b: Chance) -> Any:
    """Return R(n, 1, n-1), that of the DDLCN, by Eq. (2.1) of Hwang & Wright, Theorem 2.1.

    Survival means that at least two nodes survive, and the survivors are strongly connected: the
    sum stops at k = n-2, so a single survivor does not count.

    Parameters
    ----------
    n : int
        At least 2.
    node, a, b : (works, fails)
        Probabilities of a node, of an a-link, of a b-link.
    """
    (p, q), (p_a, q_a), (p_b, q_b) = node, a, b
    block = sum(q**k * p ** (n - k) * (p_a * p_b) ** (n - k - 1) for k in range(1, n - 1))
    whole = p_a**n + p_b**n - (p_a * p_b) ** n + n * q_a * q_b * (p_a * p_b) ** (n - 1)
    return n * block + p**n * whole


def exact(topology: Topology, node: Chance, link: Sequence[Chance]) -> tuple[str, Any] | None:
    """Return a method and the survival reliability that it finds, None if no method serves.

    Parameters
    ----------
    topology : Topology
    node : (works, fails)
        Probabilities of a node: numbers, or arrays of one shape for a curve.
    link : sequence of (works, fails)
        The same of the links, by out-port.
    """
    match topology:
        case DoubleLoop():
            return _double_loop(topology.nodes, topology.a, topology.b, node, link)
        case DirectedChordalRing() if topology.w != topology.nodes - 1:
            # An even node has one link out, to the odd node after it, which has no other link in:
            # a pair survives if both and the link between them do, and must not survive in part.
            # So it is a node of a double loop; ring link and chord lead from pair to pair.
            (p, q), (p_a, _) = node, link[0]
            pair = p**2 * p_a, q**2
            found = _double_loop(topology.nodes // 2, 1, (topology.w + 1) // 2, pair, link)
            return found and (f"chordal ring as double loop, {found[0]}", found[1])
        case _:
            if len(topology.terminal_nodes) < topology.nodes:
                return None  # nodes without a terminal need not be reached
            return _sweep(links(topology), node, link)


def _double_loop(
    n: int, a: int, b: int, node: Chance, link: Sequence[Chance]
) -> tuple[str, Any] | None:
    if (a + b) % n == 0:  # then a is a unit modulo n: DL(n; 1, n-1), renumbered
        return "theorem 2.1", ddlcn(n, node, *link)
    return _sweep(double_loop(n, *narrowest(n, a, b)), node, link)


def _sweep(links: Links, node: Chance, link: Sequence[Chance]) -> tuple[str, Any] | None:
    if links.nodes > LONGEST:
        return None
    try:
        return "frontier sweep", sweep(links, node, link)
    except TooWideError:
        return None


WIDEST = 7
"""With more frontier nodes there would be too many states."""

BUDGET = 1_000_000
"""States whose moves are worked out before the sweep gives up, some seconds later. Seven nodes can
have 9 million reachability relations; DL(n; 1, 3) makes use of 35,000, whatever n."""

State = tuple[int, ...]
"""Survivors so far (2 stands for more), then for each frontier node the bit mask of those that it
reaches, itself included; 0 if it is dead."""

Outcome = tuple[State | None, ...]
"""The states when it works and when it fails; None if survival is out of the question."""


@dataclass(frozen=True)
class _Birth:
    """The next node joins the frontier, alive or dead."""

    def outcome(self, state: State) -> Outcome:
        survivors, *reach = state
        closed = survivors > 0 and not any(reach)
        alive = (min(survivors + 1, 2), *reach, 1 << len(reach))
        return None if closed else alive, (*state, 0)


@dataclass(frozen=True)
class _Link:
    """A link joins two frontier nodes, if it works and they live."""

    start: int
    end: int
    kind: int
    both_ways: bool

    def outcome(self, state: State) -> Outcome:
        survivors, *reach = state
        if reach[self.start] and reach[self.end]:
            ends = [(self.start, self.end)]
            for start, end in ends + [(self.end, self.start)] * self.both_ways:
                gain = reach[end]
                reach = [mask | gain if mask >> start & 1 else mask for mask in reach]
        return (survivors, *reach), state


@dataclass(frozen=True)
class _Leave:
    """A node without links to come leaves the frontier."""

    slot: int

    def outcome(self, state: State) -> Outcome:
        survivors, *reach = state
        mine, bit = reach.pop(self.slot), 1 << self.slot
        if mine and any(reach) and (mine == bit or not any(mask & bit for mask in reach)):
            return (None,)
        low = bit - 1
        return ((survivors, *((mask & low) | (mask & ~low & ~bit) >> 1 for mask in reach)),)


Move = _Birth | _Link | _Leave


class TooWideError(ValueError):
    """The frontier has too many states."""


class _Step(NamedTuple):
    """A move in all states: weight goes from `source` to `target` with chance `which`."""

    source: IntArray
    target: IntArray
    which: IntArray
    after: tuple[State, ...]


def width(links: Links) -> int:
    """Return the number of nodes in the frontier, the newest included, where it is widest."""
    last = _last(links)
    change = np.zeros(links.nodes + 1, np.int64)
    np.add.at(change, np.arange(links.nodes), 1)
    np.add.at(change, last + 1, -1)
    return int(change.cumsum().max())


def sweep(links: Links, node: Chance, link: Sequence[Chance]) -> Any:
    """Return the probability that two or more nodes survive, strongly connected.

    Parameters
    ----------
    links : Links
        Their nodes are swept in rising order.
    node : (works, fails)
        Probabilities of a node: numbers, or arrays of one shape for a curve. Fractions stay exact.
    link : sequence of (works, fails)
        The same for each kind of link.

    Raises
    ------
    TooWideError
        If the frontier is too wide.
    """
    if width(links) > WIDEST:
        raise TooWideError(f"Sweep needs a frontier of at most {WIDEST} nodes, not {width(links)}")
    values = np.stack(np.broadcast_arrays(*node, *(value for pair in link for value in pair)))
    of_node, *of_link = values.reshape(len(link) + 1, 2, *values.shape[1:])
    certain = np.ones_like(of_node[:1])

    states: tuple[State, ...] = ((0,),)
    number = {states: 0}  # of every set of states; in a long ring they soon repeat
    weight: NDArray[Any] = certain
    here, looked_at = 0, 0
    steps: dict[tuple[Move, int], tuple[_Step, int]] = {}
    for move in _moves(links):
        if (move, here) not in steps:
            looked_at += len(states)
            if looked_at > BUDGET:
                raise TooWideError(f"Sweep needs a frontier with at most {BUDGET} states in all")
            step = _step(move, states)
            steps[move, here] = step, number.setdefault(step.after, len(number))
        step, here = steps[move, here]
        match move:
            case _Birth():
                chance = of_node
            case _Link():
                chance = of_link[move.kind]
            case _Leave():
                chance = certain
        states, before = step.after, weight
        weight = np.zeros((len(states), *before.shape[1:]), before.dtype)
        np.add.at(weight, step.target, before[step.source] * chance[step.which])
    return weight[[state == (2,) for state in states]].sum(axis=0)


def _last(links: Links) -> IntArray:
    """Return for each node the last node to which it has a link or which has a link to it."""
    last = np.arange(links.nodes)
    np.maximum.at(last, links.start, links.end)
    np.maximum.at(last, links.end, links.start)
    return last


def _moves(links: Links) -> Iterator[Move]:
    """Yield the moves of the sweep; nodes are named by their places in the frontier."""
    last = _last(links)
    later = np.maximum(links.start, links.end)
    order = np.argsort(later, kind="stable")
    bounds = np.searchsorted(later[order], np.arange(links.nodes + 1))
    frontier: list[int] = []
    for node in range(links.nodes):
        frontier.append(node)
        yield _Birth()
        for which in order[bounds[node] : bounds[node + 1]]:
            start, end = (frontier.index(end) for end in (links.start[which], links.end[which]))
            yield _Link(start, end, int(links.kind[which]), links.both_ways)
        for slot in reversed(range(len(frontier))):
            if last[frontier[slot]] <= node:
                del frontier[slot]
                yield _Leave(slot)


def _step(move: Move, states: tuple[State, ...]) -> _Step:
    ways = [
        (source, which, state)
        for source, before in enumerate(states)
        for which, state in enumerate(move.outcome(before))
        if state is not None
    ]
    after = tuple(sorted({state for _, _, state in ways}))
    place = {state: target for target, state in enumerate(after)}
    source, which, target = np.array([(s, w, place[state]) for s, w, state in ways]).T
    return _Step(source, target, which, after)
