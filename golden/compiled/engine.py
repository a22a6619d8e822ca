"""Which model runs a network: the compiled one where it can, else the reference."""

from collections.abc import Sequence

from golden.compiled.base import Engine
from golden.compiled.reference import Reference
from golden.network import Network
from golden.traffic import Traffic

__all__ = ["engine", "unfit"]

MOST_QUEUES = 62
"""Queues of a router: a bit for each fits in a word that has a sign."""


def unfit(network: Network) -> str:
    """Return why a network cannot be run by the compiled model; nothing if it can."""
    return "it is not there yet"


def engine(
    network: Network,
    traffics: Sequence[Traffic],
    *,
    stall: float = 0.0,
    surplus: int = 0,
    compiled: bool | None = None,
) -> Engine:
    """Return what runs each of some traffics through a network of its own.

    Parameters
    ----------
    network : Network
    traffics : sequence of Traffic
        One for each run: seeds and loads may differ.
    stall, surplus
        See `golden.terminal.Terminals`.
    compiled : bool, optional
        Take the compiled model, or the reference; if nothing is said, the compiled one if it fits.

    Raises
    ------
    ValueError
        If the compiled model is asked for and cannot run this network.
    """
    why = "" if compiled is False else unfit(network)
    if why and compiled:
        raise ValueError(f"Model needs no compiler here: {why}")
    return Reference(network, traffics, why=why, stall=stall, surplus=surplus)
