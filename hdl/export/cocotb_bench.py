"""A test bench for cocotb, which takes all that it must know from the files beside it."""

from collections.abc import Callable

from fingerpost.golden.network.network import Network
from fingerpost.hdl.export.axi_cocotb import axi_cocotb
from fingerpost.hdl.export.bench_plan import plan, spoken_and_counted
from fingerpost.hdl.export.cocotb_frame import CocotbSpeech, cocotb_framed
from fingerpost.hdl.export.credit_cocotb import credit_cocotb
from fingerpost.hdl.export.link_cocotb import link_cocotb
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd

__all__ = ["cocotb_bench"]

SPEECHES: dict[str, Callable[[Network], CocotbSpeech | None]] = {
    CreditTerminalEnd.kind: credit_cocotb,
    AxiStreamTerminalEnd.kind: axi_cocotb,
    OsLinkTerminalEnd.kind: link_cocotb,
}
"""How a bench speaks with each kind of terminal that it knows."""


def cocotb_bench(network: Network) -> str | None:
    """Return a bench that sends packets between all terminals, as `hdl.export.bench` does.

    None if terminals are of a kind that it does not know, or it cannot speak with these.
    """
    kind = network.terminal.kind
    speech = SPEECHES[kind](network) if kind in SPEECHES else None
    if speech is None:
        return None
    counters = [port.name for port in spoken_and_counted(network)[1]]
    return cocotb_framed(network, plan(network), counters, speech)
