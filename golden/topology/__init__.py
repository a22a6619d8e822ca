"""Network families, a file for those that are alike; `FAMILIES` has them by name."""

from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.circulant import Circulant
from fingerpost.golden.topology.diameter_two import PolarFly, SlimFly
from fingerpost.golden.topology.digraphs import (
    DirectedChordalRing,
    DoubleLoop,
    GeneralizedDeBruijn,
    GeneralizedKautz,
    Kautz,
)
from fingerpost.golden.topology.edge_list import EdgeList, RandomRegular
from fingerpost.golden.topology.grid import Grid, HexaMesh, TwistedTorus
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
    "Circulant",
    "DirectedChordalRing",
    "DoubleLoop",
    "EdgeList",
    "GeneralizedDeBruijn",
    "GeneralizedKautz",
    "Grid",
    "HexaMesh",
    "Kautz",
    "Kyklos",
    "Metacyclic",
    "MetacyclicCubic",
    "MetacyclicDigraph",
    "PolarFly",
    "RandomRegular",
    "Rotator",
    "Scc",
    "SlimFly",
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
        HexaMesh,
        PolarFly,
        SlimFly,
        GeneralizedDeBruijn,
        GeneralizedKautz,
        Circulant,
        RandomRegular,
        EdgeList,
    )
}
