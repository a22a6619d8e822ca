"""Another kind of link and of terminal, with registers on all wires, and lock-step with them.

Nothing but these classes and their places in the registries: what is outside a kind serves them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import cocotb
import numpy as np
from amaranth import Module

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.link import LINKS, FlitLink
from fingerpost.golden.link.flit_link import Wires
from fingerpost.golden.terminal import TERMINALS, CreditTerminal, CreditTerminalModel
from fingerpost.golden.traffic import Traffic
from fingerpost.hdl.link import LINK_ENDS
from fingerpost.hdl.link.base import Linked
from fingerpost.hdl.link.flit_link import FlitLinkEnds
from fingerpost.hdl.terminal import TERMINAL_ENDS
from fingerpost.hdl.terminal.base import Local
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.testbench.benches import network_cocotb as network_test

NO_NODES = np.empty(0, np.int64)


class LateWires(Wires):
    """Wires with a register at their start: what is on them was sent in the cycle before."""

    held: tuple[Flits, IntArray] = Flits.empty(), NO_NODES

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        before, self.held = self.held, (flits, credit)
        return before

    def seen(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        return super().seen(*self.held)


@dataclass(frozen=True)
class LateLink(FlitLink):
    kind: ClassVar[str] = "late"
    jitter_reason: ClassVar[str] = "a register is on every wire"

    def between(
        self, start: IntArray, end: IntArray, *, channels: int, depth: int, flit_width: int
    ) -> LateWires:
        return LateWires(start, channels=channels)


class LateLinkEnds(FlitLinkEnds):
    kind: ClassVar[str] = "late"
    adds: ClassVar[str] = "registers"

    def join(self, m: Module, node: Any, router: Linked) -> None:
        for port in router.node_type.outputs:
            pass_on(m, router.outputs[port], node.outputs[port])
        for port in router.node_type.inputs:
            take_up(m, node.inputs[port], router.inputs[port])


class LateTerminalModel(CreditTerminalModel):
    """Terminals to which all comes a cycle later."""

    def __init__(self, traffic: Traffic, **options: Any) -> None:
        super().__init__(traffic, **options)
        self.flits, self.nodes = Flits.empty(), NO_NODES
        self.now = self.flits, self.nodes

    def credit(self, nodes: IntArray) -> None:
        self.nodes, late = nodes, self.nodes
        self.now = self.flits, late
        super().credit(late)

    def receive(self, flits: Flits, cycle: int) -> None:
        self.flits, late = flits, self.flits
        super().receive(late, cycle)

    def seen(self, out: Flits, credited: IntArray) -> dict[str, IntArray]:
        return super().seen(*self.now)


@dataclass(frozen=True)
class LateTerminal(CreditTerminal):
    kind: ClassVar[str] = "late"

    def model(self, traffic: Traffic, **options: Any) -> LateTerminalModel:
        return LateTerminalModel(traffic, **options)


class LateTerminalEnd(CreditTerminalEnd):
    kind: ClassVar[str] = "late"
    adds: ClassVar[str] = "registers"

    def join(self, m: Module, node: Any, router: Local) -> None:
        pass_on(m, router.eject, node.eject)
        take_up(m, node.inject, router.inject)


def pass_on(m: Module, sender: Any, wire: Any) -> None:
    """Put what a router sends into registers."""
    m.d.sync += [wire.valid.eq(sender.valid), wire.flit.eq(sender.flit)]
    m.d.comb += sender.credit.eq(wire.credit)


def take_up(m: Module, wire: Any, receiver: Any) -> None:
    """Put the credits of a router into registers."""
    m.d.comb += [receiver.valid.eq(wire.valid), receiver.flit.eq(wire.flit)]
    m.d.sync += wire.credit.eq(receiver.credit)


@contextmanager
def registered() -> Iterator[None]:
    """Have the kinds in the registries."""
    registries: tuple[tuple[dict[str, Any], Any], ...] = (
        (LINKS, LateLink),
        (LINK_ENDS, LateLinkEnds),
        (TERMINALS, LateTerminal),
        (TERMINAL_ENDS, LateTerminalEnd),
    )
    for registry, kind in registries:
        registry["late"] = kind
    try:
        yield
    finally:
        for registry, _ in registries:
            del registry["late"]


@cocotb.test()
async def runs_with_late_kinds(dut: Any) -> None:
    """Run the bench of networks where it can know the kinds."""
    with registered():
        await network_test.lock_step(dut)
