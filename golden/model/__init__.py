"""The network cycle by cycle: every flit in the same cycle at the same place as in hardware."""

from golden.model.flits import Flits
from golden.model.model import Model
from golden.model.simulate import Simulation, simulate
from golden.model.terminals import Terminals, Traffic

__all__ = ["Flits", "Model", "Simulation", "Terminals", "Traffic", "simulate"]
