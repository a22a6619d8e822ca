"""Network families, one file each; `FAMILIES` is what a network file may name."""

from golden.topology.base import Topology
from golden.topology.borel import Borel

__all__ = ["FAMILIES", "Borel", "Topology"]

FAMILIES: dict[str, type[Topology]] = {Borel.family: Borel}
