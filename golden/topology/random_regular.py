"""Random regular graphs, as in Jellyfish, A. Singla et al. 2012.

They are drawn as by A. Steger and N. C. Wormald 1999.
"""

from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.random import Generator

from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE
from fingerpost.golden.topology.edge_list import LARGEST, EdgeList

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
