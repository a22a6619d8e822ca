"""Small networks of deflection routers, of every kind of node."""

from typing import Any

from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from tests.networks import PETERSEN

__all__ = ["ROUTERS", "TOPOLOGIES", "deflection"]

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "petersen": PETERSEN,
    "uneven": {
        "family": "edge-list",
        "nodes": 6,
        "links": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (2, 5), (1, 5), (3, 5), (4, 5)],
    },
    "borel": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
    "mesh": {"family": "grid", "sizes": [4, 4]},
    "torus": {"family": "grid", "sizes": [4, 4], "wrap": True},
    "hypercube": {"family": "grid", "sizes": [2] * 6},
    "kautz": {"family": "kautz", "degree": 2, "diameter": 3},
    "digraph": {"family": "metacyclic-digraph", "m": 5, "k": 4, "r": 2, "A": (1, 0), "B": (3, 1)},
    "kyklos": {"family": "kyklos", "m": 2, "r": 2, "n": 2},
    "star": {"family": "star", "n": 4},
}
"""Degrees 1 to 6; "digraph" and "kautz" directed, "kyklos" with nodes without terminal."""


ROUTERS: dict[str, dict[str, Any]] = {
    "petersen": {"wait_limit": 4, "hop_cycles": 3, "ejections": 1, "injection": "half", "epoch": 5},
    "uneven": {"ejections": 1, "epoch": 4, "wait_limit": 4},
    "borel": {"wait_limit": 4, "epoch": 6},
    "mesh": {"wait_limit": 4, "ejections": 1, "injection": "half", "epoch": 6},
    "torus": {"hop_cycles": 3, "epoch": 4, "injection": "half"},
    "hypercube": {"ejections": 1, "epoch": 5},
    "kautz": {"wait_limit": 4, "hop_cycles": 4, "epoch": 5},
    "digraph": {"ejections": 1, "epoch": 7},
    "kyklos": {"wait_limit": 6, "epoch": 5},
    "star": {"hop_cycles": 3, "injection": "half"},
}
"""Parameters that are tried on each of `TOPOLOGIES`; epochs so short that many pass."""


def deflection(name: str, **router: Any) -> DeflectionNetwork:
    """Build one of `TOPOLOGIES`."""
    return build_deflection(
        {"name": name, "topology": TOPOLOGIES[name], "router": {"kind": "deflection", **router}}
    )
