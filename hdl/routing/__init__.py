"""Routing units, one file each, twins of the files in golden.routing."""

from golden.routing import Routing
from hdl.routing.base import Launch, RoutingUnit
from hdl.routing.two_phase import TwoPhase, TwoPhaseLaunch

__all__ = ["UNITS", "Launch", "RoutingUnit", "TwoPhase", "launch", "routing_unit"]

UNITS: dict[str, tuple[type[RoutingUnit], type[Launch]]] = {
    TwoPhase.algorithm: (TwoPhase, TwoPhaseLaunch),
}


def routing_unit(routing: Routing) -> RoutingUnit:
    """Return the hardware of a routing algorithm on its network."""
    return UNITS[routing.algorithm][0](routing)


def launch(routing: Routing) -> Launch:
    """Return what makes a header of what the terminal sends."""
    return UNITS[routing.algorithm][1](routing)
