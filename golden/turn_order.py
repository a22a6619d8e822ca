"""Orders of links by the traffic of their turns, for paths that do not descend.

Annealing judges an order by all its paths, and so tries few orders of a large network. Here a link
is moved by what is next to it alone: by the traffic of the turns to and from it. Paths may descend,
at a *penalty* that grows from round to round. Their traffic, averaged over rounds, is the weight of
the turns, and each link goes where the turns that then ascend weigh most. So turns that few paths
need become descents, and paths learn to do without them. That is a search for a lightest feedback
arc set, with weights that follow the answer.

In the end only pairs without another path descend; the *share* of these pairs in the weights grows
as well.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.jit.compile import called

ROUNDS = 1_000
"""Rounds at most."""

WORK = 25_000_000
"""Links from all sources of all rounds, at most."""

SOURCES = 32
"""Sources of the paths of a round, at most; they are drawn anew for each."""

SHARES = 30, 60, 100
"""How often more a path that descends counts in the last round: of each order in turn."""

MILD, HARSH = 1.0, 60.0
"""Penalty of a descent in the first and in the last round, in hops."""

RECENT = 0.15
"""The part that the paths of a round have in the weights."""

CROWDED, MOST = 0.3, 16
"""A link of mean load is so much longer than 1; the excess grows as the square, to a multiple."""

BLUR = 0.02
"""Random lengths of links at most, which tell equal paths apart."""

FREE = -1e18
"""Less than any position."""


class Turns(NamedTuple):
    """Links, and the turns between them; orbits share their links, as in `LinkGraph`.

    Attributes
    ----------
    head : (nodes * degree,)
        The node to which each port leads, -1 where there is no link.
    shared : (nodes * degree,)
        The link of the order that this is: orbit * degree + port.
    ahead : (links, degree)
        The links that begin where a link ends, -1 behind the last.
    behind : (links, ports)
        The links that end where a link begins, -1 behind the last.
    """

    head: IntArray
    shared: IntArray
    ahead: IntArray
    behind: IntArray


class Search(NamedTuple):
    """The shortest paths from a source: by link its distance, the link before, and a queue."""

    distance: NDArray[np.float64]
    before: IntArray
    queue: IntArray
    queued: BoolArray
    last: IntArray


@called
def carry(
    sources: Any,
    terminals: Any,
    penalty: float,
    share: float,
    length: Any,
    position: Any,
    turns: Any,
    search: Any,
    flow: Any,
) -> None:
    """Add the traffic of shortest paths from some sources to all terminals to `flow`.

    Parameters
    ----------
    length : (nodes * degree,)
        Of each link.
    position : (links,)
        The place of each link of the order.
    flow : (links, degree + 1)
        By link, the traffic that goes on by each port, and all of its traffic.
    """
    links, degree = len(turns.head), flow.shape[1] - 1
    for source in sources:
        for link in range(links):
            search.distance[link] = np.inf
            search.queued[link] = False
        taken = put = 0
        for link in range(source * degree, source * degree + degree):
            if turns.head[link] >= 0:
                search.distance[link] = length[link]
                search.before[link] = -1
                search.queue[put] = link
                search.queued[link] = True
                put += 1
        while taken != put:
            link = search.queue[taken % links]
            taken += 1
            search.queued[link] = False
            there = turns.head[link]
            for after in range(there * degree, there * degree + degree):
                if turns.head[after] < 0 or turns.head[after] == link // degree:
                    continue
                distance = search.distance[link] + length[after]
                if position[turns.shared[after]] <= position[turns.shared[link]]:
                    distance += penalty
                if distance < search.distance[after]:
                    search.distance[after] = distance
                    search.before[after] = link
                    if not search.queued[after]:
                        search.queue[put % links] = after
                        search.queued[after] = True
                        put += 1
        for node in range(links // degree):
            search.last[node] = -1
        for link in range(links):
            node = turns.head[link]
            if node >= 0 and search.distance[link] < np.inf:
                last = search.last[node]
                if last < 0 or search.distance[link] < search.distance[last]:
                    search.last[node] = link
        for terminal in terminals:
            if terminal == source:
                continue
            traffic = 1.0
            link = search.last[terminal]
            while link >= 0:
                before = search.before[link]
                if before >= 0:
                    here, last = turns.shared[link], turns.shared[before]
                    if position[here] <= position[last]:
                        traffic = 1.0 + share
                link = before
            link = search.last[terminal]
            while link >= 0:
                before = search.before[link]
                flow[turns.shared[link], degree] += traffic
                if before >= 0:
                    flow[turns.shared[before], link % degree] += traffic
                link = before


@called
def place(links: Any, weight: Any, position: Any, turns: Any, noise: Any, where: Any) -> None:
    """Put each of the links, one after the other, where the turns that ascend weigh most.

    Parameters
    ----------
    weight : (links, degree + 1)
        By link, of the turns to each port.
    noise : (links, places)
        Is added to the weights of all places of a link: before all others, and after each of them.
    where : (links,)
        Where a link goes between its new neighbours, from 0 to 1.
    """
    degree = turns.ahead.shape[1]
    others = degree + turns.behind.shape[1]
    for link in links:
        best, low, high = FREE, 0.0, 0.0
        for at in range(-1, others):
            floor = FREE
            if at >= 0:
                other = turns.ahead[link, at] if at < degree else turns.behind[link, at - degree]
                if other < 0 or other == link:
                    continue
                floor = position[other]
            gain, ceiling, least = noise[link, at + 1], -FREE, -FREE
            for number in range(others):
                if number < degree:
                    other = turns.ahead[link, number]
                else:
                    other = turns.behind[link, number - degree]
                if other < 0 or other == link:
                    continue
                there = position[other]
                least = min(least, there)
                if there > floor:
                    ceiling = min(ceiling, there)
                    if number < degree:
                        gain += weight[link, number]
                elif number >= degree:
                    gain += weight[other, link % degree]
            if gain > best:
                best, low, high = gain, floor, ceiling
        if low == FREE:
            low = high - 1.0
        if high == -FREE:
            high = low + 1.0
        if not low < position[link] < high:
            position[link] = low + (high - low) * where[link]


def orders(
    neighbour: IntArray,
    orbit: IntArray,
    sources: IntArray,
    terminals: IntArray,
    degree: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> Iterator[IntArray]:
    """Yield orders by the traffic of turns: in each, paths that descend count more.

    Parameters
    ----------
    neighbour : (nodes * degree,)
        The node to which each port leads, -1 where there is no link.
    orbit : (nodes,)
        The orbit of each node.
    sources, terminals
        The first terminal of every orbit, and all terminals.
    progress
        Called with (rounds done, rounds to do), of all orders.
    """
    turns = _turns(neighbour, orbit, degree)
    some = min(SOURCES, len(sources))
    rounds = max(1, min(ROUNDS, WORK // (some * len(neighbour))))
    for number, share in enumerate(SHARES):

        def told(done: int, before: int = number * rounds) -> None:
            progress(before + done, len(SHARES) * rounds)

        rng = np.random.default_rng((seed, share))
        yield _order(turns, sources, terminals, share, rounds, rng, told)


def _turns(neighbour: IntArray, orbit: IntArray, degree: int) -> Turns:
    nodes, first = len(orbit), np.unique(orbit, return_index=True)[1]
    shared = (orbit[:, None] * degree + np.arange(degree)).ravel()
    links = len(first) * degree
    of_first = neighbour.reshape(nodes, degree)[first].ravel()
    ahead = np.full((links, degree), -1)
    exists = of_first >= 0
    ahead[exists] = orbit[of_first[exists], None] * degree + np.arange(degree)
    ahead[exists] = np.where(
        neighbour.reshape(nodes, degree)[of_first[exists]] >= 0, ahead[exists], -1
    )
    into: list[list[int]] = [[] for _ in range(nodes)]
    for link in np.flatnonzero(neighbour >= 0).tolist():
        into[neighbour[link]].append(int(shared[link]))
    behind = np.full((links, max(map(len, into))), -1)
    for number, node in enumerate(first.tolist()):
        behind[number * degree : (number + 1) * degree, : len(into[node])] = into[node]
    return Turns(neighbour, shared, ahead, behind)


def _order(
    turns: Turns,
    sources: IntArray,
    terminals: IntArray,
    share: float,
    rounds: int,
    rng: Generator,
    told: Callable[[int], None],
) -> IntArray:
    (links, degree), every = turns.ahead.shape, len(turns.head)
    search = Search(
        distance=np.empty(every),
        before=np.empty(every, np.int64),
        queue=np.empty(every, np.int64),
        queued=np.empty(every, np.bool_),
        last=np.empty(every // degree, np.int64),
    )
    used = np.unique(turns.shared[turns.head >= 0])
    position = rng.permutation(links).astype(np.float64)
    weight = np.zeros((links, degree + 1))
    some = min(SOURCES, len(sources))
    places = 1 + degree + turns.behind.shape[1]
    for number in range(rounds):
        told(number)
        done = number / rounds
        load = weight[:, degree]
        mean = load[used].mean() or 1.0
        excess = CROWDED * np.minimum((load / mean) ** 2, MOST)
        length = 1 + excess[turns.shared] + BLUR * rng.random(every)
        flow = np.zeros((links, degree + 1))
        carry(
            rng.choice(sources, some, replace=False),
            terminals,
            MILD * (HARSH / MILD) ** done,
            share * done,
            length,
            position,
            turns,
            search,
            flow,
        )
        part = RECENT if number else 1.0
        weight = (1 - part) * weight + part * flow
        heat = weight[:, :degree].mean() * (1 - done)
        noise = heat * rng.gumbel(size=(links, places))
        place(rng.permutation(used), weight, position, turns, noise, rng.random(links))
        position[np.argsort(position, kind="stable")] = np.arange(links)
    return used[np.argsort(position[used])]
