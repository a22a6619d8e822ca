"""The engine of a network: the model in compiled form where it can be, else plain Python."""

from collections.abc import Sequence
from typing import Any

from fingerpost.golden.engine.base import Engine
from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.jit import compile as jit
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.traffic import Traffic

ENGINES: dict[str, type[Engine]] = {"wormhole": Wormhole, "deflection": Deflection}
"""The engine of every kind of router."""


def unfit(network: AnyNetwork) -> str:
    """Return why a network cannot be run in the compiled form; nothing if it can."""
    return ENGINES[network.router_kind].unfit(network)


def why_plain(network: AnyNetwork) -> str:
    """Return why a network runs as plain Python by default; nothing if it runs compiled."""
    return unfit(network) or jit.why_plain()


def takes_windows(network: AnyNetwork) -> bool:
    """Return whether the engine of a network with one run has `Engine.takes_windows`."""
    wormhole = isinstance(network, Network) and not unfit(network)
    return wormhole and isinstance(network.terminal, CreditTerminal)


def engine(
    network: AnyNetwork,
    traffics: Sequence[Traffic],
    *,
    stall: float = 0.0,
    surplus: int = 0,
    compiled: bool | None = None,
    threads: int = 1,
    **options: Any,
) -> Engine:
    """Return what runs each of some traffics through a network of its own.

    Parameters
    ----------
    network : AnyNetwork
    traffics : sequence of Traffic
        One for each run: seeds and loads may differ.
    stall : float
        The chance in each cycle that a terminal does not give a credit back, that a user does not
        offer its next beat, or that it takes none; of a pause before each byte on an OS-Link.
    surplus : int
        Terminals believe in so many credits more than they have: then flits are lost.
    compiled : bool, optional
        Whether the model is compiled; by default it is, unless `why_plain` has a reason.
    threads : int
        How many cores the compiled form may use: runs are shared out among them, or the nodes of a
        large network, if there is one run.
    options
        Of AXI4-Stream terminals: see `fingerpost.golden.engine.axi_start.make_users`. Of AXI4
        terminals `transactions`, see `fingerpost.golden.traffic.traffic`; without, their
        streams carry packets as others do.

    Raises
    ------
    ValueError
        If the compiled form is asked for and cannot run this network, or the terminals cannot send
        such packets, or know of no credits in which to have a surplus.
    """
    why = why_plain(network)
    if why and compiled:
        raise ValueError(f"Engine needs a network that can be compiled, but {why}")
    plain = bool(why) or compiled is False
    return ENGINES[network.router_kind](
        network,
        traffics,
        stall=stall,
        surplus=surplus,
        threads=threads,
        plain=plain,
        why=why,
        **options,
    )
