"""Routing algorithms, a file for those that are alike; `ALGORITHMS` has them by name."""

from fingerpost.golden.routing.acyclic import Acyclic
from fingerpost.golden.routing.base import Decision, Routing
from fingerpost.golden.routing.chordal_ring import ChordalRing
from fingerpost.golden.routing.dimension_order import DimensionOrder
from fingerpost.golden.routing.kautz_shift import Shift
from fingerpost.golden.routing.kyklos import H2, Y2, M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.rotator import LongestSuffix
from fingerpost.golden.routing.scc import Minimal, NearMinimal
from fingerpost.golden.routing.source_table import SourceTable
from fingerpost.golden.routing.star import Greedy, Random
from fingerpost.golden.routing.super_rotator import ClassRouting
from fingerpost.golden.routing.table import AdaptiveTable, Table, UpDown
from fingerpost.golden.routing.two_phase import TwoPhase
from fingerpost.golden.routing.vertex_transitive import Adaptive, VertexTransitive

__all__ = [
    "ALGORITHMS",
    "H2",
    "P2",
    "Y2",
    "Acyclic",
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
    "SourceTable",
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
        Acyclic,
        SourceTable,
        UpDown,
        Table,
        AdaptiveTable,
    )
}
