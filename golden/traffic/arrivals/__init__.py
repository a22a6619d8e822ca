"""Arrival processes, one file each; `ARRIVALS` has them by name."""

from fingerpost.golden.traffic.arrivals.base import Arrivals
from fingerpost.golden.traffic.arrivals.bernoulli import Bernoulli
from fingerpost.golden.traffic.arrivals.on_off import OnOff
from fingerpost.golden.traffic.arrivals.self_similar import SelfSimilar

__all__ = ["ARRIVALS", "Arrivals", "Bernoulli", "OnOff", "SelfSimilar"]

ARRIVALS: dict[str, type[Arrivals]] = {kind.name: kind for kind in (Bernoulli, OnOff, SelfSimilar)}
