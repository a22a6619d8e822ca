"""AXI4-Stream interfaces of several message classes, which share the local port of a router."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from amaranth import Cat, Module, Value
from amaranth.lib.wiring import Member, Out

from fingerpost.hdl.lib.logic import select
from fingerpost.hdl.router.switch_allocator import Arbiter
from fingerpost.hdl.terminal.base import Local


class Pair(NamedTuple):
    """The interface of a class: what sends to the router, and what receives from it.

    Both may be one component. `send` has `inject`, `request` and `grant`, `receive` has `eject`.
    """

    send: Any
    receive: Any
    s_axis: Any
    m_axis: Any


def join_classes(
    m: Module,
    node: Any,
    router: Local,
    pairs: list[Pair],
    others: Mapping[str, Member],
) -> None:
    """Join the interfaces of all classes with the router and the ports of a node.

    Senders are granted the port flit by flit, the least recently granted first; a sender requests
    it only with a credit of its class, so that no class waits for another. Class c has the c-th
    part of each port of the node: of the streams, and of `others`, ports of `send`.
    """
    m.submodules.axi_arbiter = arbiter = Arbiter(len(pairs))
    for c, pair in enumerate(pairs):
        _join_stream(m, c, node.s_axis, pair.s_axis)
        _join_stream(m, c, node.m_axis, pair.m_axis, out=True)
        m.d.comb += [
            pair.send.inject.credit.eq(router.inject.credit[c]),
            pair.send.grant.eq(arbiter.grant[c]),
            arbiter.request[c].eq(pair.send.request),
            router.inject.valid[c].eq(pair.send.inject.valid),
            pair.receive.eject.valid.eq(router.eject.valid[c]),
            pair.receive.eject.flit.eq(router.eject.flit),
            router.eject.credit[c].eq(pair.receive.eject.credit),
        ]
        for name, member in others.items():
            own: Any = getattr(pair.send, name)
            their = getattr(node, name)[c * len(own) : (c + 1) * len(own)]
            m.d.comb += their.eq(own) if member.flow == Out else own.eq(their)
    flits = [Value.cast(pair.send.inject.flit) for pair in pairs]
    m.d.comb += [
        arbiter.update.eq(arbiter.grant),
        Value.cast(router.inject.flit).eq(
            select(Cat(pair.send.inject.valid for pair in pairs), flits)
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
