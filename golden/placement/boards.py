"""What a network file says of boards: which nodes are on each, or how many boards there are."""

import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.disk_cache import cached
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.placement.partition import partition
from fingerpost.golden.placement.positions import Progress
from fingerpost.golden.topology.base import Topology

Boards = int | list[list[int | str]]
"""How a file gives them: see `boards_of`."""

NEEDS = "a number of boards, or a list of the nodes of each, as in [[0, 1], [2, 3]]"


def boards_of(
    description: Mapping[str, Any],
    topology: Topology,
    progress: Progress = lambda done, total: None,
) -> IntArray | None:
    """Return the board of each node of a network, shape (nodes,); None if it says nothing of them.

    A number of boards is that of a `partition`, which is found and cached; a list names the nodes
    of each board, by number or label.

    Raises
    ------
    ParameterError
        If there are fewer than two boards, one has no node, or a node is on none or on two.

    Examples
    --------
    >>> from fingerpost.golden.topology import Grid
    >>> boards_of({"boards": [[0, 3], [1, 2]]}, Grid(sizes=[4])).tolist()
    [0, 1, 1, 0]
    """
    given: Boards | None = description.get("boards")
    if given is None:
        return None
    if not isinstance(given, int):
        return _listed(given, topology)
    if not 2 <= given <= topology.nodes:
        raise _refused(f"a number in 2..{topology.nodes}, at most the nodes", f"{given}")
    content = pickle.dumps([description.get(name) for name in ("topology", "faults", "boards")])
    return cached(
        "boards", content, lambda: {"board": partition(topology, given, progress=progress)}
    )["board"]


def _listed(given: Sequence[Sequence[int | str]], topology: Topology) -> IntArray:
    board = np.full(topology.nodes, -1)
    if len(given) < 2 or not all(given):
        sizes = [len(nodes) for nodes in given]
        raise _refused("at least two boards with a node each", f"boards of {sizes} nodes")
    for number, nodes in enumerate(given):
        for name in nodes:
            try:
                node = topology.node(str(name))
            except ValueError as error:
                raise ParameterError("", str(error), section="boards") from None
            if board[node] >= 0:
                raise _refused(
                    "each node on one board", f"node {name} on {board[node]} and {number}"
                )
            board[node] = number
    if (missing := np.flatnonzero(board < 0)).size:
        raise _refused("each node on one board", f"node {missing[0]} on none")
    return board


def _refused(needs: str, given: str) -> ParameterError:
    return ParameterError("", f"Boards need {needs}, not {given}", section="boards")
