"""Which form of the model runs a network: the compiled one where it can, else plain Python."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from fingerpost.golden.compiled.base import Engine
from fingerpost.golden.compiled.jit import why_plain
from fingerpost.golden.compiled.records import WIDE
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.traffic import Traffic


def _unfit_wormhole(network: Network) -> str:
    queues = (network.topology.degree + 1) * network.virtual_channels
    if queues > WIDE:
        return f"its routers have {queues} queues each, more than {WIDE}"
    return ""


class _Kind(NamedTuple):
    """The compiled model of a kind of routers: what does not fit, and where it is.

    It is imported when needed: the import of numba takes half a second.
    """

    unfit: Callable[[Any], str]
    module: str
    name: str


COMPILED = {
    "wormhole": _Kind(_unfit_wormhole, "compiled.compiled", "Compiled"),
    "deflection": _Kind(lambda network: "", "deflection.engine", "DeflectionEngine"),
}
"""The compiled model of every kind of routers."""


def unfit(network: AnyNetwork) -> str:
    """Return why a network cannot be run by the compiled model; nothing if it can."""
    return COMPILED[network.router_kind].unfit(network)


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
    stall, surplus
        See `fingerpost.golden.terminal.CreditTerminalModel`.
    compiled : bool, optional
        Take the compiled model, or the reference; if nothing is said, the compiled one if it fits.
    threads : int
        How many cores the compiled model may use: runs are shared out among them, or the nodes of
        a large network, if there is one run.
    options
        Others of `fingerpost.golden.terminal.Terminal.model`.

    Raises
    ------
    ValueError
        If the compiled model is asked for and cannot run this network.
    """
    why = unfit(network) or why_plain()
    if why and compiled:
        raise ValueError(f"Engine needs a network that can be compiled, but {why}")
    plain = bool(why) or compiled is False
    kind = COMPILED[network.router_kind]
    module = import_module(f"fingerpost.golden.{kind.module}")
    found: Engine = getattr(module, kind.name)(
        network,
        traffics,
        stall=stall,
        surplus=surplus,
        threads=threads,
        plain=plain,
        why=why,
        **options,
    )
    return found
