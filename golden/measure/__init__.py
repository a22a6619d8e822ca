"""Networks under load, measured as the field does: phases, statistics, outcomes."""

from fingerpost.golden.measure.measurement import Outcome, Simulation
from fingerpost.golden.measure.simulation import simulate

__all__ = ["Outcome", "Simulation", "simulate"]
