"""Cayley graphs of any finite group (vertex-transitivity-1992, Definition 2)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fingerpost.golden.topology.base import MAX_NODES, Topology
from fingerpost.golden.topology.distance import distances

if TYPE_CHECKING:
    from fingerpost.golden.algebra.group import Group


class Cayley(Topology):
    """The graph with a link from v to v*g for every element v and every generator g.

    It is the reference for families that compute the same faster; a network file cannot name it.

    Nodes are the elements, ports the generators in the order given. A link ends at the port of
    its inverse, if every generator's inverse is one too; else the network is directed, and a link
    g ends at in-port g.

    Parameters
    ----------
    group : Group
    generators : sequence of int
        Their element numbers.

    Raises
    ------
    ValueError
        If there are too many nodes, a generator is no element, the identity or there twice, or
        the generators do not reach all of the group.
    """

    family = "cayley"
    vertex_transitive = True

    def __init__(self, *, group: "Group", generators: Sequence[int]) -> None:
        n, generators = group.size, tuple(generators)
        if n > MAX_NODES:
            raise ValueError(f"Cayley needs at most {MAX_NODES} nodes, not {n}")
        if (
            not generators
            or not all(0 <= g < n and g != group.identity for g in generators)
            or len(set(generators)) < len(generators)
        ):
            raise ValueError(
                f"Cayley needs different generators in 0..{n - 1}, at least one, none the "
                f"identity {group.identity}, not {generators}"
            )
        neighbour = group.times(np.arange(n)[:, None], np.array(generators))
        lost = np.flatnonzero(distances(neighbour, group.identity) < 0)
        if len(lost):
            raise ValueError(
                f"Cayley needs generators of the whole group to be connected, not {generators}, "
                f"which never reach element {lost[0]}"
            )
        back = group.inverse(np.array(generators)).tolist()
        ports = range(len(generators))
        both_ways = set(back) == set(generators)
        arrival = [generators.index(back[port]) if both_ways else port for port in ports]
        self.group, self.generators = group, generators
        super().__init__(
            neighbour,
            np.broadcast_to(arrival, neighbour.shape).copy(),
            tuple(f"g{port}" for port in ports),
        )
        self.orbit = np.zeros(n, np.int64)  # left multiplication takes any node to any other

    def constants(self) -> dict[str, object]:
        return {"generators": list(self.generators)}
