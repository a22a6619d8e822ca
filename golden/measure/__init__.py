"""Networks under load, measured as the field does: phases, statistics, outcomes."""

from golden.measure.measurement import Simulation
from golden.measure.outcome import Outcome
from golden.measure.simulation import simulate

__all__ = ["Outcome", "Simulation", "simulate"]
