"""Terminals: what stands at the local port of every node that has one."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from amaranth import Module
from amaranth.lib.wiring import In, Out, flipped

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.terminal.axi4 import Axi4TerminalEnd
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.base import TerminalEnd
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.mailbox import MailboxTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd
from fingerpost.hdl.terminal.single_flit import (
    EjectSignature,
    InjectSignature,
    SingleFlitTerminalEnd,
)

__all__ = ["TERMINAL_ENDS", "TerminalEnd", "terminal_end"]


TERMINAL_ENDS: dict[str, type[TerminalEnd]] = {
    end.kind: end
    for end in (
        CreditTerminalEnd,
        AxiStreamTerminalEnd,
        OsLinkTerminalEnd,
        MailboxTerminalEnd,
        Axi4TerminalEnd,
        SingleFlitTerminalEnd,
    )
}


@lru_cache(maxsize=2)
def terminal_end(network: AnyNetwork) -> TerminalEnd:
    """Return the ends of a network's terminals."""
    return TERMINAL_ENDS[network.terminal.kind](network)


class TerminalAlone(Component):
    """The end of a terminal, to be measured.

    Parameters
    ----------
    end : TerminalEnd
    flit_width : int
    node_type : NodeType

    Members
    -------
    end.members                                  What the terminal has.
    inject, eject : ``Out/In``                   To and from the router.
    """

    def __init__(self, end: TerminalEnd, flit_width: int, node_type: NodeType) -> None:
        self.end, self.flit_width, self.node_type = end, flit_width, node_type
        link = LinkSignature(channels=1, flit_width=flit_width)
        inject, eject = Out(link), In(link)
        if end.network.single_flit:
            header = end.network.routing.header.width
            inject, eject = (
                Out(InjectSignature(header, flit_width)),
                In(EjectSignature(1, flit_width)),
            )
        local: Any = self._local(None, None)
        super().__init__({**end.members(local), "inject": inject, "eject": eject})

    def _local(self, inject: Any, eject: Any) -> Any:
        """Return what stands for the router."""
        return SimpleNamespace(
            node_type=self.node_type, flit_width=self.flit_width, inject=inject, eject=eject
        )

    def elaborate(self, platform: object) -> Module:
        """Join the end with the ports."""
        m = Module()
        self.end.join(m, self, self._local(flipped(self.inject), flipped(self.eject)))
        return m
