"""Routers, each joined with a bench and with no other."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.counters import COUNTERS
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.routers import node_straps, router, router_names
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import identifier, part
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import link_fields, router_bench


def _width(network: Network) -> int:
    return sum(width for _, width in link_fields(network))


def alone_network(network: Network) -> str:
    """Return the routers of all nodes; port p of node v is row v * (degree + 1) + p.

    A row is {credit, flit, valid}; the credits of a direction travel in the other vector.
    """
    topology, width = network.topology, _width(network)
    flit, v = network.flit.width, network.virtual_channels
    names, local = router_names(network), topology.local
    lines, zeros = [], []

    def slices(vector: str, base: int, bits: int, channels: int) -> str:
        """Return some bits of a vector; those of channels that are not there are 0.

        Where there is nothing at all an input is 0, and an output is left open.
        """
        if vector == "received" and channels < bits:
            zeros.append(
                f"  assign received[{base + channels} +: {bits - channels}] = {bits - channels}'d0;"
            )
        if channels:
            return f"({vector}[{base} +: {channels}])"
        return "()" if vector == "received" else f"({bits}'d0)"

    for node, node_type in enumerate(topology.node_type):
        straps, increments = node_straps(network, node)
        joined = [
            f".clk(clk), .rst(rst), .straps({network.routing.straps.width}'h{straps:x})",
            f".increments({local**2}'h{increments:x})",
            *(f".{c.name}({part(c.name, node, c.width)})" for c in COUNTERS),
        ]
        for port in range(local + 1):
            base = (node * (local + 1) + port) * width
            terminal = port == local
            goes_in, comes_out = (
                ("inject", "eject") if terminal else (f"inputs__{port}", f"outputs__{port}")
            )
            for name, known, vector, other in (
                (goes_in, node_type.inputs, "sent", "received"),
                (comes_out, node_type.outputs, "received", "sent"),
            ):
                there = node_type.terminal if terminal else port in known
                channels = there * (network.classes if terminal else v)
                valid = slices(vector, base, v, channels)
                whole = slices(vector, base + v, flit, there * flit)
                credit = slices(other, base + v + flit, v, channels)
                parts = (("valid", valid), ("flit", whole), ("credit", credit))
                joined += [f".{name}__{what}{where}" for what, where in parts]
        body = ",\n    ".join(joined)
        lines.append(f"  {names[node_type]} node_{node}(\n    {body}\n  );")
    rows = topology.nodes * (local + 1)
    counters = "".join(f",\n  output [{topology.nodes * c.width - 1}:0] {c.name}" for c in COUNTERS)
    body = "\n".join([*lines, *zeros])
    return f"""module {identifier(network.name)}_alone(
  input clk,
  input rst,
  input [{rows * width - 1}:0] sent,
  output [{rows * width - 1}:0] received{counters}
);
{body}
endmodule
"""


def alone_bench(network: Network) -> str:
    """Show all that comes out of `alone_network` in one vector: the rows, then the counters."""
    nodes = network.topology.nodes
    rows = nodes * (network.topology.local + 1) * _width(network)
    counted = sum(c.width for c in COUNTERS)
    wires = "".join(f"  wire [{nodes * c.width - 1}:0] {c.name};\n" for c in COUNTERS)
    counts = ",\n    ".join(
        "{" + ", ".join(part(c.name, node, c.width) for c in reversed(COUNTERS)) + "}"
        for node in reversed(range(nodes))
    )
    ports = ", ".join(f".{c.name}({c.name})" for c in COUNTERS)
    return f"""// What goes in and comes out of routers, each by itself.
module network_bench(
  input clk,
  input rst,
  input [{rows - 1}:0] given,
  output [{rows + nodes * counted - 1}:0] seen
);
  wire [{rows - 1}:0] received;
{wires}  {identifier(network.name)}_alone n(
    .clk(clk), .rst(rst), .sent(given), .received(received), {ports}
  );
  assign seen = {{
    {counts},
    received
  }};
endmodule
"""


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


@dataclass(frozen=True, kw_only=True)
class CompiledRouterBench(RouterBench):
    """The routers of all nodes, each alone, in lock-step with the model.

    What comes over their links is made up: any header, malformed packets too, on all channels, with
    back-pressure. Everything that comes out is compared in every cycle, and every counter. Every
    few hundred cycles there is a reset, in the middle of it all.

    Attributes
    ----------
    lines : bool
        As of `CompiledBench`.
    """

    lines: bool = False
    engine: ClassVar[str] = "compiled"
    facts: ClassVar[tuple[str, ...]] = (
        *("flits", "errors", "overruns", "covered", "coverable", "missing"),
        *("model_cpu_seconds", "hardware_cpu_seconds", "lines"),
    )

    def sources(self) -> dict[str, str]:
        """Return the routers side by side."""
        modules = router_names(self.network)
        return {
            **{
                f"{name}.v": module_verilog(router(self.network, node_type), name)
                for node_type, name in modules.items()
            },
            "network.v": alone_network(self.network),
            "bench.v": alone_bench(self.network),
        }
