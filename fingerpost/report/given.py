"""What a page shows of measurements: from files, or by `fingerpost report --full`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Answers", "Given"]

Answers = dict[str, list[dict[str, Any]]]
"""Of a command, by the name of the network."""


@dataclass(frozen=True)
class Given:
    """Answers of `sweep`, `cost` and `cosim`."""

    sweeps: list[dict[str, Any]]
    costs: Answers
    runs: Answers

    def lacking(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return by command which networks it has no answer for."""
        swept = {curve["network"] for each in self.sweeps for curve in each["curves"]}
        return {
            "sweep": [name for name in names if name not in swept],
            "cost": [name for name in names if not self.costs[name]],
            "cosim": [name for name in names if not self.runs[name]],
        }
