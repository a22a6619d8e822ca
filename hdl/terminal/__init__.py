"""Terminals: what stands at the local port of every node that has one."""

from fingerpost.hdl.terminal.base import TerminalEnd
from fingerpost.hdl.terminal.kinds import TERMINAL_ENDS, terminal_end

__all__ = ["TERMINAL_ENDS", "TerminalEnd", "terminal_end"]
