"""Terminals: what is at the local port of every node that has one."""

from fingerpost.golden.terminal.axi_model import AxiTerminalModel
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.base import Terminal, TerminalModel
from fingerpost.golden.terminal.credit import CreditTerminal, CreditTerminalModel
from fingerpost.golden.terminal.kinds import TERMINALS, terminal
from fingerpost.golden.terminal.mailbox import MailboxTerminal
from fingerpost.golden.terminal.os_link import OsLinkTerminal
from fingerpost.golden.terminal.os_link_model import OsLinkTerminalModel

__all__ = [
    "TERMINALS",
    "AxiStreamTerminal",
    "AxiTerminalModel",
    "CreditTerminal",
    "CreditTerminalModel",
    "MailboxTerminal",
    "OsLinkTerminal",
    "OsLinkTerminalModel",
    "Terminal",
    "TerminalModel",
    "terminal",
]
