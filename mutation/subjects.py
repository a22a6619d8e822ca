"""What is mutated: nodes of networks that differ in routing, channels, depths, widths and ports."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fingerpost.formal.proofs import PROOFS
from fingerpost.golden.parameters import example
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from mutation.campaign import Subject
from mutation.contracts import Contracted
from mutation.nodes import FULL, QUIET, RUDE, Nodes
from mutation.units import Units

LONG: dict[str, Any] = {"cycles": 20000, "load": 0.95, "lengths": (1, 2), "stall": 0.5, "seed": 22}
"""For rare batches: a yielding input is masked, and waits while another still does."""


def _nodes(name: str, topology: Mapping[str, Any], algorithm: str, **router: Any) -> Nodes:
    return Nodes(
        {"name": name, "topology": topology, "routing": {"algorithm": algorithm}, "router": router}
    )


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

METACYCLIC = {"family": "metacyclic", "m": 28, "k": 3, "r": 9, "A": [1, 1], "B": [1, 2]}

IRREGULAR = {"family": "edge-list", "nodes": 10, "links": PETERSEN}

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


CONTRACTS: Mapping[str, str] = {
    "count: width 3, most 3": "",
    "axi_sender: credits 3, timeout 2": "",
    "axi_receiver: depth 3": "",
    "packet_queue: depth 4": "",
    "block_queue: depth 3": "",
    "packet_store: limit 3": "",
    "pace: limit 1, eager 1": "",
    "windows: peers 3, eager 1": "",
    "reassembly: eager 1, 20 cycles": "ready requests grants",
    "flow_receiver: eager 1, receive 4, answers 2, 15 cycles": "arrivals requests",
    "flow_sender: eager 1, credits 3, 13 cycles": "store windows",
    "message_sender: longest 2, timeout 2": "",
    "message_receiver: timeout 3": "",
    "packet_merge: width 2": "",
    "answer_timeout: cycles 3": "",
    "axi4_subordinate: parts 2, longest 256": "merge reads writes",
    "read_manager: rows 2, longest 2, 12 cycles": "",
    "write_manager: rows 4, longest 2, 12 cycles": "queue",
    "concentrator: endpoints 4, bytes 2": "",
    "distributor: endpoints 4, bytes 2": "",
    "mailbox_sender: rows 4, limit 2, 12 cycles": "",
    "mailbox_receiver: rows 4, limit 2, 12 cycles": "",
    "mailbox_registers: classes 2": "port",
    "mailbox_dma: classes 2, 12 cycles": "",
    "crossing: depth 2, resets True": "",
    "axi_lite: address_width 4": "",
    "wishbone: address_width 4": "",
    "tap: events 2, width 3": "",
    "counters: sums 1": "port",
    "port_registers: breaks True": "port",
    "receiver: clocks_per_bit 4, per_mille 24": "",
    "os_link: fifo 1": "",
    "cells: damage True, 12 cycles": "queue receiver",
    "cell_receiver: channels 2": "",
    "stream_link: channels 1, place_bits 1, flits 1, within 96, 24 cycles": "",
    "deflection_priority: topology ring, ejections 1": "",
}
"""Proofs whose components are mutated, and the names of parts that are left out, with contracts of
their own; `grants`, `reads`, `writes` and the `queue` of `cells` are queues of Amaranth's, one of
which is mutated in `axi_receiver`."""

_RING = "topology ring, ejections 1"
OTHERS = {f"deflection_priority: {_RING}": f"deflection_flits: {_RING}"}
"""Another contract of the same component, where one alone does not say all of it."""

NOT_MUTATED: Mapping[str, str] = {
    **dict.fromkeys(
        ("Node", "TerminatedRouter", "FlowInterface", "OsLinkInterface", "StoredSender"),
        "wires between components: cosim --level network",
    ),
    **dict.fromkeys(
        ("BarePort", "RegisteredPort", "NetworkComponent", "TerminalAlone"),
        "wires for other designs, or for measurements: tests/hdl/export, tests/fingerpost",
    ),
    **dict.fromkeys(
        ("Exerciser", "Reporter", "UartSender", "Source", "Sink"),
        "of board images alone: tests/hdl/board",
    ),
    "LinkRegister": "registers alone: python checker/deadlock.py, and cosim --level network",
    "StreamEnd": "wires, and the state of a link: tests/hdl/link/test_stream_link.py",
    "StreamChannel": "registers alone: tests/hdl/export/test_boards.py",
    "Axi4Manager": "wires, and halves of beats: tests/hdl/terminal/test_axi4.py",
    "TableWriter": "registers behind a port that is mutated: tests/hdl/test_memory.py",
}
"""Components of hdl/ that no subject has, with the reason and what notices a fault."""


def _contracts() -> Iterator[Contracted]:
    """Yield those proofs, with resets in any cycle, unless the contract has its own."""
    for proof in PROOFS:
        if not proof.resets and str(proof) in CONTRACTS:
            resets = "resets" not in proof.size
            others = [replace(x, resets=resets) for x in PROOFS if str(x) == OTHERS.get(str(proof))]
            yield Contracted(replace(proof, resets=resets), CONTRACTS[str(proof)], tuple(others))


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
            hop_cycles=3,
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
        hop_cycles=3,
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
    replace(
        _nodes("local", IRREGULAR, "table", buffer_depth=2, flit_width=11, service="local"),
        within="vc_allocator",
        spare=20.0,
    ),
    _nodes("rotator", {"family": "rotator", "n": 3}, "rotator", buffer_depth=4, flit_width=8),
    *_every_algorithm(),
    _units("two-phase-computed", METACYCLIC, "two-phase", phase1="computed"),
    _units("dimension-order-mesh", MESH, "dimension-order"),
    *_contracts(),
)
"""Routers of networks, of `yielding` only the arbiters, of `local` only VC allocation; header
generator and routing unit of each algorithm but `random`, which routers have; and all other
components, each in a contract."""
