"""The curves of a sweep: a network with a routing, and what its rows say together."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.measure import Outcome
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.measure.simulation import Bisection
from fingerpost.golden.measure.statistics import estimate
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Lengths, Pattern
from fingerpost.netfile.schema import named
from fingerpost.sweeps.schedule import Row

AGREE = 11 / 12
"""The part of the seeds that must agree: up to eleven of them all, 55 of 60."""


@dataclass(frozen=True)
class Curve:
    """A network with a routing, and what is known of it before anything is run."""

    facts: Mapping[str, Any]
    """What it is, as plain data: `network`, `family`, `nodes`, `algorithm` ..."""
    description: str
    """What `fingerpost.golden.network.network.build` makes it of, as JSON."""
    zero_load: float | None
    """Latency where nothing is in the way, in cycles; None where links vary, and for a trace."""
    bound: float
    """The load at which the first link or terminal is full."""

    @classmethod
    def of(cls, network: AnyNetwork, pattern: Pattern, lengths: Lengths) -> "Curve":
        """Return that of a network."""
        topology, routing = network.topology, network.routing
        facts = {
            "network": network.name,
            "family": topology.family,
            "nodes": topology.nodes,
            "terminals": len(topology.terminals),
            "degree": topology.degree,
            "algorithm": network.algorithm,
            "routing": named(network.description),
            "virtual_channels": network.virtual_channels,
            "buffer_depth": network.buffer_depth,
        }
        found = loads(routing, pattern)
        flits, longest = lengths.mean, lengths.most
        links, terminals = found.link_saturation, found.terminal_saturation
        if not network.has_routes:  # all links share what is carried
            links = network.links / max(float(found.load.sum()), 1e-9)
            out = network.ejections / max(float(found.ejected.max()), 1e-9)
            terminals = min(1.0, 1 / max(float(found.injected.max()), 1e-9), out)
        return cls(
            facts,
            json.dumps(network.description, sort_keys=True),
            None
            if pattern.recorded
            else zero_load(network, found.mean_hops, flits=flits, longest=longest),
            min(
                links * network.link.rate(network.flit_width),
                terminals * network.terminal.rate(network.data_width),
            ),
        )

    @property
    def name(self) -> str:
        """Return what a legend calls it."""
        return f"{self.facts['network']}, {self.facts['routing']}"

    @property
    def digest(self) -> str:
        """Return what no other network has."""
        return sha256(self.description.encode()).hexdigest()[:16]


def outcome(rows: Sequence[Row]) -> Outcome:
    """Return what the simulations of one load, one for each seed, say together."""
    found = Counter(Outcome(row["outcome"]) for row in rows)
    if found[Outcome.DEADLOCKED]:
        return Outcome.DEADLOCKED
    agreed = (each for each, count in found.items() if count >= AGREE * len(rows))
    return next(agreed, Outcome.UNDECIDED)


def carried(rows: Sequence[Row]) -> bool:
    """Return whether a network carries a load."""
    return outcome(rows) in (Outcome.STABLE, Outcome.COMPLETE)


def latency(rows: Sequence[Row]) -> float | None:
    """Return the mean latency over the seeds; None unless the load is carried."""
    means = [row["latency_mean"] for row in rows if row["latency_mean"] is not None]
    return sum(means) / len(means) if means and carried(rows) else None


def summary(curve: Curve, rows: Sequence[Row], searches: Sequence[Bisection]) -> Row:
    """Return a curve as plain data: the means over seeds, load by load.

    Parameters
    ----------
    rows : sequence
        Those of `point.simulated`, with `load` and `seed`.
    searches : sequence of Bisection
        That for the saturation, and that by the latency, if they were asked for.
    """
    search, slow = (*searches, None, None)[:2]
    by_load: dict[float, list[Row]] = {}
    for row in rows:
        by_load.setdefault(row["load"], []).append(row)
    return {
        **curve.facts,
        "zero_load_latency": curve.zero_load,
        "bound": curve.bound,
        "saturation": search.saturation if search else None,
        "not_stable": search.beyond if search else None,
        **({"latency_saturation": slow.saturation} if slow else {}),
        "points": [_mean(load, some) for load, some in sorted(by_load.items())],
    }


def _mean(load: float, rows: Sequence[Row]) -> Row:
    """Return a point: with several seeds intervals are by replication, a mean for each seed."""
    single = rows[0] if len(rows) == 1 else None
    accepted = estimate([row["accepted"] for row in rows])
    known = latency(rows)
    means = [row["latency_mean"] for row in rows if row["latency_mean"] is not None]
    replicated = None if known is None else estimate(means).interval
    return {
        "load": load,
        "outcome": outcome(rows).value,
        "offered": sum(row["offered"] for row in rows) / len(rows),
        "accepted": accepted.mean,
        "accepted_interval": _interval(single, "accepted") if single else accepted.interval,
        "accepted_least": min(row["accepted_least"] for row in rows),
        "latency": known,
        "latency_interval": _interval(single, "latency") if single else replicated,
    }


def _interval(row: Row, name: str) -> list[float] | None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return None if low is None else [low, high]
