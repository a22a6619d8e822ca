"""The search for an order of the nodes that needs few virtual channels."""

import numpy as np

from golden.channels import Channels, representative_routes
from golden.routing.base import Routing
from golden.topology.base import IntArray, Topology
from golden.walk import Routes

__all__ = ["expand", "search", "units"]

SAMPLE = 30_000
"""Routes that one step of the search looks at; the proof afterwards looks at all."""


def units(topology: Topology) -> IntArray:
    """Return what an order ranks, as a unit for each node: the orbits, or else the nodes.

    Orbits keep the proof small and the routers of an orbit alike. They can be ranked if no link
    stays within one.
    """
    inside = topology.orbit[topology.neighbour] == topology.orbit[:, None]
    return np.arange(topology.nodes) if inside.any() else topology.orbit


def expand(topology: Topology, ranks: IntArray) -> IntArray:
    """Return the height of every node for the ranks of all units.

    Raises
    ------
    ValueError
        If `ranks` is not a permutation of 0..(units - 1).
    """
    unit = units(topology)
    count = int(unit.max()) + 1
    if sorted(ranks.tolist()) != list(range(count)):
        what = "nodes" if count == topology.nodes else "classes"
        raise ValueError(
            f"Channel order needs each of 0..{count - 1} once, the ranks of the {count} {what}"
        )
    return ranks[unit]


def search(
    routing: Routing, *, steps: int = 2000, seed: int = 0, target: int = 1
) -> tuple[IntArray, int]:
    """Return the best ranks found by simulated annealing, and the channels that they need.

    Ends early when `target` channels are enough. The result depends on the arguments only.
    """
    topology = routing.topology
    unit = units(topology)
    count = int(unit.max()) + 1
    rng = np.random.default_rng(seed)
    routes = representative_routes(routing, topology.orbit if count < topology.nodes else unit)
    rows = np.flatnonzero(routes.hops > 1)
    if len(rows) > SAMPLE:
        rows = rng.choice(rows, SAMPLE, replace=False)
    sample = Routes(*(part[rows] for part in routes))
    path = unit[sample.nodes]
    before, here, after = (path[:, i : path.shape[1] - 2 + i].T.copy() for i in range(3))
    turn = (sample.ports[:, 1:] >= 0).T.copy()
    weight = 20.0 ** np.arange(turn.shape[0] + 2)

    def valleys(ranks: IntArray) -> IntArray:
        height = ranks[here]
        valley = (ranks[before] > height) & (height < ranks[after]) & turn
        count: IntArray = valley.sum(axis=0)
        return count

    def cost(ranks: IntArray) -> float:
        return float(np.log(weight[valleys(ranks)].sum()))

    def needed(ranks: IntArray) -> int:
        return Channels(routing, ranks[unit], routes).needed

    def suffice(channels: int, ranks: IntArray) -> bool:
        # The sample refutes most orders at a fraction of the cost.
        return all(
            Channels(routing, ranks[unit], some).is_free_of_deadlock(channels)
            for some in (sample, routes)
        )

    ranks = rng.permutation(count)
    now = low = cost(ranks)
    best, fewest = ranks, needed(ranks)
    for step in range(steps):
        if fewest <= target:
            break
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
