"""The module in which endpoints share the terminals of a network, around the one with terminals."""

from collections.abc import Iterator, Sequence

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.ports import Port, identifier, instance, module
from fingerpost.hdl.terminal.separate import separated, stream_name

__all__ = ["shared"]

MEMBERS = "tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"


def shared(network: AnyNetwork, ports: Sequence[Port], outer: Sequence[Port]) -> str:
    """Return the module: a concentrator and a distributor for each terminal and message class.

    Parameters
    ----------
    network : Network
        With AXI4-Stream terminals that several endpoints share.
    ports, outer : sequence of Port
        Those of the network; those of the module, with streams of each endpoint.
    """
    name, inner = identifier(network.name), separated(network, ports)
    wires = {port.name: port for port in inner if port.name.startswith(("s_axis_", "m_axis_"))}
    members = [x for x in MEMBERS if any(wire.endswith(x) for wire in wires)]  # tkeep or not
    joined = [
        f".{port.name}({'inner_' if port.name in wires else ''}{port.name})" for port in inner
    ]
    body = [f"  wire [{port.bits - 1}:0] inner_{port.name};" for port in wires.values()]
    body.append(instance(f"{name}_streams", "network", ", ".join(joined)))
    for node in network.topology.terminals.tolist():
        for message_class in range(network.classes):
            body += _terminal(network, node, message_class, members)
    comment = f"// {name}_streams, whose terminals are shared by endpoints.\n"
    return comment + module(f"{name}_endpoints", outer, body)


def _terminal(
    network: AnyNetwork, node: int, message_class: int, members: Sequence[str]
) -> Iterator[str]:
    """Yield what the endpoints of a node share in a message class."""
    name, classes, count = identifier(network.name), network.classes, network.terminal.endpoints
    clock = f"[{node}]" if network.link.own_clocks else ""
    inner = stream_name(network, node * classes + message_class)
    numbers = range(node * count, (node + 1) * count)
    outer = [stream_name(network, number * classes + message_class) for number in numbers]

    def joined(way: str, member: str) -> str:
        return "{" + ", ".join(f"{way}_axis_{label}_{member}" for label in outer[::-1]) + "}"

    for way, part, side in (("s", "concentrator", "sources"), ("m", "distributor", "sinks")):
        connections = [
            f".clk(clk{clock}), .rst(rst{clock})",
            ", ".join(f".{side}__{member}({joined(way, member)})" for member in members),
            ", ".join(f".stream__{x}(inner_{way}_axis_{inner}_{x})" for x in members),
        ]
        if way == "s":
            connections.append(f".dest({joined('s', 'tdest')}), .tdest(inner_s_axis_{inner}_tdest)")
        yield instance(f"{name}_{part}", f"{part}_{inner}", *connections)
    width = bits(network.topology.nodes) + bits(count)
    for number, label in zip(numbers, outer, strict=True):
        yield f"  assign m_axis_{label}_tdest = {width}'d{number};"
