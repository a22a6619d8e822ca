"""A module around an instance of the network, to copy from."""

from golden.network import Network
from hdl.network import control_ports, identifier, network_ports

__all__ = ["template"]


def template(network: Network) -> str:
    """Return a module with a wire for each port of the network, and what each is."""
    name = identifier(network.name)
    clocks = ("clk", "rst")
    lines = [
        f"// An instance of {name}_network, with a wire for each of its ports, to copy from.",
        f"module {name}_template(input clk, input rst);",
        "  // Node v has the v-th part of each vector.",
        f"  localparam NODES = {network.topology.nodes};",
        f"  localparam FLIT = {network.flit.width}; // {{data, tail, head}}, data lowest at bit 2",
    ]
    ports = [*network_ports(network), *control_ports(network)]
    for port in ports:
        if port.name not in clocks:
            kind, bits = "reg " if port.direction == "input" else "wire", port.bits
            start = " = 0" if port.direction == "input" else ""
            lines.append(f"  {kind} [{bits - 1}:0] {port.name}{start}; // {port.meaning}")
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
            f"  {name}_network network(",
            ",\n".join(f"    {wire}" for wire in wires),
            "  );",
            "endmodule",
            "",
        ]
    )
