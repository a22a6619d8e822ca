"""Networks under load, measured until enough is known: series, statistics, outcomes."""

from fingerpost.golden.measure.measurement import Outcome, Simulation
from fingerpost.golden.measure.simulation import CYCLES, LOAD, LOADS, PRECISION, simulate

__all__ = ["CYCLES", "LOAD", "LOADS", "PRECISION", "Outcome", "Simulation", "simulate"]
