"""The model of a network, whatever its routers are."""

from fingerpost.golden.model.deflection import DeflectionModel
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork

__all__ = ["AnyModel", "model"]

AnyModel = Model | DeflectionModel


def model(network: AnyNetwork) -> AnyModel:
    """Return the model of the routers of a network, in the state after reset."""
    if isinstance(network, DeflectionNetwork):
        return DeflectionModel(network)
    return Model(network)
