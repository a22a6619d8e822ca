"""A node of a network: its router, the ends of its links and the end of its terminal."""

from typing import Any

from amaranth import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.counters import COUNTERS
from fingerpost.golden.network.network import Network
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.link import LinkEnds, link_ends
from fingerpost.hdl.router.router import Router
from fingerpost.hdl.terminal import TerminalEnd, terminal_end


class Node(Component):
    """A router with what stands between it and other nodes, and between it and its terminal.

    Parameters
    ----------
    router : Router
    links : LinkEnds
    terminal : TerminalEnd

    Members
    -------
    straps, table, increments, errors, overruns, stalled    Those of the router.
    links.members, links.errors        What the link has instead of the router's ports.
    terminal.members                   What the terminal has.
    """

    def __init__(self, router: Router, links: LinkEnds, terminal: TerminalEnd) -> None:
        self.router, self.links, self.terminal = router, links, terminal
        self._table = {"table"} & router.signature.members.keys()
        super().__init__(
            straps=In(struct(router.routing.straps)),
            **{name: router.signature.members[name] for name in self._table},
            increments=In(router.degree**2),
            **links.members(router),
            **terminal.members(router),
            **{counter.name: Out(counter.width) for counter in COUNTERS},
            **links.errors(router),
            **({"stalled": Out(len(router.stalled))} if router.stalls else {}),
        )

    def elaborate(self, platform: object) -> Module:
        """Join the router with its ends."""
        m = Module()
        m.submodules.router = router = self.router
        m.d.comb += [router.straps.eq(self.straps), router.increments.eq(self.increments)]
        if self._table:
            connect(m, router.table, flipped(self.table))
        for counter in COUNTERS:
            count: Any = getattr(self, counter.name)
            m.d.comb += count.eq(getattr(router, counter.name))
        if router.stalls:
            m.d.comb += self.stalled.eq(router.stalled)
        self.terminal.join(m, self, router)
        self.links.join(m, self, router)
        return m


def additions(network: Network) -> list[str]:
    """Return what stands at the nodes of a network besides routers, for people."""
    return [end.adds for end in (link_ends(network), terminal_end(network)) if end.adds]


def node(network: Network, router: Router) -> Router | Node:
    """Return the node around a router: the router itself if nothing is to be added."""
    if not additions(network):
        return router
    return Node(router, link_ends(network), terminal_end(network))
