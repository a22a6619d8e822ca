"""Terminals: what is at the local port of every node that has one."""

from fingerpost.golden.terminal.axi_ends import AxiEnds
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.base import Ends, Terminal
from fingerpost.golden.terminal.credit import CreditTerminal, Terminals
from fingerpost.golden.terminal.kinds import TERMINALS, terminal
from fingerpost.golden.terminal.os_link import OsLinkTerminal
from fingerpost.golden.terminal.os_link_ends import OsLinkEnds

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
