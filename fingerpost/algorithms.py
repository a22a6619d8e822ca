"""The routing algorithms that a network file may name: one class each, in `ALGORITHM_PARTS`."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fingerpost.parts import Needs, Part

__all__ = ["ALGORITHM_PARTS", "TableRouting"]


class TwoPhaseRouting(Part):
    """Two-phase routing (two-phase-1995, Section IV), for borel."""

    blame: ClassVar[Mapping[str, str]] = {
        "Phase I": "phase1",
        "needs words": "words",
        "needs a borel": "algorithm",
    }

    algorithm: Literal["two-phase"] = Field(description="The routing algorithm.")
    phase1: Annotated[Literal["table", "computed"], Needs("table or computed")] = Field(
        default="table", description="Where the first link of phase I comes from."
    )
    words: Annotated[Literal["balanced", "first"], Needs("balanced or first")] = Field(
        default="balanced", description="Which of equally short links and words the tables hold."
    )


class VertexTransitiveRouting(Part):
    """Vertex-transitive routing by shortest paths (vertex-transitivity-1992), for borel."""

    blame: ClassVar[Mapping[str, str]] = {
        "needs table": "table",
        "needs path": "path",
        "needs address": "address",
    }

    algorithm: Literal["vertex-transitive"] = Field(description="The routing algorithm.")
    table: Annotated[Literal["balanced", "first"], Needs("balanced or first")] = Field(
        default="balanced", description="Which of several shortest first links the table holds."
    )
    path: Annotated[Literal["hop", "source"], Needs("hop or source")] = Field(
        default="hop", description="Decided at every hop, or the whole path at the source."
    )
    address: Annotated[Literal["relative", "absolute"], Needs("relative or absolute")] = Field(
        default="relative",
        description="The header names the rest of the way, or the destination.",
    )


class AdaptiveRouting(Part):
    """Any free link of all shortest paths, for borel."""

    algorithm: Literal["adaptive"] = Field(description="The routing algorithm.")


class ChordalRingRouting(Part):
    """Chordal-ring routing with look-ahead (two-phase-1995), for borel."""

    blame: ClassVar[Mapping[str, str]] = {"needs lookahead": "lookahead", "needs rule": "rule"}

    algorithm: Literal["chordal-ring"] = Field(description="The routing algorithm.")
    lookahead: Annotated[int, Needs("a whole number in 1..4"), Field(ge=1, le=4)] = Field(
        default=2, description="Hops that a node looks ahead, d."
    )
    rule: Annotated[Literal["safe", "paper"], Needs("safe or paper")] = Field(
        default="safe", description="safe: always delivers; paper: as the paper's tables were made."
    )


class GreedyRouting(Part):
    """Greedy routing (star-connected-cycles-1995, Algorithm 2), for scc and star."""

    blame: ClassVar[Mapping[str, str]] = {"needs memory": "memory"}

    algorithm: Literal["greedy"] = Field(description="The routing algorithm.")
    memory: Annotated[Literal["anchor", "none"], Needs("anchor or none")] = Field(
        default="anchor", description="The header remembers the cycle begun, or nothing."
    )


class RandomRouting(Part):
    """Random routing (star-connected-cycles-1995, Algorithm 1), for scc."""

    algorithm: Literal["random"] = Field(description="The routing algorithm.")


class NearMinimalRouting(Part):
    """Near-minimal routing (star-connected-cycles-1995), for scc."""

    algorithm: Literal["near-minimal"] = Field(description="The routing algorithm.")


class MinimalRouting(Part):
    """Minimal routing (star-connected-cycles-1995, Algorithm 3), for scc."""

    algorithm: Literal["minimal"] = Field(description="The routing algorithm.")


class MRouting(Part):
    """M-r routing in one tree (kyklos-1988), for kyklos."""

    algorithm: Literal["m"] = Field(description="The routing algorithm.")


class H2Routing(Part):
    """H-r routing by slices (kyklos-1988), for kyklos."""

    algorithm: Literal["h2"] = Field(description="The routing algorithm.")


class P2Routing(Part):
    """P-r routing, the least climb (kyklos-1988), for kyklos."""

    algorithm: Literal["p2"] = Field(description="The routing algorithm.")


class ModifiedP2Routing(Part):
    """Modified P-r routing (kyklos-1988), for kyklos."""

    algorithm: Literal["modified-p2"] = Field(description="The routing algorithm.")


class Y2Routing(Part):
    """Y-2 routing (kyklos-1988), for kyklos with m = 2."""

    algorithm: Literal["y2"] = Field(description="The routing algorithm.")


class RotatorRouting(Part):
    """Optimal routing by the longest increasing suffix, for rotator."""

    algorithm: Literal["rotator"] = Field(description="The routing algorithm.")


class ClassRouting(Part):
    """Stateless routing by classes, for super-rotator."""

    blame: ClassVar[Mapping[str, str]] = {"needs link": "link"}

    algorithm: Literal["class"] = Field(description="The routing algorithm.")
    link: Annotated[Literal["min", "first"], Needs("min or first")] = Field(
        default="min", description="Which link leads to a higher class: the nearest, or the first."
    )


class DimensionOrderRouting(Part):
    """One dimension after the other, by shortest paths, for grid."""

    algorithm: Literal["dimension-order"] = Field(description="The routing algorithm.")


class UpDownRouting(Part):
    """Up towards a root, then down, on one channel, for any network that is not directed."""

    algorithm: Literal["up-down"] = Field(description="The routing algorithm.")


class TableRouting(Part):
    """Shortest paths from a table at every node, for any network."""

    algorithm: Literal["table"] = Field(description="The routing algorithm.")
    choice: Annotated[Literal["balanced", "first"], Needs("balanced or first")] = Field(
        default="balanced", description="Which of several shortest next links the table holds."
    )


ALGORITHM_PARTS: tuple[type[Part], ...] = (
    TwoPhaseRouting,
    VertexTransitiveRouting,
    AdaptiveRouting,
    ChordalRingRouting,
    GreedyRouting,
    RandomRouting,
    NearMinimalRouting,
    MinimalRouting,
    MRouting,
    H2Routing,
    P2Routing,
    ModifiedP2Routing,
    Y2Routing,
    RotatorRouting,
    ClassRouting,
    DimensionOrderRouting,
    UpDownRouting,
    TableRouting,
)
