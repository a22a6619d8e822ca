"""The network cycle by cycle: every flit in the same cycle at the same place as in hardware."""

from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model, cycle
from fingerpost.golden.terminal import CreditTerminalModel
from fingerpost.golden.traffic import Traffic

__all__ = ["CreditTerminalModel", "Flits", "Model", "Traffic", "cycle"]
