"""The network cycle by cycle: every flit in the same cycle at the same place as in hardware."""

from golden.flit import Flits
from golden.model.model import Model, cycle
from golden.terminal import Terminals
from golden.traffic import Traffic

__all__ = ["Flits", "Model", "Terminals", "Traffic", "cycle"]
