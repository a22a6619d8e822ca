"""A node of a deflection network: router, end of the terminal, table, time."""

from typing import Any

from amaranth import Module
from amaranth.hdl import Shape
from amaranth.lib.wiring import In, connect, flipped

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import contents, table_name
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, declaration, identifier
from fingerpost.hdl.terminal import terminal_end

LOCAL = "inject", "eject"
"""The ports of a router at its terminal."""


class TerminatedRouter(Component):
    """A router with what stands between it and its terminal.

    Parameters
    ----------
    router : DeflectionRouter

    Members
    -------
    terminal.members    What the terminal has, instead of `inject` and `eject`.
    others              Those of the router.
    """

    def __init__(self, router: DeflectionRouter) -> None:
        self.router, self.network, self.node_type = router, router.network, router.node_type
        self.slots, self.terminal = router.slots, terminal_end(router.network)
        self.others = {
            name: member for name, member in router.signature.members.items() if name not in LOCAL
        }
        super().__init__(**self.others, **self.terminal.members(router))

    def elaborate(self, platform: object) -> Module:
        """Join the router with the end of its terminal."""
        m = Module()
        m.submodules.router = router = self.router
        for name, member in self.others.items():
            outer: Any = getattr(self, name)
            inner: Any = getattr(router, name)
            if member.is_port:
                m.d.comb += inner.eq(outer) if member.flow is In else outer.eq(inner)
                continue
            for one, other in zip(outer, inner, strict=True):
                if member.flow is In:
                    connect(m, flipped(one), other)
                else:
                    connect(m, other, flipped(one))
        self.terminal.join(m, self, router)
        return m


def deflection_router(
    network: DeflectionNetwork, node_type: NodeType
) -> DeflectionRouter | TerminatedRouter:
    """Return a router for one node type, with the end of its terminal if that adds something."""
    router = DeflectionRouter(network, node_type)
    return TerminatedRouter(router) if terminal_end(network).adds else router


INSIDE = "address", "clear", "entry"
"""The ports of a router that its table is at."""

WRITTEN = "table_write", "table_destination", "table_entry"
"""The ports of a node at which its table is written, if it can be."""


def node_ports(router: DeflectionRouter | TerminatedRouter) -> list[Port]:
    """Return the ports of a node, but for clock and reset."""
    network = router.network
    told = network.link.told(network.topology.degree)
    written = [Port(name, "input", told[name], "") for name in WRITTEN if name in told]
    return written + [
        Port(name, "input" if member.flow is In else "output", Shape.cast(member.shape).width, "")
        for path, member, _ in router.signature.flatten(router)
        for name in ["__".join(map(str, path))]
        if name not in INSIDE
    ]


def node_verilog(component: DeflectionRouter | TerminatedRouter, node: str, router: str) -> str:
    """Return the module at nodes of a type; the contents of its table are a parameter.

    `node` is its name, `router` that of the component.
    """
    network, node_type, ports = component.network, component.node_type, node_ports(component)
    slots, width = max(1, component.slots), network.entry(len(node_type.outputs)).width
    header = network.destination_width
    declared = ",\n".join(f"  {declaration(port)}" for port in ports)
    joined = ", ".join(f".{port.name}({port.name})" for port in ports if port.name not in WRITTEN)
    write = ""
    if network.link_up:
        value = f"table_entry[{width - 1}:0]"
        write = f".write(table_write), .destination(table_destination), .value({value}), "
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
    {write}.clk(clk), .address(address), .clear(clear), .entry(entry)
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


def time_name(network: DeflectionNetwork) -> str:
    """Return the name of the module that `time_verilog` returns."""
    return f"{identifier(network.name)}_time"


def time_ports(network: DeflectionNetwork) -> tuple[str, ...]:
    """Return its outputs, which all nodes have as inputs."""
    return ("epoch",) if network.wait_limit is None else ("epoch", "tick", "hold")


def time_instance(network: DeflectionNetwork) -> list[str]:
    """Return the instance in the network, and the wires at it."""
    wires = list(time_ports(network))
    lines = [f"  wire {name};" for name in wires]
    if network.wait_limit is not None:
        lines.append(f"  wire [{network.topology.nodes - 1}:0] pending;")
        wires.append("pending")
    joined = ", ".join(f".{name}({name})" for name in wires)
    return [*lines, f"  {time_name(network)} shared_time(.clk(clk), .rst(rst), {joined});"]


def time_verilog(network: DeflectionNetwork) -> str:
    """Return the counter of the epoch, and what stops injection for terminals that wait."""
    bit, wait, ports, hold = network.epoch, network.wait_limit, "output epoch", ""
    top = max(bit, wait or 0)
    about = f"the epoch changes every {1 << bit} cycles"
    if wait is not None:
        about += f", and terminals are asked every {1 << wait}\n// whether they wait"
        ports = (
            f"input [{network.topology.nodes - 1}:0] pending, {ports}, output tick, output reg hold"
        )
        hold = _hold(network, wait)
    return f"""// The time, for all nodes: {about}.
module {time_name(network)}(input clk, input rst, {ports});
  reg [{top}:0] count;
  initial count = {top + 1}'d0;
  always @(posedge clk) count <= rst ? {top + 1}'d0 : count + {top + 1}'d1;
  assign epoch = count[{bit}];
{hold}endmodule
"""


def _hold(network: DeflectionNetwork, wait: int) -> str:
    """Return the tree of registers from `pending` to `hold`."""
    text, before, bits = "", "pending", network.topology.nodes
    for stage in range(network.hold_stages):
        words, name = -(-bits // 4), f"any{stage}"
        parts = ", ".join(
            f"|{before}[{min(4 * word + 3, bits - 1)}:{4 * word}]"
            for word in reversed(range(words))
        )
        text += f"  reg [{words - 1}:0] {name};\n  initial {name} = {words}'d0;\n"
        text += f"  always @(posedge clk) {name} <= rst ? {words}'d0 : {{{parts}}};\n"
        before, bits = name, words
    return f"""{text}  assign tick = ~|count[{wait - 1}:0];
  initial hold = 1'b0;
  always @(posedge clk) hold <= ~rst & {before}[0] & (hold | tick);
"""
