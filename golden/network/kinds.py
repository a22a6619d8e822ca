"""Every kind of router by its name: its parameters, and networks of it."""

from collections.abc import Mapping
from typing import Any

from fingerpost.golden.network import deflection, network
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.deflection_router import DeflectionParameters
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.network.router import RouterParameters

AnyNetwork = Network | DeflectionNetwork
"""A network of routers of any kind."""

ROUTERS: dict[str, type[RouterParameters] | type[DeflectionParameters]] = {
    "wormhole": RouterParameters,
    "deflection": DeflectionParameters,
}
"""The parameters of every kind of router."""


def router_kind(description: Mapping[str, Any]) -> str:
    """Return the kind of router that the contents of a network file ask for."""
    kind: str = (description.get("router") or {}).get("kind", "wormhole")
    return kind


def check(description: Mapping[str, Any]) -> None:
    """Check what the contents of a network file say of routers and links, whatever the network.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.
    """
    if router_kind(description) == "deflection":
        deflection.parameters(description)
    else:
        network.parameters(description)


def build_any(description: Mapping[str, Any]) -> AnyNetwork:
    """Build a network of routers of the kind that its description asks for.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.
    """
    if router_kind(description) == "deflection":
        return build_deflection(description)
    return build(description)
