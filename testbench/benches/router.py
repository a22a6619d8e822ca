"""One router under random traffic."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.network import router_names
from fingerpost.hdl.emit.verilog import module_verilog, router
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import router_bench

__all__ = ["RouterBench", "router_sources"]


def router_sources(bench: OfNetwork, node: int) -> dict[str, str]:
    """Return the router of a node, with few and wide ports."""
    node_type = bench.network.topology.node_type[node]
    module = router_names(bench.network)[node_type]
    return {
        "router.v": module_verilog(router(bench.network, node_type), module),
        "bench.v": router_bench(bench.network, module),
    }


@dataclass(frozen=True, kw_only=True)
class RouterBench(OfNetwork):
    """The router of one node, which the seed chooses.

    Attributes
    ----------
    cycles : int
        In which packets are sent.
    """

    level: ClassVar[str] = "router"
    top: ClassVar[str] = "router_bench"
    facts: ClassVar[tuple[str, ...]] = ("flits", "delivered")
    cycles: int = 3000

    def sources(self) -> dict[str, str]:
        """Return the router, with few and wide ports."""
        return router_sources(self, self.seed % self.network.topology.nodes)
