"""Which nodes have terminals, and how many: what a network file says by `terminals`."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology

Terminals = Literal["all"] | int | list[int | str] | dict[int | str, int]
"""How a file gives them: see `placed`."""

MOST = 8
"""Terminals at one node: a router with more local ports is large and slow."""

NEEDS = f"all, a number in 1..{MOST}, a list of nodes, or a number for each, as in {{0: 4, 5: 1}}"


def placed(topology: Topology, given: Terminals) -> Topology:
    """Return the topology with the terminals that a file gives.

    ``all`` is one at each node; a number is so many at each node that has one without the key; a
    list names the nodes that have one, by number or label; a mapping says how many each node has,
    others none.

    Raises
    ------
    ParameterError
        If that names no node, a node twice, or more than `MOST` at one, or fewer than two in all.

    Examples
    --------
    >>> from fingerpost.golden.topology import Grid
    >>> placed(Grid(sizes=[3]), {0: 2, 2: 1}).terminals.tolist()  # node 0 has 0 and 1, node 2 has 4
    [0, 1, 4]
    """
    count = np.ones(topology.nodes, np.int64)
    if isinstance(given, int) and not isinstance(given, bool):
        count = _checked(given, 1, "") * (topology.terminals_at > 0)
    elif isinstance(given, Mapping | Sequence) and not isinstance(given, str):
        count = _listed(topology, given)
    elif given != "all":
        raise _refused(f"{given!r}")
    if count.sum() < 2:
        raise _refused(f"{count.sum()} in all: packets need two terminals")
    return topology.with_terminals(np.repeat(np.arange(topology.nodes), count))


def _listed(topology: Topology, given: Sequence[int | str] | Mapping[int | str, int]) -> IntArray:
    """Return how many each node has, of a list or a mapping."""
    count, seen = np.zeros(topology.nodes, np.int64), set[int]()
    for name in given:
        try:
            node = topology.node(str(name))
        except ValueError as error:
            raise _refused(f"{name!r}: {error}") from None
        if node in seen:
            raise _refused(f"node {name} twice")
        seen.add(node)
        many = given[name] if isinstance(given, Mapping) else 1
        count[node] = _checked(many, 0, f" at node {name}")
    return count


def _checked(many: int, least: int, where: str) -> int:
    if not isinstance(many, int) or isinstance(many, bool) or not least <= many <= MOST:
        raise _refused(f"{many!r}{where}")
    return many


def _refused(given: str) -> ParameterError:
    return ParameterError("terminals", f"Topology needs terminals {NEEDS}, not {given}")
