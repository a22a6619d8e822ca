"""The networks that the model is tried on, and a driver that is not golden's own."""

from functools import cache
from typing import Any

import numpy as np

from fingerpost.golden.model import CreditTerminalModel, Flits, Model, Traffic, cycle
from fingerpost.golden.network.network import Network, build

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
    topology: dict[str, Any], algorithm: str = "table", *, name: str = "net", **router: Any
) -> Network:
    """Build a network; what is not said of its routers has defaults."""
    routing = {"algorithm": algorithm}
    return build({"name": name, "topology": topology, "routing": routing, "router": router})


@cache
def borel21(depth: int = 8) -> Network:
    router = {"buffer_depth": depth, "channel_order": ORDER}
    return built(BOREL, "two-phase", name="borel-21", **router)


def packet(network: Network, source: int, destination: int, length: int) -> list[Flits]:
    """Return the flits of one packet, in their order; the data of a body flit is its number."""
    routing, local = network.routing, network.topology.local
    header = int(routing.encode(np.array(source), np.array(destination)))
    return [
        Flits(
            port_index=np.array([source * (local + 1) + local]),
            channel=np.array([0]),
            head=np.array([index == 0]),
            tail=np.array([index == length - 1]),
            data=np.array([header if index == 0 else index]),
            tag=np.array([destination]),
        )
        for index in range(length)
    ]


def drain(model: Model, terminals: CreditTerminalModel, now: int, *, most: int = 5000) -> int:
    """Run until nothing is left to do; return the cycle after the last."""
    end = now + most
    while not (terminals.empty and is_empty(model)):
        if now == end:
            raise AssertionError(f"not empty after {most} cycles: {terminals.missing}")
        cycle(model, terminals, now)
        now += 1
    return now


def is_empty(model: Model) -> bool:
    """Return whether no flit and no credit is anywhere."""
    moving = [model.st_flit, model.link, model.ejected, *model.injection]
    waiting = model.vc_buffers.level.any() or len(model.credit)
    return not (any(len(flits.port_index) for flits in moving) or waiting)


def start(traffic: Traffic, *, stall: float = 0.0) -> tuple[Model, CreditTerminalModel]:
    assert isinstance(traffic.network, Network)
    return Model(traffic.network), CreditTerminalModel(traffic, stall=stall)
