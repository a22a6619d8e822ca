"""Network families, one file each; `FAMILIES` is what a network file may name."""

from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.borel import Borel
from fingerpost.golden.topology.directed_chordal_ring import DirectedChordalRing
from fingerpost.golden.topology.double_loop import DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.golden.topology.grid import Grid
from fingerpost.golden.topology.kautz import Kautz
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.golden.topology.metacyclic import Metacyclic, MetacyclicDigraph
from fingerpost.golden.topology.metacyclic_cubic import MetacyclicCubic
from fingerpost.golden.topology.rotator import Rotator
from fingerpost.golden.topology.scc import Scc
from fingerpost.golden.topology.star import Star
from fingerpost.golden.topology.super_rotator import SuperRotator
from fingerpost.golden.topology.twisted_torus import TwistedTorus

__all__ = [
    "FAMILIES",
    "Borel",
    "DirectedChordalRing",
    "DoubleLoop",
    "EdgeList",
    "Grid",
    "Kautz",
    "Kyklos",
    "Metacyclic",
    "MetacyclicCubic",
    "MetacyclicDigraph",
    "Rotator",
    "Scc",
    "Star",
    "SuperRotator",
    "Topology",
    "TwistedTorus",
]

FAMILIES: dict[str, type[Topology]] = {
    family.family: family
    for family in (
        Borel,
        Metacyclic,
        MetacyclicDigraph,
        MetacyclicCubic,
        Star,
        Scc,
        Kyklos,
        Kautz,
        Rotator,
        SuperRotator,
        DoubleLoop,
        DirectedChordalRing,
        Grid,
        TwistedTorus,
        EdgeList,
    )
}
