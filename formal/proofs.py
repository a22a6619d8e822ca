"""All proofs, in one list: what `make formal` runs, and the tests.

A further contract, or size of one, is a further line.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fingerpost.formal.arbiters import arbiter, batch_arbiter, bypass_limit
from fingerpost.formal.axi4_manager import read_manager, write_manager
from fingerpost.formal.axi4_subordinate import answer_timeout, axi4_subordinate, packet_merge
from fingerpost.formal.axi_stream import axi_receiver, axi_sender, concentrator, distributor
from fingerpost.formal.buses import axi_lite, port_registers, wishbone
from fingerpost.formal.cells import cell_receiver, cell_sender, cells
from fingerpost.formal.contract import Contract
from fingerpost.formal.counters import count, counters, tap
from fingerpost.formal.deflection import deflection_flits, deflection_priority
from fingerpost.formal.flow_receiver import flow_receiver, reassembly
from fingerpost.formal.flow_sender import flow_sender, pace, windows
from fingerpost.formal.input_port import injection, input_port
from fingerpost.formal.mailbox_registers import mailbox_dma, mailbox_registers
from fingerpost.formal.messages import (
    mailbox_receiver,
    mailbox_sender,
    message_receiver,
    message_sender,
)
from fingerpost.formal.os_link import os_link, os_links, receiver
from fingerpost.formal.output_port import credit_counter, output_port, progress
from fingerpost.formal.prove import Verdict, graph_of, prove, unreached
from fingerpost.formal.queues import block_queue, crossing, packet_queue, packet_store, vc_buffer
from fingerpost.formal.router import joined, router
from fingerpost.formal.stream_link import frame_crc, stream_link, stream_recovery
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.router.pipeline import Pipeline

ENGINE, INDUCTION, BOUNDED = "abc pdr", "abc ind", "abc bmc3"
"""What proves them: the first two forever, the last for so many cycles."""


@dataclass(frozen=True)
class Proof:
    """A contract of a component of some size."""

    contract: Callable[..., Contract]
    """Makes the contract; it has the name of the component."""
    size: Mapping[str, Any] = field(default_factory=dict)
    """Its arguments."""
    long: bool = False
    """Whether it is left to `make formal` and `make regress`."""
    seconds: int = 1800
    """After these the engine gives up."""
    depth: int | None = None
    """It is tried for so many cycles only."""
    resets: bool = False
    """Whether there may be a reset in any cycle."""

    @property
    def component(self) -> str:
        """Return the name of the component."""
        return self.contract.__name__

    def __str__(self) -> str:
        """Return the component and its size, for people."""
        words = (f"{name} {_short(value)}" for name, value in self.size.items())
        cycles = "" if self.depth is None else f", {self.depth} cycles"
        return f"{self.component}: {', '.join(words)}{cycles}" + ", resets" * self.resets

    def make(self) -> Contract:
        """Return the contract."""
        contract = self.contract(**self.size)
        contract.resets = self.resets
        return contract


def _short(value: Any) -> str:
    if isinstance(value, Lanes):
        return f"{value.classes} of {value.channels}"
    if isinstance(value, Pipeline):
        return f"{value.routing}+{value.allocation}+{value.traversal}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class Outcome:
    """What came out of a proof."""

    proof: Proof
    claims: tuple[str, ...]
    """Of its contract."""
    verdict: Verdict
    seconds: float
    unreached: tuple[str, ...] = ()
    """The claims that say nothing: what they are about does not happen."""
    engine: str = ENGINE


def _of(contract: Callable[..., Contract], *sizes: Mapping[str, Any], long: bool = False) -> Any:
    return [Proof(contract, size, long) for size in sizes]


OUT = {"channels": (2, 2, 1), "lanes": Lanes(2, 2), "depth": 2}
ONE = {"channels": (1, 1), "lanes": Lanes(1, 1), "depth": 1, "terminals": 0}
CLASSES = {"channels": (2, 2, 2), "lanes": Lanes(1, 1, 2), "depth": 1}
STREAM = {"channels": 1, "place_bits": 1, "flits": 1}
SIX = {"channels": (1,) * 6, "lanes": Lanes(1, 1), "depth": 2}
THREE = {"channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2}

REGISTER, LATER = Pipeline(routing=2), Pipeline(allocation=1)
"""With a register behind the routing unit, and with switch traversal a cycle after the grant."""

RING: Mapping[str, Any] = {"topology": "ring", "ejections": 1}
KAUTZ: Mapping[str, Any] = {"topology": "kautz", "hop_cycles": 4, "table": "ram"}
COMPLETE: Mapping[str, Any] = {"topology": "complete", "injection": "half"}
TORUS: Mapping[str, Any] = {"topology": "torus", "ejections": 1, "table": "ram"}

PROOFS: tuple[Proof, ...] = (
    *_of(count, {"width": 3, "most": 1}, {"width": 3, "most": 3}, {"width": 8, "most": 5}),
    *_of(arbiter, *({"requests": n, "yielding": y} for n in (2, 3, 5) for y in (0, 1, 2))),
    *_of(arbiter, {"requests": 7}, {"requests": 9, "yielding": 1}),
    *_of(batch_arbiter, *({"sources": n} for n in (2, 3, 4))),
    *_of(
        batch_arbiter,
        *({"sources": 3, "yielding": y, "bypass_limit": k} for y in (1, 2) for k in (1, 3)),
    ),
    *_of(batch_arbiter, *({"sources": n} for n in (5, 9)), long=True),
    *_of(
        batch_arbiter,
        *({"sources": 7, "yielding": y, "bypass_limit": k} for y, k in ((1, 1), (1, 3), (3, 2))),
        long=True,
    ),
    *_of(bypass_limit, *({"limit": n} for n in (1, 2, 3, 8))),
    *_of(
        vc_buffer,
        *({"depth": d, "outputs": o} for d, o in ((1, 2), (2, 4))),
        *({"depth": d, "outputs": 2, "early": True} for d in (1, 3)),
    ),
    *_of(
        vc_buffer,
        *({"depth": d, "outputs": o} for d, o in ((3, 4), (4, 3), (5, 3), (6, 4), (8, 4))),
        long=True,
    ),
    *_of(
        input_port,
        *({"channels": c, "depth": d} for c, d in ((1, 1), (3, 1))),
        *({"channels": 2, "depth": 1, "pipeline": p} for p in (REGISTER, LATER)),
    ),
    *_of(
        input_port,
        *({"channels": c, "depth": d} for c, d in ((1, 3), (1, 5), (2, 2), (2, 4), (4, 2), (8, 1))),
        *({"channels": 1, "depth": 2, "pipeline": p} for p in (REGISTER, LATER)),
        long=True,
    ),
    *_of(credit_counter, *({"depth": d} for d in (16, 1, 2, 3))),
    *_of(output_port, ONE, ONE | {"pipeline": LATER}, CLASSES, SIX),
    *_of(
        output_port,
        OUT | {"bypass_limits": (0, 0, 3), "eject": True},
        OUT | {"lanes": Lanes(1, 2), "depth": 4, "bypass_limits": (0, 0, 1)},
        OUT,
        OUT | {"eject": True},
        *(OUT | {"batches": False, "eject": eject} for eject in (False, True)),
        OUT | {"lanes": Lanes(1, 2), "batches": False},
        CLASSES | {"depth": 2, "eject": True},
        OUT | {"lanes": Lanes(1, 2)},
        OUT | {"lanes": Lanes(1, 2), "eject": True},
        OUT | {"bypass_limits": (0, 0, 1), "eject": True},
        *(
            OUT | {"bypass_limits": limits}
            for limits in ((0, 0, 1), (0, 0, 3), (2, 0, 1), (2, 2, 0), (2, 0, 3))
        ),
        *(
            OUT | {"channels": (2, 2, 2, 1), "bypass_limits": (0, 0, 0, 3), "eject": eject}
            for eject in (False, True)
        ),
        *(SIX | {"channels": (1,) * inputs} for inputs in (7, 8, 9)),
        *(OUT | {"bypass_limits": k, "pipeline": LATER} for k in ((), (0, 0, 3), (2, 0, 1))),
        OUT | {"lanes": Lanes(1, 2), "eject": True, "pipeline": LATER},
        long=True,
    ),
    *_of(
        progress,
        ONE | {"bound": 9},
        ONE | {"depth": 2, "bound": 5},
        ONE | {"depth": 2, "bound": 7, "pipeline": LATER},
        THREE | {"bound": 8},
    ),
    *_of(
        progress,
        THREE | {"depth": 1, "bound": 15},
        THREE | {"bypass_limits": (0, 0, 2), "bound": 10},
        THREE | {"channels": (1, 1, 1, 1), "bound": 15},
        long=True,
    ),
    *_of(
        joined,
        *({"channels": c, "depth": d} for c, d in ((1, 1), (2, 2))),
        *({"channels": 1, "depth": 2, "pipeline": p} for p in (REGISTER, LATER)),
    ),
    *_of(
        joined,
        *({"channels": c, "depth": d} for c, d in ((1, 4), (3, 1), (2, 4), (1, 8), (2, 8), (4, 4))),
        *({"channels": 2, "depth": d, "pipeline": p} for d, p in ((1, REGISTER), (4, LATER))),
        long=True,
    ),
    *_of(
        injection,
        {"depth": 1, "classes": 2},
        {"depth": 2, "header_cycles": 2},
        {"depth": 1, "classes": 3, "header_cycles": 1},
        *({"depth": d, "pipeline": p} for d in (1, 3) for p in (Pipeline(), REGISTER)),
    ),
    # A reset in any cycle.
    Proof(injection, {"depth": 3}, resets=True),
    Proof(input_port, {"channels": 2, "depth": 1, "pipeline": REGISTER}, resets=True),
    Proof(output_port, ONE, resets=True),
    Proof(output_port, OUT, long=True, resets=True),
    Proof(router, {"lanes": Lanes(1, 1), "depth": 1}, long=True, resets=True),
    *_of(axi_sender, *({"credits": c, "timeout": t} for c, t in ((1, 0), (1, 1)))),
    *_of(axi_sender, {"credits": 3, "timeout": 2}),
    *_of(axi_receiver, *({"depth": d, "status": s} for d, s in ((1, 0), (2, 2)))),
    *_of(axi_receiver, {"depth": 3}),
    *_of(axi_receiver, {"depth": 4}, long=True),
    *_of(block_queue, *({"depth": d} for d in (1, 3)), {"depth": 3, "block_rows": 2}),
    *_of(packet_queue, *({"depth": d} for d in (2, 4))),
    *_of(packet_store, *({"limit": b} for b in (1, 2, 3))),
    Proof(pace, {"limit": 1, "eager": 1}),
    *_of(pace, {"limit": 3, "eager": 2}, {"limit": 1, "eager": 1, "classes": 2}, long=True),
    Proof(windows, {"peers": 2, "eager": 2}, depth=10),
    *_of(windows, {"peers": 3, "eager": 1}, {"peers": 2, "eager": 1, "ordered": False}),
    Proof(reassembly, {"eager": 1}, depth=14),
    Proof(reassembly, {"eager": 1}, long=True, depth=20),
    *_of(windows, {"peers": 2, "eager": 2}, long=True),
    Proof(flow_receiver, {"eager": 1, "receive": 4, "answers": 2}, depth=12),
    Proof(flow_receiver, {"eager": 1, "receive": 2}, depth=14),
    Proof(flow_receiver, {"eager": 1, "receive": 4, "answers": 2}, long=True, depth=15),
    Proof(flow_receiver, {"eager": 2, "receive": 3}, long=True, depth=14),
    Proof(flow_sender, {"eager": 1, "credits": 1}, depth=12),
    Proof(flow_sender, {"eager": 1, "credits": 1}, long=True, depth=14),
    Proof(flow_sender, {"eager": 1, "credits": 3}, long=True, depth=13),
    Proof(flow_sender, {"eager": 2, "credits": 1, "ordered": False}, long=True, depth=16),
    *_of(message_sender, *({"longest": b, "timeout": t} for b, t in ((2, 0), (2, 2), (300, 1)))),
    *_of(message_receiver, *({"timeout": t} for t in (0, 1, 3))),
    *_of(concentrator, *({"endpoints": n, "bytes": b} for n, b in ((2, 1), (4, 2)))),
    *_of(distributor, *({"endpoints": n, "bytes": b} for n, b in ((2, 1), (4, 2)))),
    *_of(mailbox_sender, {"rows": 2, "limit": 1}),
    Proof(mailbox_sender, {"rows": 4, "limit": 2}, depth=12),
    *_of(mailbox_sender, *({"rows": 4, "limit": n} for n in (2, 3)), long=True),
    Proof(mailbox_sender, {"rows": 8, "limit": 2}, long=True, depth=12),
    Proof(mailbox_receiver, {"rows": 4, "limit": 2}, depth=12),
    *_of(mailbox_receiver, {"rows": 2, "limit": 1}),
    *_of(mailbox_receiver, *({"rows": 4, "limit": n} for n in (2, 3)), long=True),
    *_of(mailbox_registers, *({"classes": c} for c in (1, 2))),
    Proof(mailbox_dma, {"classes": 2}, depth=12),
    *_of(mailbox_dma, *({"classes": c} for c in (1, 2)), long=True),
    *_of(packet_merge, {"width": 2}),
    *_of(answer_timeout, {"cycles": 3}),
    *_of(axi4_subordinate, {"parts": 1, "longest": 2}),
    *_of(
        axi4_subordinate,
        {"parts": 2, "longest": 256},
        {"parts": 2, "longest": 4, "lite": True},
        long=True,
    ),
    Proof(read_manager, {"rows": 2, "longest": 2}, depth=12),
    Proof(read_manager, {"rows": 4, "longest": 3}, long=True, depth=14),
    *_of(
        read_manager,
        {"rows": 2, "longest": 1},
        {"rows": 2, "longest": 1, "lite": True},
        long=True,
    ),
    Proof(write_manager, {"rows": 4, "longest": 2}, depth=12),
    Proof(write_manager, {"rows": 4, "longest": 2}, long=True, depth=18),
    *_of(write_manager, {"rows": 4, "longest": 1, "lite": True}, long=True),
    *_of(crossing, *({"depth": 2, "resets": r} for r in (False, True))),
    *_of(crossing, *({"depth": d, "resets": True} for d in (4, 8)), long=True),
    *_of(axi_lite, *({"address_width": w} for w in (4, 12))),
    *_of(wishbone, *({"address_width": w} for w in (4, 12))),
    *_of(tap, {"events": 2, "width": 3}),
    *_of(counters, {"sums": 1}),
    *_of(counters, {"sums": 2}, long=True),
    *_of(port_registers, *({"breaks": b} for b in (False, True))),
    *_of(receiver, {"clocks_per_bit": 4, "per_mille": 24}),
    Proof(receiver, {"clocks_per_bit": 4, "per_mille": 24}, depth=64, resets=True),
    *_of(
        receiver,
        {"clocks_per_bit": 5, "per_mille": 36},
        {"clocks_per_bit": 5, "per_mille": 20, "stop": "ignored"},
        long=True,
    ),
    *_of(os_link, {"fifo": 1}),
    *_of(
        os_link,
        {"fifo": 2, "late": True},
        {"clocks_per_bit": 5, "fifo": 2, "slot": 12},
        long=True,
    ),
    *_of(cell_receiver, {"channels": 2}),
    *_of(cell_sender, {"channels": 2, "depth": 1}),
    Proof(cells, {"damage": False}, depth=12),
    Proof(cells, {"damage": True}, long=True, depth=12),
    *_of(frame_crc, STREAM),
    *_of(frame_crc, {"channels": 1, "place_bits": 2, "flits": 1}, long=True),
    Proof(stream_link, {**STREAM, "within": 96}, depth=24),
    Proof(stream_link, STREAM, long=True),
    Proof(stream_recovery, {**STREAM, "within": 96}),
    Proof(stream_link, {"channels": 1, "place_bits": 2, "flits": 2}, long=True, depth=30),
    Proof(stream_link, {"channels": 2, "place_bits": 1, "flits": 2}, long=True, depth=22),
    Proof(os_links, {"fifo": 1}, long=True, depth=190),
    Proof(os_links, {"fifo": 1, "both": False}, long=True, depth=240),
    Proof(os_links, {"fifo": 2, "both": False}, long=True, depth=230),
    Proof(os_links, {"fifo": 1, "both": False, "skew": 80}, long=True, depth=220),
    Proof(os_links, {"fifo": 2, "slots": (12, 0), "bound": 200}, long=True, depth=600),
    *_of(deflection_flits, RING),
    *_of(deflection_priority, RING, KAUTZ),
    *_of(deflection_flits, KAUTZ, COMPLETE, TORUS),
    *_of(deflection_priority, COMPLETE, TORUS),
    *_of(router, {"lanes": Lanes(1, 1), "depth": 1}),
    *_of(
        router,
        {"lanes": Lanes(1, 1), "depth": 2, "bypass_limit": 3},
        {"lanes": Lanes(1, 1), "depth": 1, "bypass_limit": 3, "turn_bypass_limit": 2},
        {"lanes": Lanes(2, 2), "depth": 1, "bypass_limit": 1},
        {"lanes": Lanes(1, 2), "depth": 1, "bypass_limit": 1},
        {"lanes": Lanes(2, 2), "depth": 1, "batches": False},
        {"lanes": Lanes(1, 1, 2), "depth": 1},
        {"lanes": Lanes(1, 1), "depth": 1, "bypass_limit": 3, "pipeline": LATER},
        {"lanes": Lanes(1, 2), "depth": 1, "bypass_limit": 1, "pipeline": LATER},
        long=True,
    ),
)


def run(proofs: Iterable[Proof], *, workers: int = 2) -> Iterator[Outcome]:
    """Run proofs, some at a time, and yield what comes out in their order.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(_outcome, proofs)


def _outcome(proof: Proof) -> Outcome:
    began = time.monotonic()
    contract = proof.make()
    graph = graph_of([contract])
    engine = ENGINE if contract.induction is None else INDUCTION
    if proof.depth is not None:
        engine = BOUNDED
    verdict = prove(contract, seconds=proof.seconds, depth=proof.depth, graph=graph)
    missed = tuple(unreached(contract, graph))
    claims = tuple(contract.claims)
    return Outcome(proof, claims, verdict, time.monotonic() - began, missed, engine)
