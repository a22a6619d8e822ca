"""The form in which each family is drawn; a family that is not named here is laid out freely."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fingerpost.drawing.form import Form
from fingerpost.drawing.forms.lattices import (
    chordal_ring,
    classes,
    free,
    grid,
    kyklos,
    ring,
    twisted_torus,
)
from fingerpost.drawing.forms.permutations import rotator, scc, star, super_rotator
from fingerpost.golden.topology import Topology

__all__ = ["FORMS", "OTHERS", "Drawn"]


class Drawn(NamedTuple):
    """How a family is drawn."""

    form: Callable[[Any], Form]
    """Returns the form of a topology of the family."""
    largest: int = 300
    """More nodes than this would be a hairball."""
    quotient: Callable[[Any], tuple[Topology, Form]] | None = None
    """Returns what a larger one comes to, a smaller topology, and its form; node j is part of
    `orbit[j]` there, and ports are the same."""


FORMS: dict[str, Drawn] = {
    "borel": Drawn(chordal_ring, quotient=classes),
    "metacyclic": Drawn(chordal_ring, quotient=classes),
    "metacyclic-digraph": Drawn(ring),
    "metacyclic-cubic": Drawn(chordal_ring, quotient=classes),
    "star": Drawn(star),
    "scc": Drawn(scc, largest=500),
    "kyklos": Drawn(kyklos),
    "rotator": Drawn(rotator),
    "super-rotator": Drawn(super_rotator),
    "double-loop": Drawn(ring),
    "directed-chordal-ring": Drawn(ring),
    "grid": Drawn(grid, largest=1200),
    "twisted-torus": Drawn(twisted_torus, largest=1200),
}

OTHERS = Drawn(free)
