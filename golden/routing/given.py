"""Routes that a user gives, as rows of a table: followed from every terminal to every other."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology

Row = Sequence[int]
"""(node, destination, port), and perhaps (source), or (source, virtual channel), behind them."""

Lookup = Callable[[IntArray, IntArray, IntArray], IntArray]
"""Returns the ports for packets at nodes, by node, destination and source; -1: none is known."""


REMEDY = "; without channels they are found"


class Rows:
    """The rows of a table, all of one form, one for each node, destination and source.

    Raises
    ------
    ParameterError
        If there are none.
    """

    def __init__(self, topology: Topology, rows: Sequence[Row], title: str) -> None:
        if not len(rows):
            raise ParameterError("routes", f"{title} needs rows of routes, not none")
        self._nodes = topology.nodes
        self._rows = np.array(rows, np.int64).T
        self.by_source, self.has_channels = len(self._rows) > 3, len(self._rows) > 4
        key = self._key(self._rows[0], self._rows[1], self._rows[3 if self.by_source else 0])
        self._order = np.argsort(key)
        self._keys = key[self._order]

    def _key(self, node: IntArray, destination: IntArray, source: IntArray) -> IntArray:
        key: IntArray = node * self._nodes + destination
        return key + source * self._nodes**2 if self.by_source else key

    def _find(self, column: int, at: tuple[IntArray, IntArray, IntArray]) -> IntArray:
        key = self._key(*at)
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        return np.where(self._keys[place] == key, self._rows[column, self._order[place]], -1)

    def port(self, node: IntArray, destination: IntArray, source: IntArray) -> IntArray:
        """Return the ports for packets at nodes, -1 without a row."""
        return self._find(2, (node, destination, source))

    def channel(self, node: IntArray, destination: IntArray, source: IntArray) -> IntArray:
        """Return the virtual channels of the links that they take next, -1 without a row."""
        return self._find(4, (node, destination, source))


class Routes(NamedTuple):
    """Routes from all terminals to all, hop by hop: arrays (hops, terminals, terminals).

    Behind the last hop there is -1.
    """

    node: IntArray
    port: IntArray


def follow(topology: Topology, lookup: Lookup, title: str, most: int) -> Routes:
    """Return the routes from every terminal to every other.

    Raises
    ------
    ParameterError
        If a route ends before its destination, goes round, or has more than `most` hops.
    """
    terminals = topology.terminal_nodes
    source, destination = np.meshgrid(terminals, terminals, indexing="ij")
    node, nodes, ports = source, list[IntArray](), list[IntArray]()
    while (moves := node != destination).any():
        port = np.where(moves, lookup(node, destination, source), -1)
        nodes.append(np.where(moves, node, -1))
        wrong = moves & ((port < 0) | (len(nodes) > min(most, topology.nodes)))
        if wrong.any():
            pair = tuple(np.argwhere(wrong)[0])
            way = [int(each[pair]) for each in nodes]
            raise _refused(topology, title, way, int(destination[pair]), most)
        ports.append(port)
        node = np.where(moves, topology.neighbour[node, port], node)
    shape = (-1, *source.shape)
    return Routes(
        np.array(nodes, np.int64).reshape(shape), np.array(ports, np.int64).reshape(shape)
    )


def _refused(topology: Topology, title: str, way: list[int], end: int, most: int) -> ParameterError:
    """Return the error of a route that has not come to its end after a way."""
    first = next((place for place, node in enumerate(way) if node in way[:place]), None)
    names = ", ".join(topology.name(node) for node in way[: None if first is None else first + 1])
    pair = f"from {topology.name(way[0])} to {topology.name(end)}"
    if first is not None:
        says = f"routes that arrive, and that {pair} goes round: {names}"
    elif len(way) > most:
        says = f"routes of at most {most} hops, for the header, and that {pair} has more: {names}"
    else:
        says = f"a row for every node on the way, and the route {pair} ends: {names}"
    return ParameterError("routes", f"{title} needs {says}")


def vc_increments(topology: Topology, rows: Rows, routes: Routes, title: str) -> BoolArray:
    """Return the turns at which packets move to the next channel, as `Channels.vc_increments`.

    Raises
    ------
    ParameterError
        If a route does not begin on channel 0, or does not stay or move up by one at each hop, or
        if routes that take the same turn at a node do not agree.
    """
    pairs = np.meshgrid(topology.terminal_nodes, topology.terminal_nodes, indexing="ij")
    moves, step = routes.port >= 0, np.zeros_like(routes.port)
    channel = np.where(moves, rows.channel(routes.node, pairs[1], pairs[0]), 0)
    step[1:] = np.where(moves[1:], np.diff(channel, axis=0), 0)

    def route(where: IntArray) -> str:
        start, end = (topology.name(int(ends[tuple(where[1:])])) for ends in pairs)
        return f"from {start} to {end}"

    wrong = (step < 0) | (step > 1)
    wrong[:1] |= channel[:1] != 0
    if wrong.any():
        raise ParameterError(
            "routes",
            f"{title} needs channels that begin with 0 and stay or rise by 1 at a hop, and those "
            f"{route(np.argwhere(wrong)[0])} do not{REMEDY}",
        )
    shape = (topology.nodes, topology.degree + 1, topology.degree + 1)
    arrival = topology.arrival_port[routes.node[:-1], routes.port[:-1]]
    hop = np.argwhere(moves[1:])
    turn = np.ravel_multi_index(
        (routes.node[1:][moves[1:]], arrival[moves[1:]], routes.port[1:][moves[1:]]), shape
    )
    rises = step[1:][moves[1:]] == 1
    both = np.intersect1d(turn[rises], turn[~rises])
    if len(both):
        node, *ports = (int(at) for at in np.unravel_index(both[0], shape))
        up, level = (route(hop[(turn == both[0]) & (rises == value)][0]) for value in (True, False))
        raise ParameterError(
            "routes",
            f"{title} needs channels that follow from the turn; at node {topology.name(node)}, "
            f"{' to '.join(map(topology.port_name, ports))}, that {up} rises, and that {level} "
            f"does not{REMEDY}",
        )
    increments = np.zeros(shape, np.bool_)
    increments.ravel()[turn[rises]] = True
    return increments
