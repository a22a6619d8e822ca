"""Routing units, twins of the files in fingerpost.golden.routing."""

from fingerpost.golden.routing import Routing
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit
from fingerpost.hdl.routing.chordal_ring import ChordalRing
from fingerpost.hdl.routing.dimension_order import (
    DimensionOrder,
    DimensionOrderHeaderGenerator,
)
from fingerpost.hdl.routing.kautz_shift import Shift, ShiftHeaderGenerator
from fingerpost.hdl.routing.kyklos import (
    H2,
    Y2,
    H2HeaderGenerator,
    M,
    MHeaderGenerator,
    Y2HeaderGenerator,
)
from fingerpost.hdl.routing.kyklos_p2 import P2, ModifiedP2, P2HeaderGenerator
from fingerpost.hdl.routing.rotator import LongestSuffix, LongestSuffixHeaderGenerator
from fingerpost.hdl.routing.scc import Minimal, NearMinimal
from fingerpost.hdl.routing.star import Greedy, Random, StarHeaderGenerator
from fingerpost.hdl.routing.super_rotator import (
    ClassRouting,
    ClassRoutingHeaderGenerator,
)
from fingerpost.hdl.routing.table import AdaptiveTable, Table, UpDown
from fingerpost.hdl.routing.two_phase import TwoPhase, TwoPhaseHeaderGenerator
from fingerpost.hdl.routing.vertex_transitive import (
    Adaptive,
    AdaptiveHeaderGenerator,
    VertexTransitive,
    VertexTransitiveHeaderGenerator,
)

__all__ = [
    "UNITS",
    "HeaderGenerator",
    "RoutingUnit",
    "TwoPhase",
    "header_generator",
    "routing_unit",
]

UNITS: dict[str, tuple[type[RoutingUnit], type[HeaderGenerator]]] = {
    TwoPhase.algorithm: (TwoPhase, TwoPhaseHeaderGenerator),
    VertexTransitive.algorithm: (VertexTransitive, VertexTransitiveHeaderGenerator),
    Adaptive.algorithm: (Adaptive, AdaptiveHeaderGenerator),
    ChordalRing.algorithm: (ChordalRing, HeaderGenerator),
    Table.algorithm: (Table, HeaderGenerator),
    M.algorithm: (M, MHeaderGenerator),
    H2.algorithm: (H2, H2HeaderGenerator),
    P2.algorithm: (P2, P2HeaderGenerator),
    ModifiedP2.algorithm: (ModifiedP2, P2HeaderGenerator),
    Y2.algorithm: (Y2, Y2HeaderGenerator),
    Greedy.algorithm: (Greedy, StarHeaderGenerator),
    Random.algorithm: (Random, StarHeaderGenerator),
    NearMinimal.algorithm: (NearMinimal, HeaderGenerator),
    Minimal.algorithm: (Minimal, HeaderGenerator),
    Shift.algorithm: (Shift, ShiftHeaderGenerator),
    LongestSuffix.algorithm: (LongestSuffix, LongestSuffixHeaderGenerator),
    ClassRouting.algorithm: (ClassRouting, ClassRoutingHeaderGenerator),
    DimensionOrder.algorithm: (DimensionOrder, DimensionOrderHeaderGenerator),
    UpDown.algorithm: (UpDown, HeaderGenerator),
    AdaptiveTable.algorithm: (AdaptiveTable, HeaderGenerator),
}


def _twins(routing: Routing) -> tuple[type[RoutingUnit], type[HeaderGenerator]]:
    twins = UNITS.get(routing.algorithm)
    if twins is None:
        raise ValueError(
            f"Hardware needs a routing unit and a header generator for the algorithm "
            f"{routing.algorithm} in fingerpost.hdl.routing.UNITS, "
            f"not those of {', '.join(UNITS)} alone"
        )
    return twins


def routing_unit(routing: Routing) -> RoutingUnit:
    """Return the hardware of a routing algorithm on its network, golden's `Routing.unit`.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _twins(routing)[0](routing)


def header_generator(routing: Routing) -> HeaderGenerator:
    """Return the hardware of golden's `Routing.generate_header`.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _twins(routing)[1](routing)
