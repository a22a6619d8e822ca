"""Networks under load, measured as the field does: phases, statistics, outcomes."""

from fingerpost.golden.measure.measurement import Simulation
from fingerpost.golden.measure.outcome import Outcome
from fingerpost.golden.measure.simulation import simulate

__all__ = ["Outcome", "Simulation", "simulate"]
