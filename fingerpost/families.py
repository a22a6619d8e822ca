"""The network families that a network file may name: one class each, named in `FAMILY_PARTS`."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, Strict

from fingerpost.parts import Needs, Part

__all__ = ["FAMILY_PARTS"]

Generator = Annotated[
    tuple[int, int], Strict(False), Needs("two whole numbers, [t, y]"), Field(examples=[[0, 1]])
]
"""A list in YAML, a tuple in golden; its numbers are strict all the same."""


class BorelTopology(Part):
    """A Borel Cayley graph (two-phase-1995): p*k nodes, k the order of a modulo p."""

    blame: ClassVar[Mapping[str, str]] = {
        "prime p": "p",
        "nodes, not p*k": "p",
        "an a in": "a",
        "A = (t": "A",
        "B = (t": "B",
    }

    family: Literal["borel"] = Field(description="The network family.")
    # A larger prime would have more nodes than golden takes, and would take minutes to tell.
    p: Annotated[int, Needs("a prime, at most 2000000"), Field(le=2_000_000)] = Field(
        description="A prime."
    )
    a: Annotated[int, Needs("a whole number in 2..p-1")] = Field(
        description="A number in 2..p-1; its order k modulo p is the number of classes."
    )
    A: Generator = Field(description="Generator A as [t, y]: the matrix (a^t, y; 0, 1).")
    B: Generator = Field(description="Generator B as [t, y].")


class StarTopology(Part):
    """A star graph: n! nodes, the permutations of n symbols."""

    blame: ClassVar[Mapping[str, str]] = {"Star needs an n": "n"}

    family: Literal["star"] = Field(description="The network family.")
    n: Annotated[int, Needs("a whole number in 3..9")] = Field(description="Symbols.")


class SccTopology(Part):
    """Star-connected cycles (star-connected-cycles-1995): (n-1) n! nodes."""

    blame: ClassVar[Mapping[str, str]] = {"Scc needs an n": "n"}

    family: Literal["scc"] = Field(description="The network family.")
    n: Annotated[int, Needs("a whole number in 3..9")] = Field(description="Symbols.")


class KyklosTopology(Part):
    """A KYKLOS multi-tree <m, r, n> (kyklos-1988): m^n leaves under r trees."""

    blame: ClassVar[Mapping[str, str]] = {
        "needs m": "m",
        "r >= 1": "r",
        "needs n": "n",
        "an r that": "r",
        "variant proposed": "variant",
        "needs r = 2": "r",
        "at most": "n",
    }

    family: Literal["kyklos"] = Field(description="The network family.")
    m: Annotated[int, Needs("a whole number of at least 2")] = Field(
        description="Children of an interior node."
    )
    r: Annotated[int, Needs("a whole number that divides n")] = Field(description="Trees.")
    n: Annotated[int, Needs("a whole number of at least 1")] = Field(description="Levels.")
    variant: Annotated[Literal["proposed", "original", "I"], Needs("proposed, original or I")] = (
        Field(default="proposed", description="KYKLOS-II as proposed, the original one, or I.")
    )


class RotatorTopology(Part):
    """A rotator graph (super-rotator-1996): n! nodes, directed."""

    blame: ClassVar[Mapping[str, str]] = {"Rotator needs an n": "n"}

    family: Literal["rotator"] = Field(description="The network family.")
    n: Annotated[int, Needs("a whole number in 2..9")] = Field(description="Letters.")


class SuperRotatorTopology(Part):
    """A super-rotator graph (super-rotator-1996) of any number of nodes, directed."""

    blame: ClassVar[Mapping[str, str]] = {"Super-rotator needs nodes": "nodes"}

    family: Literal["super-rotator"] = Field(description="The network family.")
    nodes: Annotated[int, Needs("a whole number of at least 2")] = Field(description="Nodes, N.")


class DoubleLoopTopology(Part):
    """A directed double loop: links from i to i + a and i + b modulo the nodes."""

    blame: ClassVar[Mapping[str, str]] = {
        "needs nodes": "nodes",
        "a step a": "a",
        "a step b": "b",
        "different steps": "b",
    }

    family: Literal["double-loop"] = Field(description="The network family.")
    nodes: Annotated[int, Needs("a whole number of at least 3")] = Field(description="Nodes, n.")
    a: Annotated[int, Needs("a whole number")] = Field(description="The step of the first loop.")
    b: Annotated[int, Needs("a whole number")] = Field(description="The step of the second loop.")


class DirectedChordalRingTopology(Part):
    """A directed ring with chords from every odd i to i + w."""

    blame: ClassVar[Mapping[str, str]] = {"number of nodes": "nodes", "odd chord": "w"}

    family: Literal["directed-chordal-ring"] = Field(description="The network family.")
    nodes: Annotated[int, Needs("an even number of at least 4")] = Field(description="Nodes, n.")
    w: Annotated[int, Needs("an odd number")] = Field(description="The length of a chord.")


class GridTopology(Part):
    """A grid of any dimensions: line, ring, mesh, torus, hypercube, and what lies between."""

    blame: ClassVar[Mapping[str, str]] = {"Grid needs a wrap": "wrap", "Grid needs": "sizes"}

    family: Literal["grid"] = Field(description="The network family.")
    sizes: Annotated[list[int], Needs("a list of whole numbers of at least 2, as in [8, 8]")] = (
        Field(description="Nodes in each dimension.", examples=[[8, 8]])
    )
    wrap: Annotated[
        bool | list[bool],
        Needs("true, false, or a list of these, one for each of the sizes", "true or false"),
    ] = Field(
        default=False,
        description="Whether the last node of a dimension is linked to the first; "
        "of all dimensions, or of each.",
    )


class EdgeListTopology(Part):
    """A network of your own, from a file beside the network file."""

    blame: ClassVar[Mapping[str, str]] = {"Edge-list": "file"}

    family: Literal["edge-list"] = Field(description="The network family.")
    file: Annotated[str, Needs("the name of a file beside this one")] = Field(
        description="An edge list (.txt, one link a line) or GraphML, beside the network file."
    )


FAMILY_PARTS: tuple[type[Part], ...] = (
    BorelTopology,
    StarTopology,
    SccTopology,
    KyklosTopology,
    RotatorTopology,
    SuperRotatorTopology,
    DoubleLoopTopology,
    DirectedChordalRingTopology,
    GridTopology,
    EdgeListTopology,
)
