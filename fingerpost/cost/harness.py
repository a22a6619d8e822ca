"""The harness of a placed part: the constants of a node, and registers for timing.

A tool times paths from flip-flop to flip-flop. A router by itself has none before its inputs and
behind its outputs, and more ports than a chip has pins. In the harness each input comes from a
flip-flop of a shift register, and each output goes to a flip-flop. A chain of exclusive-ors shifts
out the captured bits: four pins, and every path counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from amaranth.hdl import Shape
from amaranth.lib.wiring import Component, In

HARNESS = "harness"
"""The name of its module."""

TIED = "straps", "increments"
"""The inputs that are constants of a node."""


class Port(NamedTuple):
    """A port of a Verilog module."""

    name: str
    width: int
    is_input: bool


def ports(component: "Component[Any]") -> list[Port]:
    """Return the ports of a component as Verilog names them, but for the clock and the reset."""
    flat = (
        Port("__".join(map(str, path)), Shape.cast(member.shape).width, member.flow is In)
        for path, member, _ in component.signature.flatten(component)
    )
    return [port for port in flat if port.width]


def wrapper(
    module: str,
    around: Iterable[Port],
    tied: Mapping[str, int],
    *,
    name: str = "router",
    clocked: bool = True,
) -> str:
    """Return a module `top`: another one with some inputs tied to constants.

    Parameters
    ----------
    module : str
    around : iterable of Port
        All ports of the module, but for the clock and the reset.
    tied : mapping
        The constants by the names of the inputs.
    name : str
        What the module is called in `top`.
    clocked : bool
        Whether the module has a clock and a reset. `top` has both, used or not.
    """
    around = list(around)
    connections = [".clk(clk)", ".rst(rst)"] if clocked else []
    connections += [
        f".{port}({width}'h{tied[port]:x})" if port in tied else f".{port}({port})"
        for port, width, _ in around
    ]
    free = (port for port in around if port.name not in tied)
    return module_top(free, f"  {module} {name}(\n    " + ",\n    ".join(connections) + "\n  );")


def module_top(around: Iterable[Port], body: str) -> str:
    """Return a module `top` with a clock, a reset, and the ports `around` it."""
    declared = ["input clk", "input rst"] + [
        f"{'input' if is_input else 'output'} [{width - 1}:0] {name}"
        for name, width, is_input in around
    ]
    return "module top(\n  " + ",\n  ".join(declared) + f"\n);\n{body}\nendmodule\n"


def harness(module: str, around: Iterable[Port], *, clocks: int = 1) -> str:
    """Return the harness of a module with the ports `around` it, a clock and a reset.

    Clock and reset have as many bits as the module has `clocks`; all are the same here.

    Each of the three banks of flip-flops is kept as it is: what is between two of them is the
    module and nothing else. The exclusive-or has a bank behind the one that catches the outputs,
    so it is not part of the module's last LUT.
    """
    places = {True: 0, False: 0}
    connections = [f".{name}({{{clocks}{{{name}}}}})" for name in ("clk", "rst")]
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
