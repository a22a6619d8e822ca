"""Routing units, one file each, twins of the files in golden.routing."""

from golden.routing import Routing
from hdl.routing.adaptive import Adaptive, AdaptiveLaunch
from hdl.routing.adaptive_table import AdaptiveTable
from hdl.routing.base import Launch, RoutingUnit
from hdl.routing.chordal_ring import ChordalRing
from hdl.routing.dimension_order import DimensionOrder, DimensionOrderLaunch
from hdl.routing.kyklos_h2 import H2, H2Launch
from hdl.routing.kyklos_m import M, MLaunch
from hdl.routing.kyklos_p2 import P2, ModifiedP2, P2Launch
from hdl.routing.kyklos_y2 import Y2, Y2Launch
from hdl.routing.rotator import LongestSuffix, LongestSuffixLaunch
from hdl.routing.scc_greedy import Greedy
from hdl.routing.scc_minimal import Minimal
from hdl.routing.scc_near_minimal import NearMinimal
from hdl.routing.scc_random import Random
from hdl.routing.star import StarLaunch
from hdl.routing.super_rotator import ClassRouting, ClassRoutingLaunch
from hdl.routing.table import Table
from hdl.routing.two_phase import TwoPhase, TwoPhaseLaunch
from hdl.routing.up_down import UpDown
from hdl.routing.vertex_transitive import VertexTransitive, VertexTransitiveLaunch

__all__ = ["UNITS", "Launch", "RoutingUnit", "TwoPhase", "launch", "routing_unit"]

UNITS: dict[str, tuple[type[RoutingUnit], type[Launch]]] = {
    TwoPhase.algorithm: (TwoPhase, TwoPhaseLaunch),
    VertexTransitive.algorithm: (VertexTransitive, VertexTransitiveLaunch),
    Adaptive.algorithm: (Adaptive, AdaptiveLaunch),
    ChordalRing.algorithm: (ChordalRing, Launch),
    Table.algorithm: (Table, Launch),
    M.algorithm: (M, MLaunch),
    H2.algorithm: (H2, H2Launch),
    P2.algorithm: (P2, P2Launch),
    ModifiedP2.algorithm: (ModifiedP2, P2Launch),
    Y2.algorithm: (Y2, Y2Launch),
    Greedy.algorithm: (Greedy, StarLaunch),
    Random.algorithm: (Random, StarLaunch),
    NearMinimal.algorithm: (NearMinimal, Launch),
    Minimal.algorithm: (Minimal, Launch),
    LongestSuffix.algorithm: (LongestSuffix, LongestSuffixLaunch),
    ClassRouting.algorithm: (ClassRouting, ClassRoutingLaunch),
    DimensionOrder.algorithm: (DimensionOrder, DimensionOrderLaunch),
    UpDown.algorithm: (UpDown, Launch),
    AdaptiveTable.algorithm: (AdaptiveTable, Launch),
}


def _twins(routing: Routing) -> tuple[type[RoutingUnit], type[Launch]]:
    twins = UNITS.get(routing.algorithm)
    if twins is None:
        raise ValueError(
            f"Hardware needs a routing unit and a launch for the algorithm {routing.algorithm} in "
            f"hdl.routing.UNITS, not those of {', '.join(UNITS)} alone"
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


def launch(routing: Routing) -> Launch:
    """Return what makes a header of what the terminal sends, golden's `Routing.launch`.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _twins(routing)[1](routing)
