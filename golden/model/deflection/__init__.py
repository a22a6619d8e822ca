"""The deflection routers of a network cycle by cycle, as in hardware."""

from fingerpost.golden.model.deflection.model import DeflectionModel, Writes
from fingerpost.golden.model.deflection.slots import Slots

__all__ = ["DeflectionModel", "Slots", "Writes"]
