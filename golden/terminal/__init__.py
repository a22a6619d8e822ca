"""Terminals: what is at the local port of every node that has one.

A file of a kind has its parameters and layouts (`Terminal`); what it does in a cycle is in the same
file, or in those of its components, which have the names that they have in `fingerpost.hdl`. All
work on the records and named tuples of `records` and `state`.
"""

from fingerpost.golden.terminal.axi4 import Axi4Terminal
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.credit import CreditTerminal
from fingerpost.golden.terminal.kinds import TERMINALS, terminal
from fingerpost.golden.terminal.mailbox import MailboxTerminal
from fingerpost.golden.terminal.os_link import OsLinkTerminal

__all__ = [
    "TERMINALS",
    "Axi4Terminal",
    "AxiStreamTerminal",
    "CreditTerminal",
    "MailboxTerminal",
    "OsLinkTerminal",
    "Terminal",
    "terminal",
]
