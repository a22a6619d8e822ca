"""Orders of the nodes, the increments that they make, and the search for few channels.

Put the nodes in a total order. A packet may climb and then descend on one virtual channel; where
it came from above and goes up again, at a valley, it moves to the next channel. Within a channel
the links thus come in an order (upward links by rising start, then downward links by falling
start), so 1 + (most valleys of a route) channels are enough for any routing, on any network.
Often fewer are, where the last channel takes every later valley too.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from golden.arrays import BoolArray, IntArray
from golden.deadlock.channels import Channels, representative_routes
from golden.parameters import ParameterError
from golden.routing.base import Routing
from golden.routing.walk import Routes
from golden.topology.base import Topology

__all__ = ["STEPS", "expand", "search", "units", "valleys"]

STEPS = 2000
"""Of the search for a network whose file has no order."""

SAMPLE = 30_000
"""Routes that one step of the search looks at; the proof afterwards looks at all."""


def units(routing: Routing) -> IntArray:
    """Return what an order ranks, as a unit for each node: the orbits, or else the nodes.

    The routing's orbits keep the proof small and the routers of an orbit alike. They can be
    ranked if no link stays within one.
    """
    neighbour, orbit = routing.topology.neighbour, routing.orbit
    inside = (orbit[neighbour] == orbit[:, None]) & (neighbour >= 0)
    return np.arange(len(orbit)) if inside.any() else orbit


def expand(routing: Routing, ranks: IntArray) -> IntArray:
    """Return the height of every node for the ranks of all units.

    Raises
    ------
    ValueError
        If `ranks` is not a permutation of 0..(units - 1).
    """
    unit = units(routing)
    count = int(unit.max()) + 1
    if sorted(ranks.tolist()) != list(range(count)):
        what = "nodes" if count == len(unit) else "classes"
        raise ParameterError(
            "channel_order",
            f"Channel order needs each of 0..{count - 1} once, the ranks of the {count} {what}",
            section="router",
        )
    return ranks[unit]


def valleys(topology: Topology, height: IntArray) -> BoolArray:
    """Return the increments from above and up again; shape (nodes, degree + 1, degree + 1).

    Raises
    ------
    ValueError
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


def search(
    routing: Routing,
    *,
    steps: int = STEPS,
    seed: int = 0,
    target: int = 1,
    start: IntArray | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[IntArray, int]:
    """Return the best ranks found by simulated annealing, and the channels that they need.

    Begins with the ranks `start`, or by chance, and finds none that need more channels than these.
    Ends early when `target` channels are enough. The result depends on the arguments only.
    `progress` is called with (steps done, steps to do).

    Raises
    ------
    ValueError
        If `start` is not a permutation of 0..(units - 1).
    """
    if start is not None:
        expand(routing, start)
    topology = routing.topology
    unit = units(routing)
    count = int(unit.max()) + 1
    rng = np.random.default_rng(seed)
    routes = representative_routes(routing, unit)
    rows = np.flatnonzero(routes.hops > 1)
    if len(rows) > SAMPLE:
        rows = rng.choice(rows, SAMPLE, replace=False)
    sample = Routes(*(part[rows] for part in routes))
    # Behind its last hop a packet stays where it is, and makes no valley there.
    stays = np.arange(sample.nodes.shape[1]) > sample.hops[:, None]
    last = sample.nodes[np.arange(len(rows)), sample.hops]
    path = unit[np.where(stays, last[:, None], sample.nodes)].T.copy()
    weight = 20.0 ** np.arange(len(path) + 1)

    every = None if routing.selection else routes  # chance may lead elsewhere: then all is explored

    def crossed(ranks: IntArray) -> NDArray[np.int16]:
        height = ranks.astype(np.int32)[path]
        down, up = height[1:] < height[:-1], height[1:] > height[:-1]
        count: NDArray[np.int16] = np.sum(down[:-1] & up[1:], axis=0, dtype=np.int16)
        return count

    def cost(ranks: IntArray) -> float:
        total = float(np.bincount(crossed(ranks), minlength=len(weight)) @ weight)
        return float(np.log(max(1.0, total)))

    def needed(ranks: IntArray) -> int:
        return Channels(routing, valleys(topology, ranks[unit]), every).needed

    def suffice(channels: int, ranks: IntArray) -> bool:
        # The sample refutes most orders at a fraction of the cost. Only on the last channel can
        # links be taken out of order, and most routes do not come to it.
        increments = valleys(topology, ranks[unit])
        last = crossed(ranks) >= channels - 1
        some = Routes(*(part[last] for part in sample))
        return all(
            Channels(routing, increments, given).is_free_of_deadlock(channels)
            for given in (some, every)
        )

    ranks = rng.permutation(count) if start is None else start
    now = low = cost(ranks)
    best, fewest = ranks, needed(ranks)
    for step in range(steps):
        if fewest <= target:
            break
        progress(step, steps)
        temperature = 0.2 * (1 - step / steps) ** 2 + 0.012
        trial = ranks.copy()
        i, j = rng.integers(count, size=2)
        if rng.random() < 0.5:
            trial[i], trial[j] = ranks[j], ranks[i]
        else:  # move one unit to another rank, the ones between give way
            queue = np.argsort(ranks)
            trial[np.insert(np.delete(queue, i), j, queue[i])] = np.arange(count)
        then = cost(trial)
        if then < now or rng.random() < np.exp((now - then) / temperature):
            ranks, now = trial, then
            # A proof costs far more than a step: only for the promising ones.
            if now < low + 0.1 and fewest > 1:
                low = min(low, now)
                if suffice(fewest - 1, ranks):
                    best, fewest = ranks, needed(ranks)
    return best, fewest
