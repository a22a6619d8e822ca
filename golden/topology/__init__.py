"""Network families, a file for those that are alike; `FAMILIES` has them by name."""

from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop, Kautz
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.golden.topology.grid import Grid, TwistedTorus
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.golden.topology.metacyclic import (
    Borel,
    Metacyclic,
    MetacyclicCubic,
    MetacyclicDigraph,
)
from fingerpost.golden.topology.rotator import Rotator, SuperRotator
from fingerpost.golden.topology.star import Scc, Star

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
