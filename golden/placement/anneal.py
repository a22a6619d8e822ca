"""Simulated annealing of positions: short links, a node to a tile.

A move takes a node to another tile near by, and what is there to its own. The energy is the
Manhattan length of all links in tiles. Temperature and distance of moves fall geometrically, as in
VPR (Betz and Rose 1997).
"""

from collections.abc import Callable
from math import exp
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.jit.compile import called, compiled
from fingerpost.golden.topology.base import Topology

TEMPERATURES, QUENCHED = 200, 10
"""So many, from hot to cold; the last of them are 0."""

HOTTEST, COLDEST = 0.5, 1.0
"""Temperatures: of the sum of columns and rows; and in tiles. Found by measurement."""


class Plan(NamedTuple):
    """Where nodes are, and the nodes to which each is joined by links of either direction.

    Attributes
    ----------
    tile : (nodes,)
        The tile of each node, x + columns * y.
    node : (tiles,)
        The node on each tile, -1 on a free one.
    first, joined
        Node v is joined with `joined[first[v]:first[v + 1]]`.
    columns, rows : int
    """

    tile: IntArray
    node: IntArray
    first: IntArray
    joined: IntArray
    columns: int
    rows: int


def anneal(
    topology: Topology,
    columns: int,
    rows: int,
    *,
    seed: int,
    moves: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> IntArray:
    """Return a tile [x, y] of each node, shape (nodes, 2); no two share one.

    Parameters
    ----------
    columns, rows : int
        Tiles: as many as nodes, or more.
    moves : int
        Moves of each node, in the mean.
    progress
        Called with (temperatures done, temperatures to do).
    """
    rng, nodes = np.random.default_rng(seed), topology.nodes
    plan = _start(topology, columns, rows)
    each = -(-moves * nodes // TEMPERATURES)
    hottest, farthest = HOTTEST * (columns + rows), max(columns, rows)
    for step in range(TEMPERATURES if moves else 0):
        progress(step, TEMPERATURES)
        done = step / (TEMPERATURES - 1)
        temperature = hottest * (COLDEST / hottest) ** done
        if step >= TEMPERATURES - QUENCHED:
            temperature = 0.0
        near = round(farthest ** (1 - done))
        moved, (right, down) = (
            rng.integers(nodes, size=each),
            rng.integers(-near, near + 1, (2, each)),
        )
        _try_moves(moved, right, down, rng.random(each), temperature, plan)
    return np.stack(np.divmod(plan.tile, columns)[::-1], axis=1)


def _start(topology: Topology, columns: int, rows: int) -> Plan:
    """Return a plan with the nodes row by row."""
    node, port = np.nonzero(topology.neighbour >= 0)
    there = topology.neighbour[node, port]
    begin, end = np.concatenate([[node, there], [there, node]], axis=1)
    order = np.argsort(begin, kind="stable")
    first = np.concatenate([[0], np.bincount(begin, minlength=topology.nodes).cumsum()])
    on = np.full(columns * rows, -1)
    on[: topology.nodes] = np.arange(topology.nodes)
    return Plan(np.arange(topology.nodes), on, first, end[order].astype(np.int64), columns, rows)


@compiled
def _length(node: int, tile: int, other: int, plan: Plan) -> int:
    """Return the tiles of wire from a node on a tile to those it is joined with, but `other`."""
    x, y, total = tile % plan.columns, tile // plan.columns, 0
    for at in range(plan.first[node], plan.first[node + 1]):
        end = plan.joined[at]
        if end != other:
            there = plan.tile[end]
            total += abs(there % plan.columns - x) + abs(there // plan.columns - y)
    return total


@called
def _try_moves(
    moved: Any, right: Any, down: Any, chance: Any, temperature: float, plan: Plan
) -> None:
    """Try to move nodes by so many tiles; keep moves that shorten the wires, and some others."""
    for move in range(len(moved)):
        node = moved[move]
        tile = plan.tile[node]
        x, y = tile % plan.columns + right[move], tile // plan.columns + down[move]
        if x < 0 or x >= plan.columns or y < 0 or y >= plan.rows:
            continue
        to = x + plan.columns * y
        other = plan.node[to]
        rise = _length(node, to, other, plan) - _length(node, tile, other, plan)
        if other >= 0:
            rise += _length(other, tile, node, plan) - _length(other, to, node, plan)
        if rise <= 0 or (temperature > 0 and chance[move] < exp(-rise / temperature)):
            plan.tile[node], plan.node[to], plan.node[tile] = to, node, other
            if other >= 0:
                plan.tile[other] = tile
