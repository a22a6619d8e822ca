"""What graphs of a search are compared by: the least is the best."""

from collections.abc import Callable, Mapping
from typing import Any

from fingerpost.golden.deadlock.annealing import search
from fingerpost.golden.network.network import topology
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.distance import summary

__all__ = ["SCORES", "check", "scored"]


def mean_distance(graph: Topology) -> float:
    """Return the mean distance in hops."""
    return summary(graph)[1]


def load(graph: Topology) -> float:
    """Return the load of the busiest link on shortest paths, when terminals send 1 flit a cycle.

    That is under uniform traffic with vertex-transitive routing, whose table is balanced. Its
    inverse is the saturation.
    """
    return float(VertexTransitive(graph).load.max()) / (graph.nodes - 1)


def channels(graph: Topology) -> float:
    """Return the virtual channels that vertex-transitive routing needs, as `order` finds them."""
    return search(VertexTransitive(graph))[1]


SCORES: dict[str, Callable[[Topology], float]] = {
    "mean-distance": mean_distance,
    "load": load,
    "channels": channels,
}


def check(score: str, family: str) -> None:
    """See to it that graphs of a family have a score.

    Raises
    ------
    ValueError
        If they do not.
    """
    if score != "mean-distance" and family not in ("borel", "metacyclic"):
        raise ValueError(
            f"--score {score} needs --family borel or metacyclic, with vertex-transitive routing, "
            f"not {family}; --score mean-distance takes all"
        )


def scored(score: str, keys: Mapping[str, Any]) -> float:
    """Return a score of the graph with these keys of a network file."""
    return SCORES[score](topology({"topology": keys}))
