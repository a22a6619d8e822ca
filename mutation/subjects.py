"""What is mutated: nodes of networks that differ in routing, channels, depths, widths and ports."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from golden.link import OsLinkParameters
from mutation.ends import LinkEnds
from mutation.node import FULL, QUIET, RUDE, Nodes
from mutation.port import OsLinkPorts
from mutation.subject import Subject

__all__ = ["SUBJECTS"]

LONG: dict[str, Any] = {"cycles": 20000, "load": 0.95, "lengths": (1, 2), "stall": 0.5, "seed": 22}
"""For turns that come seldom: a guest has had its own, and waits while another still does."""


def _nodes(name: str, topology: Mapping[str, Any], algorithm: str, **router: Any) -> Nodes:
    return Nodes(
        {
            "name": name, "topology": topology, "routing": {"algorithm": algorithm},
            "router": router,
        }
    )  # fmt: skip


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}

ORDER = [9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13]
"""With it two channels are enough."""

PETERSEN = [
    *((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5)),
    *((5 + i, 5 + (i + 2) % 5) for i in range(5)),
]  # fmt: skip

TORUS = {"family": "grid", "sizes": [4, 4], "wrap": True}

RING = {"family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)]}

SUBJECTS: tuple[Subject, ...] = (
    _nodes("borel-21", BOREL, "two-phase", channel_order=ORDER, flit_width=20),
    _nodes("lanes", BOREL, "two-phase", virtual_channels=4, courtesy=2, buffer_depth=2,
             flit_width=12),
    _nodes("adaptive", BOREL, "adaptive", buffer_depth=8, flit_width=10),
    _nodes("petersen", {"family": "edge-list", "nodes": 10, "links": PETERSEN}, "table",
             buffer_depth=1, flit_width=63),
    _nodes("torus", TORUS, "dimension-order", buffer_depth=3, flit_width=16, courtesy=1,
             turn_courtesy=2, routing_register=True),
    replace(
        _nodes("guests", TORUS, "dimension-order", virtual_channels=2, buffer_depth=2,
                 flit_width=10, courtesy=3, turn_courtesy=2),
        within=r"arbiter|courtesy|rounds",
        stimuli=(QUIET, FULL, RUDE, LONG),
    ),
    _nodes("random", {"family": "scc", "n": 3}, "random",
           buffer_depth=5, flit_width=13, courtesy=0),
    _nodes("rotator", {"family": "rotator", "n": 3}, "rotator", buffer_depth=4, flit_width=8),
    OsLinkPorts("os-link", OsLinkParameters(4, timeout=12)),
    OsLinkPorts("os-link-breaks", OsLinkParameters(5, 3, "late", 12, 40, breaks=True)),
    OsLinkPorts("os-link-inmos", OsLinkParameters(5, 1, stop="ignored")),
    LinkEnds("cells", {
        "name": "cells", "topology": RING, "routing": {"algorithm": "table"},
        "router": {"flit_width": 24, "virtual_channels": 3, "buffer_depth": 2},
        "link": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12},
    }),
)  # fmt: skip
"""The routers of all networks, of guests only what sees to turns; the port of an OS-Link with
three sets of parameters; and what stands between it and a router."""
