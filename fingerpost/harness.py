"""The text around what is placed and routed: the constants of a node, and registers to time it.

A tool times paths from flip-flop to flip-flop. A router by itself has none behind its inputs and
before its outputs, and more ports than a chip has pins. In the harness each input comes from a
flip-flop of a shift register, each output goes to a flip-flop of its own, and a chain of
exclusive-ors shifts out what they have caught: four pins, and every path counts.
"""

from collections.abc import Iterable
from typing import NamedTuple

from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from golden.network import Network
from hdl.network import node_names, node_straps
from hdl.node import Node
from hdl.router import Router

__all__ = ["HARNESS", "TIED", "Port", "harness", "ports", "wrapper"]

HARNESS = "harness"
"""The name of its module."""

TIED = "straps", "increments"
"""The inputs that are constants of a node."""


class Port(NamedTuple):
    """A port of a Verilog module."""

    name: str
    width: int
    is_input: bool


def ports(component: Router | Node) -> list[Port]:
    """Return the ports of a component as Verilog names them, but for the clock and the reset."""
    flat = (
        Port("__".join(map(str, path)), Shape.cast(member.shape).width, member.flow is In)
        for path, member, _ in component.signature.flatten(component)
    )
    return [port for port in flat if port.width]


def wrapper(network: Network, component: Router | Node, node: int) -> str:
    """Return a module `top`: what stands at a node, with its constants."""
    tied = dict(zip(TIED, node_straps(network, node), strict=True))
    header, connections = ["input clk", "input rst"], [".clk(clk)", ".rst(rst)"]
    for name, width, is_input in ports(component):
        if name in tied:
            connections.append(f".{name}({width}'h{tied[name]:x})")
            continue
        header.append(f"{'input' if is_input else 'output'} [{width - 1}:0] {name}")
        connections.append(f".{name}({name})")
    return (
        "module top(\n  " + ",\n  ".join(header) + "\n);\n"
        f"  {node_names(network)[network.topology.node_type[node]]} router(\n    "
        + ",\n    ".join(connections)
        + "\n  );\nendmodule\n"
    )


def harness(module: str, around: Iterable[Port]) -> str:
    """Return the harness of a module with the ports `around` it, a clock and a reset.

    Each of the three banks of flip-flops is kept as it is: what is between two of them is the
    module and nothing else. The exclusive-or has a bank behind the one that catches the outputs,
    so it is not part of the module's last LUT.
    """
    places = {True: 0, False: 0}
    connections = [".clk(clk)", ".rst(rst)"]
    for name, width, is_input in around:
        bank = "driven" if is_input else "seen"
        connections.append(f".{name}({bank}[{places[is_input]} +: {width}])")
        places[is_input] += width
    inputs, outputs = places[True], places[False]
    return (
        f"module {HARNESS}(input clk, input rst, input scan_in, output scan_out);\n"
        f"  (* keep *) reg [{inputs - 1}:0] driven;\n"
        f"  (* keep *) reg [{outputs - 1}:0] caught;\n"
        f"  (* keep *) reg [{outputs - 1}:0] chain;\n"
        f"  wire [{outputs - 1}:0] seen;\n"
        "  always @(posedge clk) begin\n"
        "    driven <= {driven, scan_in};\n"
        "    caught <= seen;\n"
        "    chain <= caught ^ {chain, 1'b0};\n"
        "  end\n"
        f"  assign scan_out = chain[{outputs - 1}];\n"
        f"  {module} inside(\n    " + ",\n    ".join(connections) + "\n  );\nendmodule\n"
    )
