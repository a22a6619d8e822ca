"""Orders of the nodes, and the turns at which they move a packet to the next virtual channel.

Put the nodes in a total order. A packet may climb and then descend on one virtual channel. A node
that a packet enters from above and leaves upwards is a valley of its route: there it moves to the
next channel. Within a channel the links thus have an order: upward links by rising start, then
downward links by falling start. So 1 + (most valleys of a route) channels suffice for any routing,
on any network. Often fewer do, because the last channel takes every later valley too.
`fingerpost.golden.deadlock.annealing` searches for an order that needs few channels.
"""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Routing
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
