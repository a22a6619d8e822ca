"""The networks that the model is tried on, and what is on their links."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.router.state import of_run

ORDER = [9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13]


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}

BOREL_20 = {"family": "borel", "p": 5, "a": 2, "A": [1, 1], "B": [3, 0]}
"""Its classes have more than one node each."""


BIPARTITE: dict[str, Any] = {
    "family": "edge-list",
    "nodes": 20,
    "links": [(i, 10 + j) for i in range(10) for j in range(10)],
}
"""Nodes of ten links: all ten are on shortest ways to the nodes two hops away."""


def built(
    topology: dict[str, Any],
    algorithm: str = "table",
    *,
    name: str = "net",
    link: dict[str, Any] | None = None,
    positions: dict[str, Any] | None = None,
    **router: Any,
) -> Network:
    """Build a network; what is not said of its routers has defaults."""
    parts = {"routing": {"algorithm": algorithm}, "router": router}
    return build(
        {"name": name, "topology": topology, **parts, "link": link, "positions": positions}
    )


@cache
def borel21(depth: int = 8) -> Network:
    router: dict[str, Any] = {"buffer_depth": depth, "channel_order": ORDER}
    return built(BOREL, "two-phase", name="borel-21", **router)


def arriving(model: Wormhole) -> tuple[IntArray, NDArray[Any]]:
    """Return what is on links in the next cycle: inputs, node * ports + port, and their flits.

    A flit on its way to a terminal has the place of the input from there.
    """
    in_flight, ports = of_run(model.arrays, 0).in_flight, np.arange(model.config.ports)
    slot = model.runs[0].now % len(in_flight.flits)
    node, port = np.nonzero(in_flight.arriving[slot, 0][:, None] >> ports & 1)
    place = node * model.config.ports + port
    return place, in_flight.flits[slot][place]
