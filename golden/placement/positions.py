"""What a network file says of positions: given, or found by simulated annealing."""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import ceil, sqrt
from typing import Annotated, Any, Protocol

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.disk_cache import cached
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits, section
from fingerpost.golden.placement.anneal import anneal
from fingerpost.golden.topology.base import Topology

Progress = Callable[[int, int], None]

MOST_TILES = 1 << 16
"""Tiles in a row or column."""


class Positions(Protocol):
    """A way to say where nodes are."""

    def of(self, topology: Topology, content: bytes, progress: Progress) -> IntArray:
        """Return the tile [x, y] of each node, shape (nodes, 2)."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """Positions that the network file lists.

    Raises
    ------
    ParameterError
        From `of`, if they are not those of the nodes.
    """

    at: Annotated[
        list[list[int]] | dict[str, list[int]],
        Parameter(
            "The tile of each node.",
            "a list of tiles [x, y], one for each node, or a mapping of nodes to tiles",
            example=[[0, 0], [1, 0], [2, 0]],
        ),
    ]

    def of(self, topology: Topology, content: bytes, progress: Progress) -> IntArray:
        """Return them; several nodes may share a tile.

        Raises
        ------
        ParameterError
            If they are not those of the nodes.
        """
        rows = (
            dict(enumerate(self.at)) if isinstance(self.at, list) else _by_node(self.at, topology)
        )
        if sorted(rows) != list(range(topology.nodes)):
            raise ParameterError(
                "at",
                f"Positions need a tile for each of {topology.nodes} nodes, not for {len(rows)}",
            )
        found = [rows[node] for node in range(topology.nodes)]
        for tile in found:
            if len(tile) != 2 or not all(0 <= x < MOST_TILES for x in tile):
                raise ParameterError(
                    "at", f"Positions need tiles [x, y] in 0..{MOST_TILES - 1}, not {tile}"
                )
        return np.array(found)


def _by_node(at: Mapping[str, list[int]], topology: Topology) -> dict[int, list[int]]:
    try:
        return {topology.node(str(name)): tile for name, tile in at.items()}
    except ValueError as error:
        raise ParameterError("at", str(error)) from None


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Positions that simulated annealing finds, by short wires; the same for the same seed.

    Raises
    ------
    ParameterError
        If a number is beyond its limits; from `of`, if there are fewer tiles than nodes.
    """

    tiles: Annotated[
        list[int] | None,
        Parameter(
            "Columns and rows of tiles, each for one node; as square as they can be if absent.",
            "[columns, rows], with a tile for each node",
        ),
    ] = None
    seed: Annotated[int, Parameter("Of the search.", minimum=0, maximum=(1 << 31) - 1)] = 0
    moves: Annotated[
        int, Parameter("Moves of each node that are tried.", minimum=0, maximum=1_000_000)
    ] = 20_000

    def __post_init__(self) -> None:
        check_limits(Placed, "Positions", seed=self.seed, moves=self.moves)

    def of(self, topology: Topology, content: bytes, progress: Progress) -> IntArray:
        """Return them; results are cached by `content`, all that the topology follows from.

        Raises
        ------
        ParameterError
            If the nodes do not fit on the tiles.
        """
        nodes = topology.nodes
        tiles = [columns := ceil(sqrt(nodes)), -(-nodes // columns)]
        tiles = tiles if self.tiles is None else self.tiles
        fits = len(tiles) == 2 and all(0 < size <= MOST_TILES for size in tiles)
        if not fits or tiles[0] * tiles[1] < nodes:
            raise ParameterError(
                "tiles",
                f"Positions need tiles: [columns, rows] for {nodes} nodes, one each, not {tiles}",
            )
        options: Any = {"seed": self.seed, "moves": self.moves, "progress": progress}
        by = content + pickle.dumps(asdict(self))
        return cached("places", by, lambda: {"at": anneal(topology, *tiles, **options)})["at"]


POSITIONS: dict[str, type[Given | Placed]] = {"given": Given, "placed": Placed}
"""Every way to say where nodes are, by its name in network files."""


def positions_of(
    description: Mapping[str, Any],
    topology: Topology,
    progress: Progress = lambda done, total: None,
) -> IntArray | None:
    """Return the tile [x, y] of each node of a network, shape (nodes, 2); None if it has none.

    Without ``positions`` in the description they are those that the family has.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.
    """
    given = dict(description.get("positions") or {})
    if not given:
        return topology.positions
    content = pickle.dumps([description.get(name) for name in ("topology", "faults")])
    with section("positions"):
        kind: Any = POSITIONS[given.pop("kind")]
        ways: Positions = kind(**given)
        return ways.of(topology, content, progress)
