"""The deflection routers of a network cycle by cycle, as in hardware."""

from fingerpost.golden.model.deflection.model import DeflectionModel, Slots, Writes

__all__ = ["DeflectionModel", "Slots", "Writes"]
