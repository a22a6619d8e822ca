"""A deflection router with the end of its terminal; its table stands around both."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.terminal import terminal_end

LOCAL = "inject", "eject"
"""The ports of a router at its terminal."""


class TerminatedRouter(wiring.Component):
    """A router with what stands between it and its terminal.

    Parameters
    ----------
    router : DeflectionRouter

    Members
    -------
    terminal.members    What the terminal has, instead of `inject` and `eject`.
    others              Those of the router.
    """

    def __init__(self, router: DeflectionRouter) -> None:
        self.router, self.network, self.node_type = router, router.network, router.node_type
        self.slots, self.terminal = router.slots, terminal_end(router.network)
        self.others = {
            name: member for name, member in router.signature.members.items() if name not in LOCAL
        }
        super().__init__({**self.others, **self.terminal.members(router)})

    def elaborate(self, platform: object) -> Module:
        """Join the router with the end of its terminal."""
        m = Module()
        m.submodules.router = router = self.router
        for name, member in self.others.items():
            outer: Any = getattr(self, name)
            inner: Any = getattr(router, name)
            if member.is_port:
                m.d.comb += inner.eq(outer) if member.flow is In else outer.eq(inner)
                continue
            for one, other in zip(outer, inner, strict=True):
                if member.flow is In:
                    connect(m, flipped(one), other)
                else:
                    connect(m, other, flipped(one))
        self.terminal.join(m, self, router)
        return m


def deflection_router(
    network: DeflectionNetwork, node_type: NodeType
) -> DeflectionRouter | TerminatedRouter:
    """Return a router for one node type, with the end of its terminal if that adds something."""
    router = DeflectionRouter(network, node_type)
    return TerminatedRouter(router) if terminal_end(network).adds else router
