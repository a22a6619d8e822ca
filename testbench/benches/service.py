"""One router with endless streams to one output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.router import router_sources

__all__ = ["ServiceBench"]


@dataclass(frozen=True, kw_only=True)
class ServiceBench(OfNetwork):
    """What every stream gets through; it reports `served`, the flits of each, for every trial.

    Attributes
    ----------
    node : int
        The node whose router it is.
    trials : sequence of mappings
        `output`; `ways`, the (port, channel) at which streams come in; `cycles`, and what
        `golden.service.neighbours.Neighbours` takes, `period` and `phase` by channel of the output.
    """

    level: ClassVar[str] = "service"
    top: ClassVar[str] = "router_bench"
    node: int
    trials: Sequence[Mapping[str, Any]]

    def sources(self) -> dict[str, str]:
        """Return the router, with few and wide ports."""
        return router_sources(self, self.node)
