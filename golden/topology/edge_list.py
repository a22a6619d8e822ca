"""Networks given link by link, whatever a user has; and random regular graphs.

These are as in Jellyfish, A. Singla et al. 2012, drawn as by A. Steger and N. C. Wormald 1999.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE, Topology, distances

LARGEST = 1_000_000
"""More nodes or links than this are refused: a list of them would fill a workstation."""


MOST_LINKS = 32
"""At a node: an allocator for more is slow and large."""


class EdgeList(Topology):
    """Any connected network; several links may run beside each other.

    The out-ports of a node are numbered by rising neighbour, and so are its in-ports, by the node
    from which the link comes; in an undirected network the two agree. Parallel links are in their
    order; else the order of the links does not matter.

    Parameters
    ----------
    links : sequence of (u, v)
        Pairs of node numbers: a link from u to v, and back unless the network is directed.
    nodes : int
        How many there are; their numbers are 0..nodes-1.
    directed : bool
        Whether a link goes one way only.
    names : sequence of str, optional
        What the nodes are called; their numbers if not given.
    places : sequence of (x, y), optional
        Where the nodes are in a picture.

    Attributes
    ----------
    places : (nodes, 2), optional

    Raises
    ------
    ValueError
        If a link names no node, or leads back to its node; if a node has more than 32 of them; if
        some node cannot reach another; if names are not one for each node.
    """

    family = "edge-list"
    label_form = "a name of the edge list"

    def __init__(
        self,
        *,
        links: Sequence[Sequence[int]],
        nodes: int,
        directed: bool = False,
        names: Sequence[str] | None = None,
        places: Sequence[Sequence[float]] | None = None,
    ) -> None:
        if not 2 <= nodes <= LARGEST:
            raise ParameterError("nodes", f"Edge-list needs nodes in 2..{LARGEST}, not {nodes}")
        if not 1 <= len(links) <= LARGEST:
            raise ParameterError(
                "links", f"Edge-list needs links in 1..{LARGEST}, not {len(links)}"
            )
        self._names = _checked(names, nodes)
        self.places = _placed(places, nodes)
        self._number = {name: node for node, name in enumerate(self._names)}
        start, end = _ends(links, nodes, self._names)
        if not directed:
            start, end = np.append(start, end), np.append(end, start)
        order = np.lexsort((end, start))
        start, end = start[order], end[order]

        # Links are in the order of out-ports; by (end, start) they are in that of in-ports.
        out_port, in_port = _rank(start), np.empty_like(end)
        by_end = np.lexsort((start, end))
        in_port[by_end] = _rank(end[by_end])
        for ports, at in ((out_port, start), (in_port, end)):
            if ports.max() >= MOST_LINKS:
                busiest = at[ports.argmax()]
                raise ParameterError(
                    "links",
                    f"Edge-list needs at most {MOST_LINKS} links at a node, "
                    f"not {np.count_nonzero(at == busiest)} at {self._names[busiest]}",
                )
        degree = int(max(out_port.max(), in_port.max())) + 1
        neighbour = np.full((nodes, degree), -1)
        arrival_port = neighbour.copy()
        neighbour[start, out_port] = end
        arrival_port[start, out_port] = in_port
        port_names = tuple(f"L{port}" for port in range(degree))
        super().__init__(neighbour, arrival_port, port_names)
        for way, (source, destination) in ((neighbour, (0, 1)), (self.origin, (1, 0))):
            missing = np.flatnonzero(distances(way, 0) < 0)
            if len(missing):
                ends = (0, missing[0])
                pair = self._pair(ends[source], ends[destination])
                raise ParameterError(
                    "links",
                    f"Edge-list needs a way from every node to every other, not none {pair}"
                    + "; links go one way, as the graph is directed" * directed,
                )

    def _pair(self, start: int, end: int) -> str:
        return f"from {self._names[start]} to {self._names[end]}"

    def name(self, node: int) -> str:
        return self._names[node]

    def parse(self, label: str) -> int | None:
        return self._number.get(label)

    def constants(self) -> dict[str, object]:
        """Return the number of links, an undirected one counted once."""
        ways = int(np.count_nonzero(self.neighbour >= 0))
        return {"links": ways if self.directed else ways // 2}


def _checked(names: Iterable[str] | None, nodes: int) -> tuple[str, ...]:
    """Return the names, of which none may be taken for the number of another node."""
    if names is None:
        return tuple(map(str, range(nodes)))
    names = tuple(names)
    if len(names) != nodes:
        raise ParameterError(
            "names", f"Edge-list needs a name for each of {nodes} nodes, not {len(names)}"
        )
    seen: set[str] = set()
    for node, name in enumerate(names):
        if not name or name != name.strip() or not name.isprintable():
            raise ParameterError(
                "names",
                "Edge-list needs names of printable characters, without blanks at their ends, "
                f"not {name!r}",
            )
        if name.isdecimal() and name != str(node):
            raise ParameterError(
                "names",
                f"Edge-list needs names that are no numbers of other nodes, "
                f"not {name!r} for node {node}",
            )
        if name in seen:
            raise ParameterError(
                "names", f"Edge-list needs a different name for every node, not {name!r} twice"
            )
        seen.add(name)
    return names


def _placed(places: Sequence[Sequence[float]] | None, nodes: int) -> NDArray[np.float64] | None:
    """Return the places as an array: one for each node, and no two nodes on one spot."""
    if places is None:
        return None
    found = np.array(places, np.float64)
    if found.shape != (nodes, 2) or not np.isfinite(found).all():
        raise ParameterError(
            "places", f"Edge-list needs places of {nodes} nodes, (x, y) each, not {len(places)}"
        )
    if len(np.unique(found, axis=0)) < nodes:
        raise ParameterError("places", "Edge-list needs a different place for every node")
    return found


def _ends(
    links: Sequence[Sequence[int]], nodes: int, names: Sequence[str]
) -> tuple[IntArray, IntArray]:
    for link in links:
        if len(link) != 2 or not all(0 <= node < nodes for node in link):
            raise ParameterError(
                "links", f"Edge-list needs links of two nodes in 0..{nodes - 1}, not {tuple(link)}"
            )
        if link[0] == link[1]:
            raise ParameterError(
                "links",
                f"Edge-list needs links between two nodes, not one from {names[link[0]]} to itself",
            )
    start, end = np.array(links, dtype=np.int64).T
    return start, end


def _rank(sorted_nodes: IntArray) -> IntArray:
    """Return how many equal numbers stand before each number in a rising sequence."""
    first = np.searchsorted(sorted_nodes, sorted_nodes)
    return np.arange(len(sorted_nodes)) - first


Pair = tuple[int, int]


class RandomRegular(EdgeList):
    """A connected graph of nodes with equally many links, drawn by a seed.

    Ends of links are paired at random. Pairs of a node with itself, or of nodes that are linked
    already, are put back; if no others are left, or some node cannot reach another, all are drawn
    anew.

    Parameters
    ----------
    nodes, degree : int
        Their product is even.
    seed : int
        The same seed gives the same graph.

    Raises
    ------
    ParameterError
        If there is no such graph.
    """

    family = "random-regular"

    def __init__(
        self,
        *,
        nodes: Annotated[
            int, Parameter("Nodes.", minimum=4, maximum=LARGEST // MAX_DEGREE, example=10)
        ],
        degree: Annotated[
            int, Parameter("Links at a node.", minimum=3, maximum=MAX_DEGREE, example=3)
        ],
        seed: Annotated[int, Parameter("Another seed draws another graph.", minimum=0)] = 0,
    ) -> None:
        check_limits(RandomRegular, "Random-regular", nodes=nodes, degree=degree, seed=seed)
        if degree >= nodes or nodes * degree % 2:
            raise ParameterError(
                "degree",
                "Random-regular needs a degree below nodes, and one of the two even, "
                f"not degree {degree} with {nodes} nodes",
            )
        self.seed = seed
        rng, links = np.random.default_rng(seed), list[Pair]()
        while not links or not _connected(nodes, links):
            links = _drawn(nodes, degree, rng)
        super().__init__(links=links, nodes=nodes)

    def constants(self) -> dict[str, object]:
        return {"seed": self.seed, **super().constants()}


def _drawn(nodes: int, degree: int, rng: Generator) -> list[Pair]:
    """Return the links of a graph; none if the last ends cannot be paired."""
    links, ends = set[Pair](), np.repeat(np.arange(nodes), degree).tolist()
    while ends:
        order, left = rng.permutation(len(ends)).tolist(), []
        for one, other in zip(order[::2], order[1::2], strict=True):
            u, v = sorted((ends[one], ends[other]))
            if u == v or (u, v) in links:
                left += [u, v]
            else:
                links.add((u, v))
        if len(left) == len(ends) and links.issuperset(combinations(sorted({*left}), 2)):
            return []
        ends = left
    return sorted(links)


def _connected(nodes: int, links: list[Pair]) -> bool:
    """Return whether a way joins all nodes."""
    near = [set[int]() for _ in range(nodes)]
    for u, v in links:
        near[u].add(v)
        near[v].add(u)
    seen, ahead = {0}, {0}
    while ahead:
        ahead = set[int]().union(*(near[u] for u in ahead)) - seen
        seen |= ahead
    return len(seen) == nodes
