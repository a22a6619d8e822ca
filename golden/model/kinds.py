"""The model of a network, whatever its routers are."""

from collections.abc import Callable
from typing import Any

from fingerpost.golden.model.model import Model
from fingerpost.golden.network.kinds import AnyNetwork

AnyModel = Model

MODELS: dict[str, Callable[[Any], AnyModel]] = {"wormhole": Model}
"""The model of every kind of routers that has one beside that of its engine."""


def model(network: AnyNetwork) -> AnyModel:
    """Return the model of the routers of a network, in the state after reset."""
    return MODELS[network.router_kind](network)
