"""Networks of about 1,000 nodes on a chip, where a wire takes a cycle for every so many tiles.

``python -m benchmarks.wires [--json] [--cycles N]``. In the model, under uniform traffic with
packets of one flit; a node has one tile. Saturation is what is accepted in the second half of the
cycles, at one and a half times the load that the busiest link can carry. Rows are kept in
build/wires: an interrupted run resumes. Draws docs/curves/wires.svg and prints the table of
docs/explanation/wires.md.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
from matplotlib.figure import Figure

import fingerpost
from benchmarks.table import arguments, kept, tell
from fingerpost.drawing import picture
from fingerpost.drawing.charts import plain, style
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.engine import engine
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.placement import wires
from fingerpost.golden.traffic import Traffic

FOLDER, PICTURE = Path("build/wires"), Path("docs/curves/wires.svg")

REACHES = 1, 2, 4, 8, None
"""Tiles that a signal crosses in a cycle; None: all."""

SIDE, EXPRESS = 32, 4
"""Tiles of a side, and of a link of the mesh with express links."""

GRID = {"family": "grid", "sizes": [SIDE, SIDE]}
BOREL = {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]}


def express() -> "nx.Graph[int]":
    """Return a mesh with links that skip nodes (Dally 1991): between every fourth of a line."""
    graph = nx.Graph(name="express-mesh")
    graph.add_nodes_from(range(SIDE**2))
    for x, y in product(range(SIDE), repeat=2):
        for step in (1, EXPRESS):
            for far_x, far_y in ((x + step, y), (x, y + step)):
                along = x if far_y == y else y
                if max(far_x, far_y) < SIDE and along % step == 0:
                    graph.add_edge(x + SIDE * y, far_x + SIDE * far_y)
    return graph


PLACED = {"kind": "placed"}
TILES = {"kind": "given", "at": [[node % SIDE, node // SIDE] for node in range(SIDE**2)]}
NETWORKS: Mapping[str, Mapping[str, Any]] = {
    "borel-1081": {"topology": BOREL, "routing": "vertex-transitive", "positions": PLACED},
    "borel-1081, 8 flits": {
        "topology": BOREL,
        "routing": "vertex-transitive",
        "positions": PLACED,
        "router": {"buffer_depth": 8},
    },
    "torus-32x32": {"topology": GRID | {"wrap": True}, "routing": "dimension-order"},
    "express-mesh": {"topology": express(), "routing": "table", "positions": TILES},
    "mesh-32x32": {"topology": GRID, "routing": "dimension-order"},
}
"""Buffers are as deep as one flit a cycle on the longest link needs, up to 64 flits, or say so."""

ORDER = "networks/borel-1081-shortest.yaml"
"""Has the order of channels of borel-1081."""


def build(name: str, reach: int | None) -> Network:
    """Return a network whose signals cross so many tiles in a cycle."""
    link = {"kind": "flit"} if reach is None else {"kind": "flit", "cycles": "auto", "reach": reach}
    given = dict(NETWORKS[name])
    router = {"buffer_depth": "auto"} | given.pop("router", {})
    if given["topology"] is BOREL:
        router["channel_order"] = fingerpost.load(ORDER).description["router"]["channel_order"]
    called = name.partition(",")[0]
    made = fingerpost.network(**given, link=link, router=router, name=called)
    assert isinstance(made, Network)
    return made


def accepted(network: Network, link_saturation: float, cycles: int) -> float:
    """Return the flits a cycle that the network takes in the second half of the cycles.

    One and a half times what the busiest link can carry is offered.
    """
    offered = min(1.0, 1.5 * link_saturation)
    model = engine(network, [Traffic(network, offered, cycles, seed=0)])
    model.run(cycles // 2)
    before = int(model.arrays.flits.sum())
    model.run(cycles - cycles // 2)
    return (int(model.arrays.flits.sum()) - before) / (cycles - cycles // 2)


def row(name: str, reach: int | None, cycles: int) -> dict[str, Any]:
    """Return what a network does on the chip."""
    network = build(name, reach)
    positions, found = network.positions(), loads(network.routing)
    assert positions is not None
    chip, terminals = wires(network.topology, positions), len(network.topology.terminals)
    taken = accepted(network, found.link_saturation, cycles)
    widths = {"flit_width": network.flit_width, "channels": network.virtual_channels}
    across = chip.bisection * network.link.wires(**widths)
    return {
        "network": name,
        "reach": reach,
        "mean_tiles": chip.mean,
        "longest": chip.longest,
        "cycles": 1 if network.registers is None else 1 + int(network.registers.max()),
        "channels": network.virtual_channels,
        "depth": network.buffer_depth,
        "full_rate_depth": network.full_rate_depth,
        "zero_load": zero_load(network, found.mean_hops, registers=network.wire_cycles(found.load)),
        "saturation": taken / terminals,
        "bisection": chip.bisection,
        "wires": across,
        "per_wire": taken * network.flit_width / across,
    }


TITLE = (
    "Networks of about 1,000 nodes on a chip: zero-load latency, saturation, and saturation for "
    "each wire across the middle of the chip, against the reach of a signal"
)
PANELS = {
    "zero_load": "zero-load latency [cycles]",
    "saturation": "saturation [flits/terminal/cycle]",
    "per_wire": "saturation [bits/cycle]\nfor each wire of the bisection",
}


def figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the picture: a panel for each of `PANELS`, a line for each network."""
    made = Figure(figsize=(10, 4), layout="constrained")
    for axes, (key, title) in zip(made.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        for number, name in enumerate(NETWORKS):
            values = [each[key] for each in rows if each["network"] == name]
            label = name if key == "zero_load" else None
            axes.plot(range(len(REACHES)), values, label=label, **style(number))
        axes.set(xlabel="reach [tiles/cycle]", ylabel=title, ylim=(0, None))
        axes.set_xticks(range(len(REACHES)), ["∞" if r is None else str(r) for r in REACHES])
        plain(axes, grid="y")
    made.legend(loc="outside lower center", ncols=len(NETWORKS), frameon=False)
    return made


def main() -> None:
    """Measure, draw, and print a table or an object."""
    asked = arguments(__doc__, cycles=2000)
    rows = [
        kept(
            FOLDER / f"{name}-{reach}-{asked.cycles}.json", partial(row, name, reach, asked.cycles)
        )
        for name, reach in product(NETWORKS, REACHES)
    ]
    picture.draw(PICTURE, lambda: figure(rows), TITLE)
    tell(asked, "On a chip", rows, cycles=asked.cycles)


if __name__ == "__main__":
    main()
