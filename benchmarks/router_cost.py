"""Area and speed of the routers that the README speaks of, each between registers.

``python -m benchmarks.router_cost [--json] [--seeds N] [--hops 2,3] [WORD...]`` runs the rows that
have the words in their name, with each of these cycles of a hop, by default 2. A row is a router as
it is now: its network file, or a description here, says which. "sites x ns" is the area times the
period of the clock, less is better; divided by the flits that a router takes per port and cycle it
is the area of a flow of flits.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import arguments, tell
from fingerpost.cost.cost import facts
from fingerpost.golden.network.network import Network, build
from fingerpost.netfile.source import read

DIRECTORY = Path("build/bench/router_cost")

SIDE = 4
"""Nodes on a side of the mesh."""


def mesh(**router: Any) -> Network:
    """Return a mesh that one channel is enough for; its inner nodes have five ports.

    Nodes are numbered row by row, so the smallest port that is on a shortest path leads up, then
    left, then right, then down: no packet turns after it went down. With nodes further up, or
    further to the right, being higher, routes only ever go up first and then down.
    """
    links = [(node, node + 1) for node in range(SIDE**2) if (node + 1) % SIDE]
    links += [(node, node + SIDE) for node in range(SIDE**2 - SIDE)]
    heights = [(SIDE - 1 - node // SIDE) * SIDE + node % SIDE for node in range(SIDE**2)]
    description = {
        "name": f"mesh-{SIDE**2}",
        "topology": {"family": "edge-list", "nodes": SIDE**2, "links": links},
        "routing": {"algorithm": "table", "choice": "first"},
        "router": {"channel_order": heights, "virtual_channels": 1} | router,
    }
    return build(description)


class Row(NamedTuple):
    """A router: the network, the FPGA, and the node whose constants are tied.

    It is not node 0: constants that are 0 cost less than others.
    """

    name: str
    network: Callable[..., Network]
    device: str
    node: int = 1


def file(name: str) -> Callable[..., Network]:
    """Return what loads a network file, with some parameters of its routers."""
    source = read(Path("networks") / f"{name}.yaml")
    return lambda **router: source.with_router(**router).network()


INNER = SIDE + 1
"""A node of the mesh with links on all sides."""

ROWS = (
    Row("1 channel, mesh", mesh, "ecp5", INNER),
    Row("borel-21", file("borel-21"), "ecp5"),
    Row("borel-1081", file("borel-1081"), "ecp5"),
    Row("borel-1081-shortest", file("borel-1081-shortest"), "ecp5"),
    Row("1 channel x 2, mesh", partial(mesh, buffer_depth=2), "ice40", INNER),
)


def measure(row: Row, seeds: int, hop_cycles: int) -> dict[str, Any]:
    """Return the cost of a row, where a hop takes so many cycles."""
    network = row.network(hop_cycles=hop_cycles)
    cost = facts(
        network,
        node=row.node,
        seeds=seeds,
        directory=DIRECTORY,
        device=row.device,
        progress=lambda what: print(f"{row.name}, {hop_cycles}: {what}", file=sys.stderr),
    )
    shown = "device", "sites", "flip_flops", "ramw", "block_rams", "fmax_mhz", "hop_ns", "sites_ns"
    return {
        "name": row.name,
        "virtual_channels": network.virtual_channels,
        "buffer_depth": network.buffer_depth,
        "hop_cycles": network.hop_cycles,
        **{key: cost[key] for key in shown},
    }


def main() -> None:
    """Run the rows that are asked for."""
    asked = arguments(__doc__, "words", seeds=3, hops=(2,))
    wanted = (row for row in ROWS if all(w in f"{row.name} {row.device}" for w in asked.words))
    rows = (measure(row, asked.seeds, cycles) for row in wanted for cycles in asked.hops)
    tell(asked, f"Routers between registers, median of {asked.seeds} seeds", rows)


if __name__ == "__main__":
    main()
