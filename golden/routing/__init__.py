"""Routing algorithms, one file each; `ALGORITHMS` is what a network file may name."""

from golden.routing.base import Decision, Routing
from golden.routing.two_phase import TwoPhase

__all__ = ["ALGORITHMS", "Decision", "Routing", "TwoPhase"]

ALGORITHMS: dict[str, type[Routing]] = {TwoPhase.algorithm: TwoPhase}
