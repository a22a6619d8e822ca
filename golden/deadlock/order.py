"""Orders of the nodes, and the turns at which they move a packet to the next virtual channel.

Put the nodes in a total order. A packet may climb and then descend on one virtual channel. A node
that a packet enters from above and leaves upwards is a valley of its route: there it moves to the
next channel. Within a channel the links thus have an order: upward links by rising start, then
downward links by falling start. So 1 + (most valleys of a route) channels suffice for any routing,
on any network. Often fewer do, because the last channel takes every later valley too.

Simulated annealing searches for an order of the nodes that needs few virtual channels. The state is
the ranks of all classes of nodes. A move swaps two ranks, or moves one class to another rank. The
energy counts the valleys of a sample of routes; it falls with the channels that are needed and
costs a fraction of their proof, so the proof is made of promising states only. The temperature
falls quadratically with the steps.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import Routes, hops, walk
from fingerpost.golden.topology.base import Topology


def rank_classes(routing: Routing) -> IntArray:
    """Return the class of each node, shape (nodes,): nodes of a class share a rank.

    Classes are the routing's orbits, if no link joins two nodes of one orbit; else every node is a
    class of its own. Orbits keep the proof small and the routers of an orbit alike.
    """
    neighbour, orbit = routing.topology.neighbour, routing.orbit
    inside = (orbit[neighbour] == orbit[:, None]) & (neighbour >= 0)
    return np.arange(len(orbit)) if inside.any() else orbit


def heights(routing: Routing, ranks: IntArray) -> IntArray:
    """Return the height of every node, shape (nodes,), for the ranks of all classes.

    Raises
    ------
    ParameterError
        If `ranks` is not a permutation of 0..(classes - 1).
    """
    of_node = rank_classes(routing)
    count = int(of_node.max()) + 1
    if sorted(ranks.tolist()) != list(range(count)):
        what = "nodes" if count == len(of_node) else "classes"
        raise ParameterError(
            "channel_order",
            f"Channel order needs each of 0..{count - 1} once, the ranks of the {count} {what}",
            section="router",
        )
    return ranks[of_node]


def valleys(topology: Topology, height: IntArray) -> BoolArray:
    """Return the turns from above and up again, as `Channels.vc_increments`.

    Parameters
    ----------
    topology : Topology
    height : (nodes,) array
        Neighbours differ.

    Raises
    ------
    ParameterError
        If there is not one height for each node, or neighbours are equally high.
    """
    if height.shape != (topology.nodes,):
        raise ParameterError(
            "channel_order",
            f"Channel order needs one height for each of {topology.nodes} nodes, "
            f"not shape {height.shape}",
            section="router",
        )
    neighbour, origin = topology.neighbour, topology.origin
    level = (height[neighbour] == height[:, None]) & (neighbour >= 0)
    if level.any():
        node, port = np.argwhere(level)[0].tolist()
        raise ParameterError(
            "channel_order",
            f"Channel order needs neighbours of different height, not "
            f"{height[node]} at both node {node} and node {neighbour[node, port]}",
            section="router",
        )
    from_above = (height[origin] > height[:, None]) & (origin >= 0)
    to_above = (height[neighbour] > height[:, None]) & (neighbour >= 0)
    increments = np.zeros((topology.nodes, topology.degree + 1, topology.degree + 1), np.bool_)
    increments[:, :-1, :-1] = from_above[:, :, None] & to_above[:, None, :]
    return increments


STEPS = 2000
"""Steps of the search for a network whose file has no order."""

LARGEST_WORK = 3_000_000_000
"""Steps of states that the proofs of `STEPS` steps look at: then the search ends, after about a
minute. No search on fewer than 1.5 million states comes to it."""

LARGE = 1_500_000
"""Routes above which ranks are proven at the end only, as a proof takes as long as thousands of
steps."""

SAMPLE = 30_000
"""Routes of which the energy is made; the proof looks at all."""

CHUNK = 1 << 18
"""Routes that are measured at once."""

VALLEY_WEIGHT = 20.0
"""Weight of a route relative to that of one with a valley less."""

SWAP_PROBABILITY = 0.5
"""Of a move: that it swaps two ranks, and does not move one class."""

ORDERED = 2
"""The least number of channels that an order makes enough where one channel is not."""

COOLING, END_TEMPERATURE = 0.2, 0.012
"""How far the temperature falls, and to what, in units of energy."""

PROOF_MARGIN = 0.1
"""A state is proven if its energy is less than the lowest so far plus this."""

Progress = Callable[[int, int], None]
"""Called with the steps that are done and to do."""


def silent(done: int, total: int) -> None:
    """Report no progress."""


def search(
    routing: Routing,
    *,
    steps: int = STEPS,
    seed: int = 0,
    target: int = 1,
    start: IntArray | None = None,
    progress: Progress = silent,
) -> tuple[IntArray, int]:
    """Return the best ranks that are found, and the virtual channels that they need.

    The search begins with the ranks `start`, or with random ones, and returns none that need more
    channels than these. It ends early when `target` channels are enough, or 2: where all packets
    share one channel the order makes no difference. Above `LARGE` routes it makes all steps, and
    proves only the ranks of the lowest energy. The result depends on the arguments only.
    `progress` is called with (steps done, steps to do).

    Raises
    ------
    ParameterError
        If `start` is not a permutation of 0..(classes - 1).
    """
    if start is not None:
        heights(routing, start)
    rng = np.random.default_rng(seed)
    orders = _Orders(routing, rng)
    ranks = rng.permutation(orders.count) if start is None else start
    energy = lowest = orders.energy(ranks)
    if orders.routes > LARGE:
        return _search_unproven(orders, ranks, start, steps, rng, progress)
    best, needed = ranks, orders.needed(ranks)
    work = LARGEST_WORK * max(steps, STEPS) / STEPS
    for step in range(steps):
        if needed <= max(target, ORDERED) or orders.work > work:
            break
        progress(step, steps)
        trial = _move(ranks, rng)
        trial_energy = orders.energy(trial)
        if not _is_accepted(trial_energy - energy, _temperature(step / steps), rng):
            continue
        ranks, energy = trial, trial_energy
        if energy < lowest + PROOF_MARGIN:
            lowest = min(lowest, energy)
            if orders.suffices(ranks, needed - 1):
                best, needed = ranks, orders.needed(ranks)
    return best, needed


def _search_unproven(
    orders: "_Orders",
    ranks: IntArray,
    start: IntArray | None,
    steps: int,
    rng: Generator,
    progress: Progress,
) -> tuple[IntArray, int]:
    """Return the ranks of the lowest energy, or `start` if that needs no more channels; and these.

    Both are proven, at the end.
    """
    best, energy = ranks, orders.energy(ranks)
    lowest = energy
    for step in range(steps):
        progress(step, steps)
        trial = _move(ranks, rng)
        trial_energy = orders.energy(trial)
        if _is_accepted(trial_energy - energy, _temperature(step / steps), rng):
            ranks, energy = trial, trial_energy
            if energy < lowest:
                best, lowest = ranks, energy
    needed = orders.needed(best)
    if start is None or best is start:
        return best, needed
    before = orders.needed(start)
    return (best, needed) if needed < before else (start, before)


def _move(ranks: IntArray, rng: Generator) -> IntArray:
    """Return other ranks: two are swapped, or one class moves and those between give way."""
    moved = ranks.copy()
    i, j = rng.integers(len(ranks), size=2)
    if rng.random() < SWAP_PROBABILITY:
        moved[i], moved[j] = ranks[j], ranks[i]
    else:
        by_rank = np.argsort(ranks)
        moved[np.insert(np.delete(by_rank, i), j, by_rank[i])] = np.arange(len(ranks))
    return moved


def _temperature(done: float) -> float:
    """Return the temperature when a part `done` in 0..1 of the steps is done."""
    return COOLING * (1 - done) ** 2 + END_TEMPERATURE


def _is_accepted(rise: float, temperature: float, rng: Generator) -> bool:
    """Apply the Metropolis criterion: a rise of the energy is accepted with some probability."""
    return rise < 0 or bool(rng.random() < np.exp(-rise / temperature))


class _Orders:
    """The orders of a network's classes: their energy, and the channels that they need.

    Parameters
    ----------
    routing : Routing
    rng : Generator
        Draws the sample of routes, if there are more than `SAMPLE`.

    Attributes
    ----------
    count, routes : int
        The classes, and the routes from one terminal of each orbit to all nodes.
    work : int
        Steps of states that all proofs have looked at.
    """

    def __init__(self, routing: Routing, rng: Generator) -> None:
        self.routing, self.classes = routing, rank_classes(routing)
        self.count, self.work = int(self.classes.max()) + 1, 0
        sources = np.unique(routing.orbit[routing.topology.terminal_nodes])
        self.routes = len(sources) * len(routing.destinations)
        self.sample = _sample(routing, self.classes, rng)
        self.path = self._paths()

    def _paths(self) -> IntArray:
        """Return the classes along the sampled routes, shape (nodes of the longest, routes).

        Behind its last hop a packet stays at its destination, and makes no valley there.
        """
        nodes, hops = self.sample.nodes, self.sample.hops
        is_behind = np.arange(nodes.shape[1]) > hops[:, None]
        destination = nodes[np.arange(len(nodes)), hops]
        return self.classes[np.where(is_behind, destination[:, None], nodes)].T.copy()

    def _valleys_of_routes(self, ranks: IntArray) -> NDArray[np.int16]:
        """Return the valleys of each sampled route."""
        height = ranks.astype(np.int32)[self.path]
        down, up = height[1:] < height[:-1], height[1:] > height[:-1]
        count: NDArray[np.int16] = np.sum(down[:-1] & up[1:], axis=0, dtype=np.int16)
        return count

    def energy(self, ranks: IntArray) -> float:
        """Return the logarithm of the weighted sum of the sampled routes by their valleys."""
        weight = VALLEY_WEIGHT ** np.arange(len(self.path) + 1)
        routes = np.bincount(self._valleys_of_routes(ranks), minlength=len(weight))
        return float(np.log(max(1.0, float(routes @ weight))))

    def needed(self, ranks: IntArray) -> int:
        """Return the least number of virtual channels that is proven to be enough."""
        return self._channels(ranks).needed

    def suffices(self, ranks: IntArray, channels: int) -> bool:
        """Return whether so many virtual channels are proven to be enough."""
        trial = self._channels(ranks)
        before = trial.states.looked
        enough = trial.order_suffices(channels)
        self.work += trial.states.looked - before
        return enough

    def _channels(self, ranks: IntArray) -> Channels:
        return Channels(self.routing, valleys(self.routing.topology, ranks[self.classes]))


def _sample(routing: Routing, orbit: IntArray, rng: Generator) -> Routes:
    """Return routes of two hops and more from the first terminal of every orbit, not all if many.

    Chance decides on the way of each packet anew, so all are followed together there.
    """
    terminals, every = routing.topology.terminal_nodes, routing.destinations
    sources = terminals[np.unique(orbit[terminals], return_index=True)[1]]
    source, destination = np.repeat(sources, len(every)), np.tile(every, len(sources))
    step = len(source) if routing.selection else CHUNK
    length = np.zeros(len(source), np.int64)
    for begin in range(0, len(source), step):
        some = slice(begin, begin + step)
        for packet, *_ in hops(routing, source[some], destination[some]):
            length[begin + packet] += 1
    rows = np.flatnonzero(length > 2)  # decisions: the last one delivers the packet
    if len(rows) > SAMPLE:
        rows = rng.choice(rows, SAMPLE, replace=False)
    if routing.selection:
        return Routes(*(part[rows] for part in walk(routing, source, destination)))
    return walk(routing, source[rows], destination[rows])
