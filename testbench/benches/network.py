"""The whole network in lock-step with the model."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.model import Traffic
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic.patterns.base import Pattern
from fingerpost.hdl.emit.network import around_network, network_verilog, node_names
from fingerpost.hdl.emit.verilog import node_verilog, parts_verilog
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import network_bench, no_inline

__all__ = ["NetworkBench", "network_sources"]


def network_sources(network: AnyNetwork, top: str = "") -> dict[str, str]:
    """Return the nodes, the network, and the top module of a bench if there is another."""
    return {
        **{f"{module}.v": text for module, text in node_verilog(network).items()},
        **{f"{module}.v": text for module, text in around_network(network).items()},
        **{f"{module}.v": text for module, text in parts_verilog(network).items()},
        "network.v": network_verilog(network),
        **({"bench.v": top} if top else {}),
        "bench.vlt": no_inline(*node_names(network).values()),
    }


@dataclass(frozen=True, kw_only=True)
class NetworkBench(OfNetwork):
    """Every link and terminal in every cycle.

    Attributes
    ----------
    cycles : int
        In which packets are made; then the network drains.
    load, lengths, malformed, traffic, arrivals
        See `golden.traffic.Traffic`; `traffic` is its pattern, in words but by way compiled.
    stall, surplus
        See `fingerpost.golden.model.CreditTerminalModel`.

    Raises
    ------
    ValueError
        If there can be no such traffic.
    """

    level: ClassVar[str] = "network"
    top: ClassVar[str] = "network_bench"
    facts: ClassVar[tuple[str, ...]] = ("delivered", "flits")
    cycles: int = 1000
    load: float | None = 0.2
    lengths: tuple[int, int] | str = (1, 4)
    malformed: float = 0.0
    traffic: str | Pattern = "uniform"
    arrivals: str = "bernoulli"
    stall: float = 0.3
    surplus: int = 0

    def __post_init__(self) -> None:
        # Here and not a minute later, when hardware has been built.
        traffic = Traffic(
            self.network,
            self.load,
            1,
            lengths=self.lengths,
            pattern=self.traffic,
            arrivals=self.arrivals,
        )
        self.network.terminal.model(traffic, stall=self.stall, surplus=self.surplus)

    def sources(self) -> dict[str, str]:
        """Return the network, with one vector of all that can be seen of it."""
        return network_sources(self.network, network_bench(self.network))
