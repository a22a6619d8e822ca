"""The network as Verilog: one router module, instantiated at every node."""

from collections.abc import Iterator

from golden.header import Layout
from golden.network import Network

__all__ = ["identifier", "network_verilog", "node_straps"]


def identifier(name: str) -> str:
    """Return the name of a network file as a Verilog identifier."""
    return name.replace("-", "_")


def node_straps(network: Network, node: int) -> tuple[int, int]:
    """Return the packed constants `straps` and `turns` of the router at `node`."""
    layout: Layout = network.routing.straps
    values = network.routing.strap_values
    straps = sum(int(values[name][node]) << field.offset for name, field in layout.items())
    raises = network.channels.turns[node, :-1, :-1].ravel()
    turns = sum(int(bit) << place for place, bit in enumerate(raises))
    return straps, turns


def network_verilog(network: Network) -> str:
    """Return the module that instantiates the routers and wires them.

    The structure is plain enough to be written as text: Amaranth would elaborate each of the
    routers anew. Links are wires named after the node and the port at which they start.
    """
    name = identifier(network.name)
    topology = network.topology
    n, local = topology.nodes, topology.local
    flit = network.flit_width + 2
    lines = [
        f"// {network.name}: {n} nodes, {network.routing.algorithm} routing",
        f"// Flits are {{data[{network.flit_width - 1}:0], tail, head}}; node v has the bits",
        f"// v*{flit} and up of inject_flit and eject_flit, and bit v of the others.",
        f"module {name}_network(",
        "  input clk,",
        "  input rst,",
        f"  input [{n - 1}:0] inject_valid,",
        f"  input [{n * flit - 1}:0] inject_flit,",
        f"  output [{n - 1}:0] inject_credit,",
        f"  output [{n - 1}:0] eject_valid,",
        f"  output [{n * flit - 1}:0] eject_flit,",
        f"  input [{n - 1}:0] eject_credit,",
        f"  output [{n * 8 - 1}:0] errors",
        ");",
    ]
    lines += [
        f"  wire [{network.virtual_channels - 1}:0] valid_{node}_{port}; "
        f"wire [{flit - 1}:0] flit_{node}_{port}; "
        f"wire [{network.virtual_channels - 1}:0] credit_{node}_{port};"
        for node in range(n)
        for port in range(local)
    ]
    for node in range(n):
        straps, turns = node_straps(network, node)
        connections = [
            ".clk(clk), .rst(rst)",
            f".straps({network.routing.straps.width}'h{straps:x}), .turns({local**2}'h{turns:x})",
            *_links(network, node),
            f".inject__valid(inject_valid[{node}])",
            f".inject__flit(inject_flit[{node * flit} +: {flit}])",
            f".inject__credit(inject_credit[{node}])",
            f".eject__valid(eject_valid[{node}])",
            f".eject__flit(eject_flit[{node * flit} +: {flit}])",
            f".eject__credit(eject_credit[{node}])",
            f".errors(errors[{node * 8} +: 8])",
        ]
        body = ",\n    ".join(connections)
        lines.append(f"  {name}_router node_{node}( // {topology.name(node)}\n    {body}\n  );")
    lines.append("endmodule")
    return "\n".join(lines) + "\n"


def _links(network: Network, node: int) -> Iterator[str]:
    """Connect the link ports of a node: outputs to its own wires, inputs to the neighbours'."""
    topology = network.topology
    # The link that arrives at port q of a node starts at `source[node, q]`.
    for port in range(topology.local):
        neighbour = int(topology.neighbour[node, port])
        back = int(topology.arrival_port[node, port])
        here, there = f"{node}_{port}", f"{neighbour}_{back}"
        yield (
            f".outputs__{port}__valid(valid_{here}), "
            f".outputs__{port}__flit(flit_{here}), .outputs__{port}__credit(credit_{here})"
        )
        yield (
            f".inputs__{port}__valid(valid_{there}), "
            f".inputs__{port}__flit(flit_{there}), .inputs__{port}__credit(credit_{there})"
        )
