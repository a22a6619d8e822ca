"""Routing units, twins of the files in fingerpost.golden.routing."""

from fingerpost.golden.routing import Routing
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit
from fingerpost.hdl.routing.chordal_ring import ChordalRing
from fingerpost.hdl.routing.dimension_order import DimensionOrder
from fingerpost.hdl.routing.kautz_shift import Shift
from fingerpost.hdl.routing.kyklos import H2, Y2, M
from fingerpost.hdl.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.hdl.routing.rotator import LongestSuffix
from fingerpost.hdl.routing.scc import Minimal, NearMinimal
from fingerpost.hdl.routing.source_table import Acyclic, SourceTable
from fingerpost.hdl.routing.star import Greedy, Random
from fingerpost.hdl.routing.super_rotator import ClassRouting
from fingerpost.hdl.routing.table import AdaptiveTable, Table, UpDown
from fingerpost.hdl.routing.two_phase import TwoPhase
from fingerpost.hdl.routing.vertex_transitive import Adaptive, VertexTransitive

__all__ = [
    "UNITS",
    "HeaderGenerator",
    "RoutingUnit",
    "TwoPhase",
    "header_generator",
    "routing_unit",
]

UNITS: dict[str, type[RoutingUnit]] = {
    unit.algorithm: unit
    for unit in (
        TwoPhase,
        VertexTransitive,
        Adaptive,
        ChordalRing,
        Acyclic,
        SourceTable,
        Table,
        M,
        H2,
        P2,
        ModifiedP2,
        Y2,
        Greedy,
        Random,
        NearMinimal,
        Minimal,
        Shift,
        LongestSuffix,
        ClassRouting,
        DimensionOrder,
        UpDown,
        AdaptiveTable,
    )
}
"""The routing unit of each of `fingerpost.golden.routing.ALGORITHMS`."""


def _unit(routing: Routing) -> type[RoutingUnit]:
    unit = UNITS.get(routing.algorithm)
    if unit is None:
        raise ValueError(
            f"Hardware needs a routing unit for the algorithm {routing.algorithm} in "
            f"fingerpost.hdl.routing.UNITS, not those of {', '.join(UNITS)} alone"
        )
    return unit


def routing_unit(routing: Routing) -> RoutingUnit:
    """Return the hardware of a routing algorithm on its network, golden's `Routing.unit`.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _unit(routing)(routing)


def header_generator(routing: Routing) -> HeaderGenerator:
    """Return the hardware of golden's `Routing.generate_header`.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _unit(routing).header_generator(routing)
