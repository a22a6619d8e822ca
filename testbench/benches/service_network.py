"""A network whose terminals send without end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.service.flows import Flows
from fingerpost.golden.service.judgement import Judgement, judge_flows
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.network import network_sources
from fingerpost.testbench.sources import network_bench

__all__ = ["ServiceNetworkBench"]


@dataclass(frozen=True, kw_only=True)
class ServiceNetworkBench(OfNetwork):
    """What comes of every terminal; it reports what `judgements` takes.

    Attributes
    ----------
    trials : sequence of mappings
        `destination` of every node, -1 if it sends nothing; `length` of packets; `cycles`.

    Raises
    ------
    ValueError
        If flits are too narrow to tell where they come from.
    """

    level: ClassVar[str] = "service_network"
    top: ClassVar[str] = "network_bench"
    trials: Sequence[Mapping[str, Any]]

    def __post_init__(self) -> None:
        network = self.network
        least = (network.topology.nodes**2 - 1).bit_length() + network.routing.header.width
        if network.flit_width < least:
            raise ValueError(
                f"Network needs a flit_width of at least {least} to tell source and destination "
                f"above the header, not {network.flit_width}"
            )

    def sources(self) -> dict[str, str]:
        """Return the network, with one vector of all that can be seen of it."""
        return network_sources(self.network, network_bench(self.network))

    def judgements(self, found: Sequence[Mapping[str, Any]]) -> list[Judgement]:
        """Return a judgement for each trial, of what the bench has found."""
        judgements = []
        for trial, one in zip(self.trials, found, strict=True):
            destination = np.array(trial["destination"])
            flows = Flows(self.network, destination, length=trial["length"])
            flows.now, flows.astray = trial["cycles"], one["astray"]
            for name, values in one.items():
                if name != "astray":
                    setattr(flows, name, np.array(values))
            judgements.append(judge_flows(flows, destination))
        return judgements
