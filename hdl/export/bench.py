"""A test bench in plain Verilog, for simulators without Python."""

from collections.abc import Callable

from fingerpost.golden.network.network import Network
from fingerpost.hdl.export.axi_bench import axi_speech
from fingerpost.hdl.export.bench_frame import Speech, framed
from fingerpost.hdl.export.bench_plan import Plan, plan, spoken_and_counted
from fingerpost.hdl.export.credit_bench import credit_speech
from fingerpost.hdl.export.link_bench import link_speech
from fingerpost.hdl.lib.ports import Port
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd

__all__ = ["bench"]

SPEECHES: dict[str, Callable[[Network, Plan, list[Port]], Speech]] = {
    CreditTerminalEnd.kind: credit_speech,
    AxiStreamTerminalEnd.kind: axi_speech,
    OsLinkTerminalEnd.kind: link_speech,
}
"""How a bench speaks with each kind of terminal that it knows."""


def bench(network: Network) -> str | None:
    """Return a bench that sends packets between all terminals, and tells whether all came.

    Every terminal sends one to every other, or to a few if that would be more than
    `hdl.export.bench_plan.PACKETS`. None if the terminals are not of a kind that it knows.
    """
    if network.terminal.kind not in SPEECHES:
        return None
    sent, (spoken, counted) = plan(network), spoken_and_counted(network)
    return framed(network, sent, counted, SPEECHES[network.terminal.kind](network, sent, spoken))
