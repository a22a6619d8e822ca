"""Network families, one file each; `FAMILIES` is what a network file may name."""

from golden.topology.base import Topology
from golden.topology.borel import Borel
from golden.topology.cayley import Cayley
from golden.topology.directed_chordal_ring import DirectedChordalRing
from golden.topology.double_loop import DoubleLoop
from golden.topology.edge_list import EdgeList
from golden.topology.grid import Grid
from golden.topology.kyklos import Kyklos
from golden.topology.metacyclic import Metacyclic
from golden.topology.rotator import Rotator
from golden.topology.scc import Scc
from golden.topology.star import Star
from golden.topology.super_rotator import SuperRotator

__all__ = [
    "FAMILIES",
    "Borel",
    "Cayley",
    "DirectedChordalRing",
    "DoubleLoop",
    "EdgeList",
    "Grid",
    "Kyklos",
    "Metacyclic",
    "Rotator",
    "Scc",
    "Star",
    "SuperRotator",
    "Topology",
]

FAMILIES: dict[str, type[Topology]] = {
    family.family: family
    for family in (
        Borel,
        Metacyclic,
        Star,
        Scc,
        Kyklos,
        Rotator,
        SuperRotator,
        DoubleLoop,
        DirectedChordalRing,
        Grid,
        EdgeList,
    )
}
