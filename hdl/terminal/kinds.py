"""The hardware of every kind of terminal by its name."""

from golden.network import Network
from hdl.terminal.axi_stream import AxiStreamTerminalEnd
from hdl.terminal.base import TerminalEnd
from hdl.terminal.credit import CreditTerminalEnd

__all__ = ["TERMINAL_ENDS", "terminal_end"]

TERMINAL_ENDS: dict[str, type[TerminalEnd]] = {
    end.kind: end for end in (CreditTerminalEnd, AxiStreamTerminalEnd)
}


def terminal_end(network: Network) -> TerminalEnd:
    """Return the ends of a network's terminals."""
    return TERMINAL_ENDS[network.terminal.kind](network)
