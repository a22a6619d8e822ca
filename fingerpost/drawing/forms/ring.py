"""Rings with chords: chordal rings with their classes, double loops, directed chordal rings."""

import numpy as np

from fingerpost.drawing.form import Form, around, circle
from fingerpost.drawing.picture import CLASSES
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.metacyclic import MetacyclicGraph

__all__ = ["chordal_ring", "classes", "ring"]


def ring(topology: Topology) -> Form:
    """Place the nodes on a circle by number, and tell the links apart by port.

    For directed families: of a link both ways only one end would be seen.
    """
    ports = np.broadcast_to(np.arange(topology.degree), topology.neighbour.shape)
    return Form(
        circle(topology.nodes),
        kind=ports,
        kinds=topology.port_names,
        ticks=around(topology.nodes),
        outward=True,
    )


def chordal_ring(topology: MetacyclicGraph) -> Form:
    """Place the nodes on a circle by label, coloured by class (two-phase-1995, Section II)."""
    return Form(
        circle(topology.nodes),
        colour=topology.orbit,
        colours=[f"class {i}" for i in range(topology.k)],
        kind=_generator(topology),
        kinds=_generators(topology),
        ticks=around(topology.nodes),
        outward=True,
    )


def classes(topology: MetacyclicGraph) -> tuple[Topology, Form]:
    """Return the circulant graph of the classes, with its form: what a large network comes to.

    A link A leads from class i to class i + t modulo k, t that of A.
    """
    k, shift = topology.k, topology.shift
    neighbour = (np.arange(k)[:, None] + shift) % k
    arrival = np.broadcast_to(topology.arrival_port[0], neighbour.shape).copy()
    quotient = Topology(neighbour, arrival, topology.port_names)
    names = _generators(topology)
    form = Form(
        circle(k),
        colour=np.arange(k) if k <= len(CLASSES) else None,
        kind=_generator(quotient),
        kinds=tuple(
            f"{name}: class i to {_step(t)}"
            for name, t in zip(names, shift[: len(names)].tolist(), strict=True)
        ),
        ticks=around(k),
        outward=True,
        note=f"the {k} classes of {topology.p} nodes each",
    )
    return quotient, form


def _step(t: int) -> str:
    return f"i+{t}" if t else "itself"


def _generators(topology: Topology) -> tuple[str, ...]:
    """Return the names of the generators, which come before those of their inverses."""
    return tuple(name for name in topology.port_names if not name.endswith("^-1"))


def _generator(topology: Topology) -> IntArray:
    """Return 0 for A and its inverse, 1 for B and its, 2 for C."""
    ports = np.arange(topology.degree) % len(_generators(topology))
    return np.broadcast_to(ports, topology.neighbour.shape)
