"""Lengths of packets, one file each distribution; `LENGTHS` has them by name."""

from fingerpost.golden.traffic.lengths.base import Lengths
from fingerpost.golden.traffic.lengths.bimodal import Bimodal
from fingerpost.golden.traffic.lengths.fixed import Fixed
from fingerpost.golden.traffic.lengths.uniform import Uniform

__all__ = ["LENGTHS", "Bimodal", "Fixed", "Lengths", "Uniform"]

LENGTHS: dict[str, type[Lengths]] = {kind.name: kind for kind in (Fixed, Uniform, Bimodal)}
