"""Terminals: what stands at the local port of every node that has one."""

from functools import lru_cache

from amaranth import Module
from amaranth.lib.wiring import In, Out, flipped

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.terminal.axi4 import Axi4TerminalEnd
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.base import LocalPort, TerminalEnd
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

    Members
    -------
    end.own                                      What the terminal has.
    inject, eject : ``Out/In``                   To and from the router.
    """

    def __init__(self, end: TerminalEnd) -> None:
        self.end, flit_width = end, end.network.flit_width
        link = LinkSignature(channels=1, flit_width=flit_width)
        inject, eject = Out(link), In(link)
        if end.network.single_flit:
            header = end.network.routing.header.width
            inject, eject = (
                Out(InjectSignature(header, flit_width)),
                In(EjectSignature(1, flit_width)),
            )
        super().__init__(**end.own(), inject=inject, eject=eject)

    def elaborate(self, platform: object) -> Module:
        """Join the end with the ports."""
        m = Module()
        self.end.join_one(m, self, LocalPort(0, flipped(self.inject), flipped(self.eject)))
        return m
