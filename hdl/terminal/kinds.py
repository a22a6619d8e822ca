"""The hardware of every kind of terminal by its name."""

from functools import lru_cache

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.base import TerminalEnd
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.mailbox import MailboxTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd
from fingerpost.hdl.terminal.single_flit import SingleFlitTerminalEnd

TERMINAL_ENDS: dict[str, type[TerminalEnd]] = {
    end.kind: end
    for end in (
        CreditTerminalEnd,
        AxiStreamTerminalEnd,
        OsLinkTerminalEnd,
        MailboxTerminalEnd,
        SingleFlitTerminalEnd,
    )
}


@lru_cache(maxsize=2)
def terminal_end(network: AnyNetwork) -> TerminalEnd:
    """Return the ends of a network's terminals."""
    return TERMINAL_ENDS[network.terminal.kind](network)
