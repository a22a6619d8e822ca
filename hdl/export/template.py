"""A module around an instance of the network, to copy from."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier, top
from fingerpost.hdl.terminal.credit import CreditTerminalEnd

__all__ = ["template"]


def template(network: Network) -> str:
    """Return a module with a wire for each port of the network, and what each is."""
    name, (module, ports) = identifier(network.name), top(network)
    clocks = ("clk", "rst")
    lines = [
        f"// An instance of {module}, with a wire for each of its ports, to copy from.",
        f"module {name}_template(input clk, input rst);",
        "  // Node v has the v-th part of each vector without a number in its name.",
        f"  localparam NODES = {network.topology.nodes};",
    ]
    if network.terminal.kind == CreditTerminalEnd.kind:
        flit = f"  localparam FLIT = {network.flit.width};"
        lines.append(f"{flit} // {{data, tail, head}}, data lowest at bit 2")
    for port in ports:
        if port.name not in clocks:
            kind, bits = "reg " if port.direction == "input" else "wire", port.bits
            start = " = 0" if port.direction == "input" else ""
            size = f"[{bits - 1}:0] " * (bits > 1)
            lines.append(f"  {kind} {size}{port.name}{start}; // {port.meaning}")
    wires = (
        f".{port.name}({{NODES{{{port.name}}}}})"
        if port.name in clocks and port.bits > 1
        else f".{port.name}({port.name})"
        for port in ports
    )
    return "\n".join(
        [
            *lines,
            "",
            f"  {module} network(",
            ",\n".join(f"    {wire}" for wire in wires),
            "  );",
            "endmodule",
            "",
        ]
    )
