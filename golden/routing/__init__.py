"""Routing algorithms, one file each; `ALGORITHMS` is what a network file may name."""

from golden.routing.adaptive import Adaptive
from golden.routing.adaptive_table import AdaptiveTable
from golden.routing.base import Decision, Routing
from golden.routing.chordal_ring import ChordalRing
from golden.routing.dimension_order import DimensionOrder
from golden.routing.kyklos_h2 import H2
from golden.routing.kyklos_m import M
from golden.routing.kyklos_p2 import P2, ModifiedP2
from golden.routing.kyklos_y2 import Y2
from golden.routing.rotator import LongestSuffix
from golden.routing.scc_greedy import Greedy
from golden.routing.scc_minimal import Minimal
from golden.routing.scc_near_minimal import NearMinimal
from golden.routing.scc_random import Random
from golden.routing.super_rotator import ClassRouting
from golden.routing.table import Table
from golden.routing.two_phase import TwoPhase
from golden.routing.up_down import UpDown
from golden.routing.vertex_transitive import VertexTransitive

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
        LongestSuffix,
        ClassRouting,
        DimensionOrder,
        UpDown,
        Table,
        AdaptiveTable,
    )
}
