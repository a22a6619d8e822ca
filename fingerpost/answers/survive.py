"""`fingerpost survive`: how likely the survivors of failures still reach one another."""

from collections.abc import Callable, Mapping
from typing import Any

from fingerpost.golden.reliability.exact import exact
from fingerpost.golden.reliability.links import chance
from fingerpost.golden.reliability.monte_carlo import CONFIDENCE, monte_carlo
from fingerpost.golden.topology import Topology

SAMPLES = 20_000
"""Samples where there is no exact method: an interval of at most 1.4 percent."""


def facts(
    name: str,
    topology: Topology,
    *,
    node_failure: float,
    link_failure: float,
    samples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Return the survival reliability of a network.

    It is exact where there is a method for it, unless samples are requested.

    Raises
    ------
    ValueError
        If a probability is not one, or there is no sample.

    Keys
    ----
    network, family, nodes, terminals
    node_failure, link_failure : probability
        The arguments.
    method, exact
        How it was computed; whether it is exact.
    survival : probability
        At least two terminals survive, and all survivors reach each other.
    interval, confidence : probability
        If not exact: confidence interval and its level.
    survivors, samples, seed : samples
        If not exact.
    """
    node, link = chance("node", node_failure), chance("link", link_failure)
    answer: dict[str, Any] = {
        "network": name,
        "family": topology.family,
        "nodes": topology.nodes,
        "terminals": len(topology.terminals),
        "node_failure": node_failure,
        "link_failure": link_failure,
    }
    found = exact(topology, node, [link] * topology.degree) if samples is None else None
    if found is not None:
        method, survival = found
        return answer | {"method": method, "exact": True, "survival": float(survival)}
    estimate = monte_carlo(
        topology,
        node_failure,
        link_failure,
        samples=SAMPLES if samples is None else samples,
        seed=seed,
        progress=progress,
    )
    return answer | {
        "method": "monte carlo",
        "exact": False,
        "survival": estimate.survival,
        "interval": [estimate.low, estimate.high],
        "confidence": CONFIDENCE,
        "survivors": estimate.survivors,
        "samples": estimate.samples,
        "seed": seed,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return the reliability, and how sure it is."""
    kind = "terminals" if facts["terminals"] < facts["nodes"] else "nodes"
    head = f"{facts['network']}, {facts['nodes']} nodes: a node fails with probability"
    lines = [f"{head} {facts['node_failure']:g}, a link with {facts['link_failure']:g}"]
    if facts["exact"]:
        lines.append(f"survival {facts['survival']:.10g}, exact, by {facts['method']}")
    else:
        low, high = facts["interval"]
        lines.append(
            f"survival {facts['survival']:.5f}, {facts['confidence']:.0%} interval "
            f"{low:.5f}..{high:.5f}: {facts['survivors']} of {facts['samples']} samples, "
            f"seed {facts['seed']}"
        )
    lines.append(f"survival: two or more {kind} survive, and all that do reach one another")
    return "\n".join(lines)
