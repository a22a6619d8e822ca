"""AXI4-Stream interfaces of several message classes, which share the local port of a router."""

from typing import Any

from amaranth import Cat, Module, Value

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.hdl.lib.logic import select
from fingerpost.hdl.router.arbiter import Arbiter
from fingerpost.hdl.terminal.axi_receiver import AxiReceiver
from fingerpost.hdl.terminal.axi_sender import AxiSender
from fingerpost.hdl.terminal.base import Local

__all__ = ["join_classes"]


def join_classes(
    network: Network, layout: AxiLayout, m: Module, node: Any, router: Local, *, timeout: int
) -> None:
    """Stand a sender and a receiver for each class between the router and the streams of a node.

    Senders are granted the port flit by flit, the least recently granted first; a sender requests
    it only with a credit of its class, so that no class waits for another.
    """
    m.submodules.axi_arbiter = arbiter = Arbiter(network.classes)
    senders = []
    for c in range(network.classes):
        m.submodules[f"axi_sender{c}"] = sender = AxiSender(
            layout,
            flit_width=router.flit_width,
            credits=network.terminal_depth,
            timeout=timeout,
            shared=True,
        )
        m.submodules[f"axi_receiver{c}"] = receiver = AxiReceiver(
            layout, flit_width=router.flit_width, depth=network.buffer_depth
        )
        _join_stream(m, c, node.s_axis, sender.stream)
        _join_stream(m, c, node.m_axis, receiver.stream, out=True)
        width = layout.head.width
        m.d.comb += [
            sender.head.eq(node.head[c * width : (c + 1) * width]),
            sender.known.eq(node.known[c]),
            sender.inject.credit.eq(router.inject.credit[c]),
            sender.grant.eq(arbiter.grant[c]),
            arbiter.request[c].eq(sender.request),
            router.inject.valid[c].eq(sender.inject.valid),
            receiver.eject.valid.eq(router.eject.valid[c]),
            receiver.eject.flit.eq(router.eject.flit),
            router.eject.credit[c].eq(receiver.eject.credit),
        ]
        for counter in AXI_COUNTERS:
            count: Any = getattr(node, counter.name)
            at = c * counter.width
            m.d.comb += count[at : at + counter.width].eq(getattr(sender, counter.name))
        senders.append(sender)
    flits = [Value.cast(sender.inject.flit) for sender in senders]
    m.d.comb += [
        arbiter.update.eq(arbiter.grant),
        Value.cast(router.inject.flit).eq(
            select(Cat(sender.inject.valid for sender in senders), flits)
        ),
    ]


def _join_stream(m: Module, c: int, several: Any, one: Any, *, out: bool = False) -> None:
    """Connect a stream with the part of class c of several; `out` leads from the one to them."""
    for name in one.signature.members:
        own: Any = getattr(one, name)
        width = len(own)
        their = getattr(several, name)[c * width : (c + 1) * width]
        forth = out != (name == "tready")
        m.d.comb += their.eq(own) if forth else own.eq(their)
