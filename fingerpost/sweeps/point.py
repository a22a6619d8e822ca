"""One simulation of a sweep: the work, and the row of its result."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from fingerpost.golden.measure import simulate
from fingerpost.golden.network.kinds import AnyNetwork, build_any

__all__ = ["Point", "Row", "simulated"]

Row = dict[str, Any]


class Point(NamedTuple):
    """A curve, by its number, under one load with one seed."""

    curve: int
    load: float
    seed: int


@lru_cache(maxsize=2)
def _network(description: str) -> AnyNetwork:
    """Build a network, with its proof; a worker often simulates the same one."""
    return build_any(json.loads(description))


def simulated(description: str, options: Mapping[str, Any], load: float, seed: int) -> Row:
    """Return what `fingerpost.golden.measure.simulate` finds, as plain numbers.

    Parameters
    ----------
    description : str
        Of a network, as JSON.
    options : mapping
        Other arguments of `simulate`.
    """
    network = _network(description)
    found = simulate(network, load=load, seed=seed, **options)
    mean = found.latencies.mean
    links = found.link_load[network.topology.neighbour >= 0]
    return {
        "outcome": found.outcome.value,
        "offered": found.offered,
        "accepted": found.accepted.mean,
        "accepted_low": found.accepted.low,
        "accepted_high": found.accepted.high,
        "accepted_least": found.accepted_least,
        "latency_mean": mean.mean if mean else None,
        "latency_low": mean.low if mean else None,
        "latency_high": mean.high if mean else None,
        **{f"latency_{name}": value for name, value in found.latencies.percentiles.items()},
        "packets": found.packets,
        "warm_up": found.warm_up,
        "settled": found.settled,
        "drain": found.drain,
        "link_load_mean": float(links.mean()),
        "link_load_max": float(links.max()),
    }
