"""What is mutated: nodes of networks that differ in routing, channels, depths, widths and ports."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.parameters import example
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.testbench.terminals.endpoints import (
    ConcentratorStimulus,
    DistributorStimulus,
    PacketQueueStimulus,
)
from fingerpost.testbench.terminals.mailbox import MailboxStimulus
from mutation.axi import AxiTerminals
from mutation.ends import LinkEnds
from mutation.flow import FlowTerminals
from mutation.lanes import Beside
from mutation.node import FULL, QUIET, RUDE, DeflectionRouters, Nodes
from mutation.port import OsLinkPorts
from mutation.programs import MessageTerminals
from mutation.subject import Subject
from mutation.unit import Units

LONG: dict[str, Any] = {"cycles": 20000, "load": 0.95, "lengths": (1, 2), "stall": 0.5, "seed": 22}
"""For rare batches: a yielding input is masked, and waits while another still does."""


def _nodes(name: str, topology: Mapping[str, Any], algorithm: str, **router: Any) -> Nodes:
    return Nodes(
        {"name": name, "topology": topology, "routing": {"algorithm": algorithm}, "router": router}
    )


def _deflection(name: str, topology: Mapping[str, Any], **router: Any) -> DeflectionRouters:
    parameters = {"kind": "deflection", **router}
    return DeflectionRouters({"name": name, "topology": topology, "router": parameters})


def _units(name: str, topology: Mapping[str, Any], algorithm: str, **options: Any) -> Units:
    routing = {"algorithm": algorithm, **options}
    return Units(name, {"name": name, "topology": topology, "routing": routing})


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}

ORDER = [9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13]
"""With it two channels are enough."""

PETERSEN = [
    *((i, (i + 1) % 5) for i in range(5)),
    *((i, i + 5) for i in range(5)),
    *((5 + i, 5 + (i + 2) % 5) for i in range(5)),
]

TORUS = {"family": "grid", "sizes": [4, 4], "wrap": True}

RING = {"family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)]}

METACYCLIC = {"family": "metacyclic", "m": 28, "k": 3, "r": 9, "A": [1, 1], "B": [1, 2]}

IRREGULAR = {"family": "edge-list", "nodes": 10, "links": PETERSEN}

FOUR = {"endpoints": 4, "bytes": 2, "number": 3}

MESH = {"family": "grid", "sizes": [3, 4, 2]}


def _every_algorithm() -> Iterator[Units]:
    """Yield the routing unit of each algorithm, on the example of each family that it serves.

    Random choices are left out: they are too many to try all.
    """
    for name, algorithm in ALGORITHMS.items():
        if algorithm.selection == "random":
            continue
        for family in algorithm.families:
            topology = {"family": family, **example(FAMILIES[family])}
            yield _units(f"{name}-{family}", topology, name)
        if not algorithm.families:
            yield _units(name, IRREGULAR, name)


SUBJECTS: tuple[Subject, ...] = (
    _nodes("borel-21", BOREL, "two-phase", channel_order=ORDER, flit_width=20),
    replace(
        _nodes(
            "lanes",
            BOREL,
            "two-phase",
            virtual_channels=4,
            bypass_limit=2,
            buffer_depth=2,
            flit_width=12,
        ),
        routers=256,
    ),
    _nodes("adaptive", BOREL, "adaptive", buffer_depth=8, flit_width=10),
    _nodes("petersen", IRREGULAR, "table", buffer_depth=1, flit_width=63),
    _nodes(
        "torus",
        TORUS,
        "dimension-order",
        buffer_depth=3,
        flit_width=16,
        bypass_limit=1,
        turn_bypass_limit=2,
        routing_register=True,
    ),
    replace(
        _nodes(
            "yielding",
            TORUS,
            "dimension-order",
            virtual_channels=2,
            buffer_depth=2,
            flit_width=10,
            bypass_limit=3,
            turn_bypass_limit=2,
        ),
        within=r"switch_allocator|batch_arbiter|bypass_limit",
        routers=256,
        stimuli=(QUIET, FULL, RUDE, LONG),
        spare=20.0,
    ),
    _nodes(
        "random", {"family": "scc", "n": 3}, "random", buffer_depth=5, flit_width=13, bypass_limit=0
    ),
    _nodes("rotator", {"family": "rotator", "n": 3}, "rotator", buffer_depth=4, flit_width=8),
    _deflection("deflection", BOREL, flit_width=12, epoch=6, wait_limit=4),
    _deflection(
        "deflection-3",
        IRREGULAR,
        flit_width=10,
        hop_cycles=3,
        ejections=1,
        injection="half",
        epoch=5,
        wait_limit=4,
    ),
    *_every_algorithm(),
    _units("two-phase-computed", METACYCLIC, "two-phase", phase1="computed"),
    _units("dimension-order-mesh", MESH, "dimension-order"),
    OsLinkPorts("os-link", OsLinkParameters(4, timeout=12)),
    OsLinkPorts("os-link-breaks", OsLinkParameters(5, 3, "late", 12, 40, breaks=True)),
    OsLinkPorts("os-link-inmos", OsLinkParameters(5, 1, stop="ignored")),
    AxiTerminals(
        "axi-stream",
        {
            "name": "axi_stream",
            "topology": IRREGULAR,
            "routing": {"algorithm": "up-down"},
            "router": {"flit_width": 24, "buffer_depth": 3},
            "terminal": {"kind": "axi-stream"},
        },
        timeout=6,
    ),
    FlowTerminals(
        "flow",
        {
            "name": "flow",
            "topology": {"family": "grid", "sizes": [8, 3]},
            "routing": {"algorithm": "dimension-order"},
            "router": {"flit_width": 24, "buffer_depth": 8},
            "terminal": {
                "kind": "axi-stream",
                "flow_control": "end-to-end",
                "eager": 6,
                "packet_limit": 9,
                "receive": 20,
            },
        },
    ),
    MessageTerminals("messages", timeout=6),
    Beside("mailbox", "mailbox", partial(MailboxStimulus, bus="axi-lite"), turns=(3000, 6000)),
    Beside(
        "mailbox-dma",
        "mailbox",
        partial(MailboxStimulus, bus="wishbone", dma=True),
        turns=(6000, 9000),
    ),
    Beside(
        "packet-queue",
        "packet_queue",
        partial(PacketQueueStimulus, bytes=2, number=3, depth=8),
        turns=(3000, 3000),
    ),
    Beside("concentrator", "concentrator", partial(ConcentratorStimulus, **FOUR), (2000, 2000)),
    Beside("distributor", "distributor", partial(DistributorStimulus, **FOUR), (2000,)),
    LinkEnds(
        "cells",
        {
            "name": "cells",
            "topology": RING,
            "routing": {"algorithm": "table"},
            "router": {"flit_width": 24, "virtual_channels": 3, "buffer_depth": 2},
            "link": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12},
        },
    ),
)
"""The routers of all networks, of yielding only its arbiters; header generator and routing unit of
each algorithm but `random` and `table`, which routers have; the port of an OS-Link with three sets
of parameters; what stands between it and a router; and the interfaces of other terminals."""
