"""Terminals: what is at the local port of every node that has one."""

from golden.terminal.axi_ends import AxiEnds
from golden.terminal.axi_stream import AxiStreamTerminal
from golden.terminal.base import Ends, Terminal
from golden.terminal.credit import CreditTerminal, Terminals
from golden.terminal.kinds import TERMINALS, terminal
from golden.terminal.os_link import OsLinkTerminal
from golden.terminal.os_link_ends import OsLinkEnds

__all__ = [
    "TERMINALS",
    "AxiEnds",
    "AxiStreamTerminal",
    "CreditTerminal",
    "Ends",
    "OsLinkEnds",
    "OsLinkTerminal",
    "Terminal",
    "Terminals",
    "terminal",
]
