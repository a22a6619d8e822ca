"""What deflection routers send by their links: nodes side by side, without these links."""

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
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.deflection_questions import DeflectionQuestions, given_fields
from fingerpost.testbench.sources import no_inline, wire_fields

__all__ = ["DeflectionUnitBench"]

MOST = 32
"""Nodes that are tried in cocotb, if nothing is said."""

HIGH = "eject__ready", "link_up"
"""Inputs tied to 1; others that carry no question are tied to 0."""


@dataclass(frozen=True, kw_only=True)
class DeflectionUnitBench(OfNetwork):
    """Routers with their tables, to which any flits come; nothing is injected.

    What comes is that of `DeflectionQuestions`.

    Attributes
    ----------
    nodes : int, optional
        At most so many nodes, drawn by the seed; if nothing is said `most`, or all.
    contended : int
        Cycles with flits at most inputs.
    """

    level: ClassVar[str] = "unit"
    top: ClassVar[str] = "network_bench"
    counted: ClassVar[str] = "decisions"
    most: ClassVar[int | None] = MOST
    nodes: int | None = None
    contended: int = 500

    @property
    def test(self) -> str:
        """Return the module with the cocotb test."""
        return "fingerpost.testbench.benches.deflection_unit_cocotb"

    def chosen(self) -> IntArray:
        """Return the nodes that are tried."""
        nodes = self.network.topology.nodes
        some = np.random.default_rng(self.seed).permutation(nodes)
        return np.sort(some[: self.most if self.nodes is None else self.nodes])

    def questions(self) -> DeflectionQuestions:
        """Return what is given to them, and what must leave."""
        assert isinstance(self.network, DeflectionNetwork)
        return DeflectionQuestions(
            self.network, self.chosen(), contended=self.contended, seed=self.seed
        )

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
        """Return the top: rows by node and port, of `given_fields` and of `wire_fields`."""
        chosen, local = self.chosen().tolist(), network.topology.local
        given, seen = (
            sum(width for _, width in fields)
            for fields in (given_fields(network), wire_fields(network))
        )
        instances, zeros = [], []
        for place, node in enumerate(chosen):
            node_type, first = network.topology.node_type[node], place * local
            joined = ", ".join(_joined(ports[node_type], first, given, seen))
            module = f"{names[node_type]} {node_parameters(network, node)}"
            instances.append(f"  {module} node_{node}(\n    .clk(clk), .rst(rst), {joined}\n  );")
            zeros += [
                f"  assign {part('seen', first + port, seen)} = {seen}'d0;"
                for port in range(local)
                if port not in node_type.outputs
            ]
        rows = len(chosen) * local
        every = "\n".join([*instances, *zeros])
        return f"""// Nodes side by side. Port p of the n-th: row n*{local} + p.
module network_bench(
  input clk, input rst, input [{rows * given - 1}:0] given,
  output [{rows * seen - 1}:0] seen
);
{every}
endmodule
"""


def _joined(ports: Iterable[Port], first: int, given: int, seen: int) -> Iterator[str]:
    """Yield the connections of a node whose first port is that row; rows have so many bits."""
    for port in ports:
        side, _, rest = port.name.partition("__")
        connection = f"{{{port.bits}{{1'b{int(port.name in HIGH)}}}}}"
        if side in ("inputs", "outputs"):
            at, what = rest.split("__")
            vector, width = ("given", given) if side == "inputs" else ("seen", seen)
            bit = (first + int(at)) * width + (what != "valid")
            connection = f"{vector}[{bit} +: {port.bits}]"
        elif port.direction == "output":
            connection = ""
        elif port.name == "epoch":
            connection = f"given[{first * given + given - 1}]"
        yield f".{port.name}({connection})"
