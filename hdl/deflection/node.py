"""A node of deflection routers: a router and its table; and the epoch of all nodes."""

from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import contents, table_name
from fingerpost.hdl.lib.ports import Port, declaration, identifier

__all__ = ["epoch_verilog", "node_parameters", "node_ports", "node_verilog", "parameters_declared"]

INSIDE = "address", "clear", "entry"
"""The ports of a router that its table is at."""


def node_ports(router: DeflectionRouter) -> list[Port]:
    """Return the ports of a node, but for clock and reset."""
    return [
        Port(name, "input" if member.flow is In else "output", Shape.cast(member.shape).width, "")
        for path, member, _ in router.signature.flatten(router)
        for name in ["__".join(map(str, path))]
        if name not in INSIDE
    ]


def node_verilog(component: DeflectionRouter, node: str, router: str) -> str:
    """Return the module at nodes of a type; the contents of its table are a parameter.

    `node` is its name, `router` that of the component.
    """
    network, node_type, ports = component.network, component.node_type, node_ports(component)
    slots, width = max(1, component.slots), network.entry(len(node_type.outputs)).width
    header = network.destination_width
    declared = ",\n".join(f"  {declaration(port)}" for port in ports)
    joined = ", ".join(f".{port.name}({port.name})" for port in ports)
    return f"""module {node} #({parameters_declared(network, node_type)}) (
  input clk,
  input rst,
{declared}
);
  wire [{slots * header - 1}:0] address; wire [{slots - 1}:0] clear;
  wire [{slots * width - 1}:0] entry;
  {router} router(
    .clk(clk), .rst(rst), .address(address), .clear(clear), .entry(entry),
    {joined}
  );
  {table_name(network)} #(.SLOTS({slots}), .WIDTH({width}), .ENTRIES(ENTRIES)) lookup(
    .clk(clk), .address(address), .clear(clear), .entry(entry)
  );
endmodule
"""


def parameters_declared(network: DeflectionNetwork, node_type: NodeType) -> str:
    """Return the declaration of the parameters of a node."""
    bits = network.entry(len(node_type.outputs)).width << network.destination_width
    return f"parameter [{bits - 1}:0] ENTRIES = 0"


def node_parameters(network: DeflectionNetwork, node: int) -> str:
    """Return the parameters of the instance at a node."""
    node_type = network.topology.node_type[node]
    bits = network.entry(len(node_type.outputs)).width << network.destination_width
    return f"#(.ENTRIES({bits}'h{contents(network, node):x}))"


def epoch_verilog(network: DeflectionNetwork) -> str:
    """Return the counter of the epoch."""
    bit = network.epoch
    return f"""// The epoch, for all nodes: it changes every {1 << bit} cycles.
module {identifier(network.name)}_epoch(input clk, input rst, output epoch);
  reg [{bit}:0] count;
  initial count = {bit + 1}'d0;
  always @(posedge clk) count <= rst ? {bit + 1}'d0 : count + {bit + 1}'d1;
  assign epoch = count[{bit}];
endmodule
"""
