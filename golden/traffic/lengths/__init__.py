"""Lengths of packets, one file each distribution; `LENGTHS` has them by name."""

from golden.traffic.lengths.base import Lengths
from golden.traffic.lengths.bimodal import Bimodal
from golden.traffic.lengths.fixed import Fixed
from golden.traffic.lengths.uniform import Uniform

__all__ = ["LENGTHS", "Bimodal", "Fixed", "Lengths", "Uniform"]

LENGTHS: dict[str, type[Lengths]] = {kind.name: kind for kind in (Fixed, Uniform, Bimodal)}
