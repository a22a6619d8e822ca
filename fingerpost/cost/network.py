"""Where the nodes of a network are on an FPGA, how far apart, and what each takes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from fingerpost.cost.netlist import Cell, Device, count, sites
from fingerpost.golden.topology import Topology

WIRES = 5
"""The most pairs of nodes of which the longest wire is told."""

NODE = re.compile(r"^(?:node|table)_(\d+)[._]")
REGISTER = r"(?:_[a-z]+)*_(?:TRELLIS_FF|SB_DFF[A-Z]*)_Q"
"""Of a register, and of the logic before it: what synthesis hangs on the name of the signal."""
ROUTER = r"^node_(\d+)\.(?:router\.)*"
FORTH = re.compile(
    rf"{ROUTER}(?:input(\d+)\.(?:link_(?:flit|valid)|header|vc_buffer\d+\.push|route_stage(?:\.flit|_data"
    rf"|\.routing\.\w+?))|inputs__(\d+)__(?:flit|valid)){REGISTER}"
)
BACK = re.compile(
    rf"{ROUTER}(?:output(\d+)\.(?:link_credit|credit_counter\d+\.credit)|outputs__(\d+)__credit){REGISTER}"
)
"""Registers of a link, in the words of the node at its other end, and the port there."""

Place = tuple[int, int]
"""A tile: its column and its row."""


class Owners:
    """The node that each cell of a network is of.

    A cell has the name of a signal, and that begins with the node. But a link is one signal, of
    which synthesis keeps the name at either end: its register is of the sender, and that of credits
    of the receiver of flits, whatever it is called.
    """

    def __init__(self, topology: Topology) -> None:
        self._ends = (FORTH, topology.origin), (BACK, topology.neighbour)
        self._links = topology.degree

    def node(self, cell: str) -> int | None:
        """Return the node of a cell by its name, which may be that in the harness; None of none."""
        name = cell.removeprefix("inside.")
        for pattern, others in self._ends:
            if found := pattern.match(name):
                node, port = int(found[1]), int(found[2] or found[3])
                return int(others[node, port]) if port < self._links else node
        own = NODE.match(name)
        return int(own[1]) if own else None

    def path(self, path: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the nodes at which a path begins and ends, and the tiles that it passes."""
        cells = [path[0]["from"], *(step["to"] for step in path)]
        ends = {"from_node": cells[0], "to_node": cells[-1]}
        return {end: self.node(cell["cell"]) for end, cell in ends.items()} | {
            "places": [place for place, _ in groupby(cell["loc"] for cell in cells)]
        }


def sites_by_node(
    cells: Iterable[Cell], owners: Owners, nodes: int, chip: Device
) -> dict[str, Any]:
    """Return the sites of each node in order, and those between nodes."""
    of: dict[int | None, list[Cell]] = {node: [] for node in (*range(nodes), None)}
    for cell in cells:
        of[owners.node(cell.name)].append(cell)
    found = {node: sites(count(some, chip.cells), chip) for node, some in of.items()}
    return {"nodes": [found[node] for node in range(nodes)], "between": found[None]}


def floor(placed: Mapping[str, Any], owners: Owners) -> list[list[int | None]]:
    """Return the tiles of the design that nextpnr has written: column, row, and node.

    That is the node that has most cells there, the lowest of several; None is that of all others.
    """
    (module,) = placed["modules"].values()
    tiles: dict[Place, Counter[int | None]] = {}
    for name, cell in module["cells"].items():
        bel = re.match(r"X(\d+)/Y(\d+)/", str(cell["attributes"].get("NEXTPNR_BEL", "")))
        if bel:
            tiles.setdefault((int(bel[1]), int(bel[2])), Counter())[owners.node(name)] += 1
    return [[*place, _most(cells)] for place, cells in sorted(tiles.items())]


def wires(report: Mapping[str, Any], owners: Owners) -> list[dict[str, Any]]:
    """Return the slowest wire between two nodes, of the pairs between which it is slowest."""
    longest: dict[tuple[int, int], float] = {}
    for net in report["detailed_net_timings"]:
        start = owners.node(net["driver"])
        for sink in net["endpoints"]:
            end = owners.node(sink["cell"])
            if start is not None and end is not None and start != end:
                delay = float(sink["delay"][1])  # of the least and the greatest
                longest[start, end] = max(delay, longest.get((start, end), 0.0))
    first = sorted(longest.items(), key=lambda each: (-each[1], each[0]))[:WIRES]
    return [{"from_node": a, "to_node": b, "ns": delay} for (a, b), delay in first]


def _most(cells: Mapping[int | None, int]) -> int | None:
    """Return the node that has most of some cells."""
    return min(cells, key=lambda node: (-cells[node], -1 if node is None else node))
