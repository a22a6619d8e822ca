"""Every routing decision of deflection routers: nodes side by side, without their links."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.node import node_parameters, node_ports, node_verilog
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import table_name, table_verilog
from fingerpost.hdl.emit.network import node_names, router_names
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import Port
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import no_inline, wire_fields

__all__ = ["DeflectionUnitBench"]

MOST = 32
"""Nodes that are tried, if nothing is said."""

HIGH = "eject__ready", "link_up"
"""Inputs that are asserted; others that are not asked are not."""


@dataclass(frozen=True, kw_only=True)
class DeflectionUnitBench(OfNetwork):
    """Routers with their tables, to which any flits come; nothing is injected.

    First every destination arrives alone at every input, so that what is wanted decides; then at
    all inputs at once, so that priorities do.

    Attributes
    ----------
    nodes : int
        At most so many nodes, drawn by the seed.
    contended : int
        Cycles with flits at all inputs.
    """

    level: ClassVar[str] = "unit"
    top: ClassVar[str] = "unit_bench"
    counted: ClassVar[str] = "decisions"
    nodes: int = MOST
    contended: int = 500

    @property
    def test(self) -> str:
        """Return the module with the cocotb test."""
        return "fingerpost.testbench.benches.deflection_unit_cocotb"

    def chosen(self) -> IntArray:
        """Return the nodes that are tried."""
        nodes = self.network.topology.nodes
        some = np.random.default_rng(self.seed).permutation(nodes)[: self.nodes]
        return np.sort(some)

    def sources(self) -> dict[str, str]:
        """Return routers, tables, and nodes side by side."""
        network = self.network
        assert isinstance(network, DeflectionNetwork)
        routers, names, files = router_names(network), node_names(network), dict[str, str]()
        ports = dict[NodeType, list[Port]]()
        for node_type in network.topology.node_types:
            router = DeflectionRouter(network, node_type)
            module, name = routers[node_type], names[node_type]
            files[f"{module}.v"] = module_verilog(router, module)
            files[f"{name}.v"] = node_verilog(router, name, module)
            ports[node_type] = node_ports(router)
        files[f"{table_name(network)}.v"] = table_verilog(network)
        files["bench.v"] = self._bench(network, names, ports)
        return files | {"bench.vlt": no_inline(*names.values())}

    def _bench(
        self,
        network: DeflectionNetwork,
        names: dict[NodeType, str],
        ports: dict[NodeType, list[Port]],
    ) -> str:
        """Return the top: bits of nodes one after the other, of ports in a node."""
        chosen, local = self.chosen().tolist(), network.topology.local
        width = sum(bits for _, bits in wire_fields(network))
        instances = []
        for place, node in enumerate(chosen):
            node_type = network.topology.node_type[node]
            joined = ", ".join(_joined(ports[node_type], place * local, width))
            module = f"{names[node_type]} {node_parameters(network, node)}"
            instances.append(f"  {module} node_{node}(\n    .clk(clk), .rst(rst), {joined}\n  );")
        size = len(chosen) * local * width
        every = "\n".join(instances)
        return f"""// Nodes side by side. Port p of the n-th: bits (n*{local} + p)*{width} and up.
module unit_bench(
  input clk, input rst, input epoch, input [{size - 1}:0] asked, output [{size - 1}:0] answered
);
{every}
endmodule
"""


def _joined(ports: Iterable[Port], first: int, width: int) -> Iterator[str]:
    """Yield the connections of a node whose first port is that number of the vectors."""
    for port in ports:
        side, _, rest = port.name.partition("__")
        connection = f"{{{port.bits}{{1'b{int(port.name in HIGH)}}}}}"
        if side in ("inputs", "outputs"):
            at, what = rest.split("__")
            vector = "asked" if side == "inputs" else "answered"
            bit = (first + int(at)) * width + (what != "valid")
            connection = f"{vector}[{bit} +: {port.bits}]"
        elif port.direction == "output":
            connection = ""
        elif port.name == "epoch":
            connection = "epoch"
        yield f".{port.name}({connection})"
