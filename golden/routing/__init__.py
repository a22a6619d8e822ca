"""Routing algorithms, one file each; `ALGORITHMS` is what a network file may name."""

from fingerpost.golden.routing.adaptive import Adaptive
from fingerpost.golden.routing.adaptive_table import AdaptiveTable
from fingerpost.golden.routing.base import Decision, Routing
from fingerpost.golden.routing.chordal_ring import ChordalRing
from fingerpost.golden.routing.dimension_order import DimensionOrder
from fingerpost.golden.routing.kautz_shift import Shift
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_m import M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.kyklos_y2 import Y2
from fingerpost.golden.routing.rotator import LongestSuffix
from fingerpost.golden.routing.scc_greedy import Greedy
from fingerpost.golden.routing.scc_minimal import Minimal
from fingerpost.golden.routing.scc_near_minimal import NearMinimal
from fingerpost.golden.routing.scc_random import Random
from fingerpost.golden.routing.super_rotator import ClassRouting
from fingerpost.golden.routing.table import Table
from fingerpost.golden.routing.two_phase import TwoPhase
from fingerpost.golden.routing.up_down import UpDown
from fingerpost.golden.routing.vertex_transitive import VertexTransitive

__all__ = [
    "ALGORITHMS",
    "H2",
    "P2",
    "Y2",
    "Adaptive",
    "AdaptiveTable",
    "ChordalRing",
    "ClassRouting",
    "Decision",
    "DimensionOrder",
    "Greedy",
    "LongestSuffix",
    "M",
    "Minimal",
    "ModifiedP2",
    "NearMinimal",
    "Random",
    "Routing",
    "Shift",
    "Table",
    "TwoPhase",
    "UpDown",
    "VertexTransitive",
]

ALGORITHMS: dict[str, type[Routing]] = {
    algorithm.algorithm: algorithm
    for algorithm in (
        TwoPhase,
        VertexTransitive,
        Adaptive,
        ChordalRing,
        Greedy,
        Random,
        NearMinimal,
        Minimal,
        M,
        H2,
        P2,
        ModifiedP2,
        Y2,
        Shift,
        LongestSuffix,
        ClassRouting,
        DimensionOrder,
        UpDown,
        Table,
        AdaptiveTable,
    )
}
