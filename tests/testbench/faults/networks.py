"""Networks on which faults are tried."""

from itertools import combinations
from typing import Any

from fingerpost.golden.link import OsLinkParameters

BOREL_21: dict[str, Any] = {
    "name": "borel-21",
    "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "routing": {"algorithm": "two-phase"},
    "router": {
        "channel_order": [
            *(9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13)
        ]
    },
}
"""Two channels are enough in this order."""

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

RING_8: dict[str, Any] = {
    "name": "ring",
    "topology": {"family": "grid", "sizes": [8], "wrap": True},
    "routing": {"algorithm": "table"},
}

WIRED_RING: dict[str, Any] = {key: RING[key] for key in ("name", "topology", "routing")}

CLASSES = WIRED_RING | {"name": "ring-5-classes", "router": {"classes": 2, "buffer_depth": 2}}
"""Two message classes of two channels each."""

FAT_TREE: dict[str, Any] = {
    "name": "fat-tree",
    "topology": {
        "family": "edge-list",
        "nodes": 12,
        "links": [
            *((leaf, 8 + leaf // 4 * 2 + way) for leaf in range(8) for way in range(2)),
            *((8, 10), (8, 11), (9, 10), (9, 11)),
        ],
        "terminals": list(range(8)),
    },
    "routing": {"algorithm": "up-down"},
}
"""Eight leaves with two ways up; no other node has a terminal."""

CONCENTRATED: dict[str, Any] = {
    "name": "concentrated",
    "topology": {"family": "grid", "sizes": [2, 2], "terminals": {0: 4, 1: 4, 2: 2, 3: 4}},
    "routing": {"algorithm": "dimension-order"},
}
"""A mesh of routers with four terminals each, one with two."""

SEVERAL: dict[str, Any] = {
    "name": "several",
    "topology": {
        "family": "edge-list",
        "nodes": 5,
        "links": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)],
        "terminals": {0: 2, 1: 1, 2: 3, 4: 1},
    },
    "routing": {"algorithm": "table"},
}
"""Routers with two terminals, three, one and none."""

PARALLEL: dict[str, Any] = {
    "name": "parallel",
    "topology": {
        "family": "edge-list",
        "nodes": 4,
        "links": [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (0, 1), (0, 1)],
        "directed": True,
        "terminals": [0, 1, 3],
    },
    "routing": {"algorithm": "table"},
}
"""Links of one direction, three of them beside each other."""

MESH: dict[str, Any] = {
    "name": "mesh",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}

AXI4: dict[str, Any] = MESH | {
    "terminal": {"kind": "axi4", "lite": [3]},
    "memory_map": [
        {"base": 0, "size": 0x10000, "nodes": "all"},
        {"base": 0x80000000, "size": 0x10000, "node": 2},
    ],
}
"""Managers and memories of AXI4, and both of AXI4-Lite at a node."""

AXI4_ALL: dict[str, Any] = AXI4 | {"terminal": {"kind": "axi4"}}

PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "edge-list", "nodes": 2, "links": [(0, 1)]},
    "routing": {"algorithm": "table"},
}

COMPLETE: dict[str, Any] = {
    "name": "deflects",
    "topology": {"family": "edge-list", "nodes": 4, "links": [*combinations(range(4), 2)]},
    "router": {"kind": "deflection"},
    "counters": {"kind": "axi-lite"},
}

LEAVES: dict[str, Any] = {
    "name": "kyklos",
    "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 2},
    "routing": {"algorithm": "m"},
}
"""Three kinds of nodes, some without terminal."""

COUNTED: dict[str, Any] = {
    "name": "counted",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"buffer_depth": 3},
    "counters": {"kind": "axi-lite"},
}
"""Small, with nodes that lack a link."""

SQUARE: dict[str, Any] = {
    "name": "square",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"buffer_depth": 3},
    "terminal": {"kind": "axi-stream", "timeout": 12},
}
"""Small, with numbers that have no terminal: 6 and 7."""

OWN = SQUARE | {"terminal": {"kind": "axi-stream", "timeout": 60, "clock": "own"}}
"""Its terminals have clocks of their own."""

SMALL_FLOW: dict[str, Any] = {
    "kind": "axi-stream",
    "flow_control": "end-to-end",
    "eager": 2,
    "packet_limit": 5,
    "receive": 6,
}
"""Packets of 3 beats or more need a request, one of 6 is dropped; one is granted at a time."""

FLOW = SQUARE | {"name": "flow", "terminal": SMALL_FLOW}

TRIANGLE: dict[str, Any] = {
    "name": "triangle",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]},
    "routing": {"algorithm": "table"},
    "router": {"buffer_depth": 2},
    "terminal": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 200, "longest": 24},
}
"""Small, with a number that has no terminal, 3; a message of 24 bytes is the longest."""

SETS = (
    OsLinkParameters(5),
    OsLinkParameters(4, breaks=True),
    OsLinkParameters(5, 3, "late", 12, 80, True),
    OsLinkParameters(8, 1, timeout=40, stop="ignored"),
)
"""The parameters of the OS-Link ports that are tried: each is in one of them."""

MAILBOXES: dict[str, Any] = {
    "name": "four-mailboxes",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "table"},
    "terminal": {"kind": "mailbox", "send_words": 8, "receive_words": 8, "packet_limit": 6},
}
"""Mailboxes that are often full."""

TWO_MAILBOXES: dict[str, Any] = MAILBOXES | {"router": {"classes": 2}}
"""The same, with two message classes."""

OWN_MAILBOXES: dict[str, Any] = MAILBOXES | {"terminal": MAILBOXES["terminal"] | {"clock": "own"}}
"""The same on clocks of their own."""
