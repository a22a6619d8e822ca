"""Networks on which faults are tried."""

from typing import Any

__all__ = ["BOREL_21", "COURTEOUS", "LANES", "RING", "ROTATOR_6", "TURNING"]

BOREL_21: dict[str, Any] = {
    "name": "borel-21",
    "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "routing": {"algorithm": "two-phase"},
    "router": {
        "channel_order": [
            *(9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13)
        ],
    },
}
"""Two channels are enough in this order."""

LANES = BOREL_21 | {"name": "borel-21-lanes", "router": {"virtual_channels": 4}}
"""Twice as many channels as its proof needs."""

COURTEOUS = LANES | {"name": "borel-21-courteous", "router": {"bypass_limit": 2}}
"""Heads from terminals let others pass."""

TURNING: dict[str, Any] = {
    "name": "torus-4x4-courteous",
    "topology": {"family": "grid", "sizes": [4, 4], "wrap": True},
    "routing": {"algorithm": "dimension-order"},
    "router": {"bypass_limit": 1, "turn_bypass_limit": 1},
}
"""Heads that turn into a ring let others pass, too."""

RING: dict[str, Any] = {
    "name": "ring-5",
    "topology": {"family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)]},
    "routing": {"algorithm": "table"},
    "router": {},
    "link": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12},
}
"""The smallest ring that needs two channels. A time-out is so short that it comes."""

ROTATOR_6: dict[str, Any] = {
    "name": "rotator-6",
    "topology": {"family": "rotator", "n": 3},
    "routing": {"algorithm": "rotator"},
}
"""The smallest of all: 6 nodes with two links out, and two in."""
