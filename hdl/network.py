"""The network as Verilog: a module at every node, the same for all nodes of a kind."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from golden.counters import COUNTERS
from golden.header import Layout
from golden.link.cells import LINK_ERRORS
from golden.network import Network
from golden.topology import Topology
from golden.topology.base import Kind
from hdl.banner import with_banner

__all__ = [
    "Port",
    "identifier",
    "network_ports",
    "network_verilog",
    "node_names",
    "node_straps",
    "router_names",
]


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


def router_names(network: Network) -> dict[Kind, str]:
    """Return the name of the router module for every kind of node."""
    return _names(network, "router")


def node_names(network: Network) -> dict[Kind, str]:
    """Return the name of the module that stands at every kind of node.

    It is the router, or what has OS-Links around it.
    """
    return _names(network, "node" if network.link else "router")


def _names(network: Network, what: str) -> dict[Kind, str]:
    name, kinds = f"{identifier(network.name)}_{what}", network.topology.kinds
    if len(kinds) == 1:
        return {kinds[0]: name}
    return {kind: f"{name}_{number}" for number, kind in enumerate(kinds)}


class Port(NamedTuple):
    """A port of the network module."""

    name: str
    direction: Literal["input", "output"]
    bits: int
    meaning: str


def network_ports(network: Network) -> list[Port]:
    """Return the ports of the network module; node v has the v-th part of each but the clocks."""
    n, flit = network.topology.nodes, network.flit.width
    link = network.topology.local * len(LINK_ERRORS)
    clocks = n if network.link else 1
    ports = [
        Port("clk", "input", clocks, "clock; all else is sampled and changes at its rising edge"),
        Port("rst", "input", clocks, "reset: active high, synchronous"),
        Port("inject_valid", "input", n, "terminal v sends a flit"),
        Port("inject_flit", "input", n * flit, "that flit"),
        Port("inject_credit", "output", n, "terminal v may send one flit more"),
        Port("eject_valid", "output", n, "terminal v gets a flit"),
        Port("eject_flit", "output", n * flit, "that flit"),
        Port("eject_credit", "input", n, "terminal v has room for one flit more"),
        *(Port(c.name, "output", n * c.width, f"{c.meaning}; stops at {c.most}") for c in COUNTERS),
    ]
    if network.link:
        meaning = f"for each port {', '.join(LINK_ERRORS)}: high for a cycle"
        ports.append(Port("link_errors", "output", n * link, meaning))
    return ports


def network_verilog(network: Network) -> str:
    """Return the module that instantiates the nodes and wires them.

    The structure is plain enough to be written as text: Amaranth would elaborate each of the
    routers anew. Links are wires named after the node and the port at which they start. If they
    are OS-Links, every node has its own clock and reset.
    """
    name = identifier(network.name)
    topology = network.topology
    n, local = topology.nodes, topology.local
    flit = network.flit.width
    names, origin = node_names(network), _origins(topology)
    errors = local * len(LINK_ERRORS)
    lines = [
        f"// Flits are {{data[{network.flit_width - 1}:0], tail, head}}; node v has the bits",
        f"// v*{flit} and up of inject_flit and eject_flit, and bit v of the others."
        + ("" if len(topology.terminals) == n else " Some have no terminal."),
        f"module {name}_network(",
        ",\n".join(
            f"  {port.direction} {f'[{port.bits - 1}:0] ' * (port.bits > 1)}{port.name}"
            for port in network_ports(network)
        ),
        ");",
        *(_wires(network) if network.link is None else _os_wires(network, origin)),
    ]
    for node, kind in enumerate(topology.kind):
        straps, turns = node_straps(network, node)
        at = f"[{node}]" if network.link else ""
        connections = [
            f".clk(clk{at}), .rst(rst{at})",
            f".straps({network.routing.straps.width}'h{straps:x}), .turns({local**2}'h{turns:x})",
            *(
                _links(network, node, origin)
                if network.link is None
                else [
                    f".link_in(in_{node}), .link_out(out_{node})",
                    f".link_errors(link_errors[{node * errors} +: {errors}])",
                ]
            ),
            *_terminal(node, flit, kind.terminal),
            ", ".join(f".{c.name}({c.name}[{node * c.width} +: {c.width}])" for c in COUNTERS),
        ]
        body = ",\n    ".join(connections)
        if not kind.terminal:
            lines += [
                f"  assign inject_credit[{node}] = 1'b0;",
                f"  assign eject_valid[{node}] = 1'b0;",
                f"  assign eject_flit[{node * flit} +: {flit}] = {flit}'d0;",
            ]
        lines.append(f"  {names[kind]} node_{node}( // {topology.name(node)}\n    {body}\n  );")
    lines.append("endmodule")
    return with_banner(network, "\n".join(lines))


def _wires(network: Network) -> Iterator[str]:
    """Declare the wires of all links."""
    v = network.virtual_channels
    for node, kind in enumerate(network.topology.kind):
        for port in kind.outputs:
            yield (
                f"  wire [{v - 1}:0] valid_{node}_{port}; "
                f"wire [{network.flit.width - 1}:0] flit_{node}_{port}; "
                f"wire [{v - 1}:0] credit_{node}_{port};"
            )


def _os_wires(network: Network, origin: Mapping[tuple[int, int], tuple[int, int]]) -> Iterator[str]:
    """Declare and join the wires of all OS-Links: a bit for each port of a node."""
    local = network.topology.local
    for node in range(network.topology.nodes):
        yield f"  wire [{local - 1}:0] out_{node};"
    for node in range(network.topology.nodes):
        bits = [
            "out_{}[{}]".format(*origin[node, port]) if (node, port) in origin else "1'b0"
            for port in reversed(range(local))
        ]
        yield f"  wire [{local - 1}:0] in_{node} = {{{', '.join(bits)}}};"


def _origins(topology: Topology) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the node and output port at which the link to a node and input port starts."""
    node, port = np.nonzero(topology.neighbour >= 0)
    ends = topology.neighbour[node, port], topology.arrival_port[node, port]
    starts = zip(node.tolist(), port.tolist(), strict=True)
    return dict(zip(zip(*(end.tolist() for end in ends), strict=True), starts, strict=True))


def _links(
    network: Network, node: int, origin: Mapping[tuple[int, int], tuple[int, int]]
) -> Iterator[str]:
    """Connect the link ports of a node: outputs to its own wires, inputs to the neighbours'."""
    v, flit = network.virtual_channels, network.flit.width
    kind = network.topology.kind[node]
    for port in range(network.topology.local):
        here = f"{node}_{port}"
        if port in kind.outputs:
            yield (
                f".outputs__{port}__valid(valid_{here}), "
                f".outputs__{port}__flit(flit_{here}), .outputs__{port}__credit(credit_{here})"
            )
        else:
            yield (
                f".outputs__{port}__valid(), .outputs__{port}__flit(), "
                f".outputs__{port}__credit({v}'d0)"
            )
        if port in kind.inputs:
            there = "{}_{}".format(*origin[node, port])
            yield (
                f".inputs__{port}__valid(valid_{there}), "
                f".inputs__{port}__flit(flit_{there}), .inputs__{port}__credit(credit_{there})"
            )
        else:
            yield (
                f".inputs__{port}__valid({v}'d0), .inputs__{port}__flit({flit}'d0), "
                f".inputs__{port}__credit()"
            )


def _terminal(node: int, flit: int, there: bool) -> Iterator[str]:
    """Connect the terminal of a node, or what is in its place."""
    bits = f"[{node * flit} +: {flit}]"
    for end, name, part in (
        ("inject", "valid", f"[{node}]"),
        ("inject", "flit", bits),
        ("inject", "credit", f"[{node}]"),
        ("eject", "valid", f"[{node}]"),
        ("eject", "flit", bits),
        ("eject", "credit", f"[{node}]"),
    ):
        driven = (end == "inject") == (name == "credit") or (end == "eject" and name != "credit")
        wire = f"{end}_{name}{part}" if there else ""
        if not there and not driven:
            wire = f"{flit}'d0" if name == "flit" else "1'b0"
        yield f".{end}__{name}({wire})"
