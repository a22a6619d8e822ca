"""Modules around a network with AXI4-Stream: tables of headers, ports of their own for terminals.

The ports of the network are packed, a part for each terminal. `separate` is the module in which
every terminal has its own, `shared` the one around that in which endpoints share terminals.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, of_node, passed

MOST_ENTRIES = 1 << 18
"""Of all tables, where they differ from node to node: then each is written."""


def header_tables(network: AnyNetwork, name: str) -> dict[str, str]:
    """Return the tables of a network as Verilog by their names: what `Routing.encode` gives.

    There is one for all nodes if the source does not matter, else one for each.

    Raises
    ------
    ValueError
        If there would be too much of them.
    """
    terminals = network.topology.terminals
    tables: dict[str, list[int]] = {}
    one = alike(network)
    if not one and len(terminals) ** 2 > MOST_ENTRIES:
        raise ValueError(
            f"AXI4-Stream terminals need at most {int(MOST_ENTRIES**0.5)} terminals where headers "
            f"depend on the source, as in {network.topology.family} networks, "
            f"not {len(terminals)}"
        )
    for source in terminals[: 1 if one else None].tolist():
        headers = network.routing.encode(np.full_like(terminals, source), terminals)
        tables[table_name(name, None if one else source)] = headers.tolist()
    return {table: _table(network, table, headers) for table, headers in tables.items()}


def table_name(name: str, node: int | None) -> str:
    """Return the name of the table of a node, or of all."""
    return f"{name}_headers" if node is None else f"{name}_headers_{node}"


def alike(network: AnyNetwork) -> bool:
    """Return whether headers are the same from all sources, so that one table serves all.

    This asks for the headers of all pairs.
    """
    terminals = network.topology.terminals
    first = network.routing.encode(np.full_like(terminals, terminals[0]), terminals)
    every: Any = (
        network.routing.encode(np.full_like(terminals, source), terminals) for source in terminals
    )
    return all(np.array_equal(row, first) for row in every)


def _table(network: AnyNetwork, name: str, headers: list[int]) -> str:
    """Return a table as a function, which every simulator evaluates at time 0, too.

    Whether there is a terminal is another one: so a tool can keep the headers in block RAM.
    """
    number, width = bits(network.topology.nodes), network.routing.header.width
    terminals = network.topology.terminals.tolist()
    entries = "\n".join(
        f"      {number}'d{node}: entry = {width}'h{header:x};"
        for node, header in zip(terminals, headers, strict=True)
    )
    exists = "\n".join(f"      {number}'d{node}: exists = 1'b1;" for node in terminals)
    return f"""// The header of a packet to node `tdest`; `known` is 0 without a terminal there.
module {name}(
  input [{number - 1}:0] tdest,
  output [{width - 1}:0] header,
  output known
);
  function [{width - 1}:0] entry(input [{number - 1}:0] to);
    case (to)
{entries}
      default: entry = {width}'d0;
    endcase
  endfunction
  function exists(input [{number - 1}:0] to);
    case (to)
{exists}
      default: exists = 1'b0;
    endcase
  endfunction
  assign header = entry(tdest);
  assign known = exists(tdest);
endmodule
"""


def payload(ports: Iterable[Port], stream: str) -> list[Port]:
    """Return the ports of a stream that carry a beat, ``s_axis`` or ``m_axis``."""
    handshake = {f"{stream}_tvalid", f"{stream}_tready"}
    return [p for p in ports if p.name.startswith(f"{stream}_") and p.name not in handshake]


def separate(
    network: AnyNetwork, name: str, ports: Sequence[Port], *, crosses: bool = False
) -> str:
    """Return the module {name}_streams: `s_axis_12_tdata` is the part of terminal 12.

    With several message classes `s_axis_12_1_tdata` is that of its class 1.

    Parameters
    ----------
    network : Network
    name : str
        Of the network, as an identifier.
    ports : sequence of Port
        Those of the network, but streams side by side: what begins with ``s_axis_`` or ``m_axis_``
        is split.
    crosses : bool
        Whether every terminal has a clock of its own.
    """
    streams, rest = _streams(ports)
    nodes, body, joined = network.topology.nodes, list[str](), [passed(rest)]
    for v in network.topology.terminals.tolist():
        inside = [of_node(port.name, v) for port in streams]
        if crosses:
            for port in streams:
                body.append(f"  wire [{port.bits // nodes - 1}:0] {of_node(port.name, v)};")
            clock = f"[{v}]" if network.link.own_clocks else ""
            body += _crossed(streams, v, name, clock)
            outside = inside
        else:
            outside = [_of_classes(network, port, v) for port in streams]
        joined.append(", ".join(f".{x}({y})" for x, y in zip(inside, outside, strict=True)))
    body.append(instance(f"{name}_network", "network", *joined))
    return "\n".join(
        [
            f"// {name}_network with separate ports for each terminal.",
            module(f"{name}_streams", separated(network, ports, crosses=crosses), body),
        ]
    )


def separated(
    network: AnyNetwork, ports: Sequence[Port], *, crosses: bool = False, endpoints: int = 1
) -> list[Port]:
    """Return the ports of the module that `separate` returns for such ones of the network.

    With several `endpoints` each port that is split has a part for each of them.
    """
    streams, every = _streams(ports)
    each = endpoints * network.classes  # streams of a terminal
    for v in network.topology.terminals.tolist():
        if crosses:
            clock = Port(f"axis_{v}_clk", "input", 1, f"clock of terminal {v}")
            reset = Port(f"axis_{v}_rst", "input", 1, "its synchronous reset, active high")
            every += [clock, reset]
        for stream in range(v * each, (v + 1) * each):
            number = stream // network.classes
            for port in streams:
                bits = port.bits // (network.topology.nodes * each)
                meaning = port.meaning.replace("terminal v", f"terminal {number}")
                name = of_terminal(port, stream_name(network, stream))
                every.append(Port(name, port.direction, bits, meaning))
    return every


def stream_name(network: AnyNetwork, stream: int) -> str:
    """Return the name of stream number * classes + class: the number, and the class if several."""
    node, message_class = divmod(stream, network.classes)
    return f"{node}_{message_class}" if network.classes > 1 else f"{node}"


def of_terminal(port: Port, stream: str) -> str:
    """Return the name of the part of a port of the network that is a stream's."""
    return port.name.replace("axis_", f"axis_{stream}_")


def others(ports: Iterable[Port]) -> list[Port]:
    """Return the ports of a network that are of no stream of a terminal."""
    return [port for port in ports if not re.match(r"node_\d+_[sm]_axis_", port.name)]


def _streams(ports: Iterable[Port]) -> tuple[list[Port], list[Port]]:
    """Return the ports that are split, and the others."""
    streams: list[Port] = []
    rest: list[Port] = []
    for port in ports:
        (streams if port.name.startswith(("s_axis_", "m_axis_")) else rest).append(port)
    return streams, rest


def _of_classes(network: AnyNetwork, port: Port, v: int) -> str:
    """Return what the streams of a terminal are called, one for each class."""
    streams = range(v * network.classes, (v + 1) * network.classes)
    names = [of_terminal(port, stream_name(network, stream)) for stream in reversed(streams)]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def _crossed(streams: list[Port], v: int, name: str, clock: str) -> Iterator[str]:
    """Join the ports of a terminal that has its own clock with its parts."""
    own = f"_clk(axis_{v}_clk)", f"_rst(axis_{v}_rst)"
    network = f"_clk(clk{clock})", f"_rst(rst{clock})"
    for way, stream in (("in", "s_axis"), ("out", "m_axis")):
        beat = payload(streams, stream)
        outside = ", ".join(of_terminal(port, f"{v}") for port in beat)
        inside = ", ".join(of_node(port.name, v) for port in beat)
        signs = (
            [f"{stream}_{v}_t{sign}" for sign in ("valid", "ready")],
            [of_node(f"{stream}_t{sign}", v) for sign in ("valid", "ready")],
        )
        ends = [(own, signs[0], outside), (network, signs[1], inside)]
        (write, (valid, ready), data), (read, (r_valid, r_ready), r_data) = (
            ends if way == "in" else ends[::-1]
        )
        clocks = [*(f".write{end}" for end in write), *(f".read{end}" for end in read)]
        yield instance(
            f"{name}_crossing_{way}",
            f"crossing_{way}_{v}",
            ", ".join(clocks),
            f".w_valid({valid}), .w_ready({ready}), .w_data({{{data}}})",
            f".r_valid({r_valid}), .r_ready({r_ready}), .r_data({{{r_data}}})",
        )


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

    for way, unit, side in (("s", "concentrator", "sources"), ("m", "distributor", "sinks")):
        connections = [
            f".clk(clk{clock}), .rst(rst{clock})",
            ", ".join(f".{side}__{member}({joined(way, member)})" for member in members),
            ", ".join(f".stream__{x}(inner_{way}_axis_{inner}_{x})" for x in members),
        ]
        if way == "s":
            connections.append(f".dest({joined('s', 'tdest')}), .tdest(inner_s_axis_{inner}_tdest)")
        yield instance(f"{name}_{unit}", f"{unit}_{inner}", *connections)
    width = bits(network.topology.nodes) + bits(count)
    for number, label in zip(numbers, outer, strict=True):
        yield f"  assign m_axis_{label}_tdest = {width}'d{number};"
