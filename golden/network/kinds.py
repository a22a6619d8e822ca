"""Every kind of router by its name: its parameters, and networks of it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fingerpost.golden.deadlock.order import Progress, silent
from fingerpost.golden.network import deflection_router, router
from fingerpost.golden.network.base import AnyNetwork
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.deflection_router import DeflectionParameters
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.network.router import RouterParameters

__all__ = ["KINDS", "ROUTERS", "AnyNetwork", "build_any", "check", "kind_of", "router_kind"]


class Kind(NamedTuple):
    """A kind of router."""

    network: type[AnyNetwork]
    """Networks of it."""
    parameters: type[RouterParameters] | type[DeflectionParameters]
    """What a network file says under ``router``."""
    check: Callable[[Mapping[str, Any]], object]
    """Refuses contents of a network file that are impossible whatever the network."""
    build: Callable[[Mapping[str, Any], Progress], AnyNetwork]
    """Makes a network of the contents of a network file; calls back as `build_any` does."""


KINDS: dict[str, Kind] = {
    kind.network.router_kind: kind
    for kind in (
        Kind(Network, RouterParameters, router.parameters, build),
        Kind(
            DeflectionNetwork,
            DeflectionParameters,
            deflection_router.parameters,
            lambda description, _: build_deflection(description),
        ),
    )
}
"""Every kind by its name."""

ROUTERS = {name: kind.parameters for name, kind in KINDS.items()}
"""The parameters of every kind of router."""


def router_kind(description: Mapping[str, Any]) -> str:
    """Return the kind of router that the contents of a network file ask for."""
    kind: str = (description.get("router") or {}).get("kind", Network.router_kind)
    return kind


def kind_of(description: Mapping[str, Any]) -> type[AnyNetwork]:
    """Return the class of the network that `build_any` returns."""
    return KINDS[router_kind(description)].network


def check(description: Mapping[str, Any]) -> None:
    """Check what the contents of a network file say of routers and links, whatever the network.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.
    """
    KINDS[router_kind(description)].check(description)


def build_any(description: Mapping[str, Any], progress: Progress = silent) -> AnyNetwork:
    """Build a network of routers of the kind that its description asks for.

    If an order of the nodes is searched for, `progress` is called with (steps done, steps to do).

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.
    """
    return KINDS[router_kind(description)].build(description, progress)
