"""Modules around a network with AXI4-Stream: tables of headers, ports of their own for terminals.

The ports of the network are packed, a part for each terminal. `separate` is the module in which
every terminal has its own, `shared` the one around that in which endpoints share terminals.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, of_node, passed
from fingerpost.hdl.terminal.base import terminal_label

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
    for source in sources(network)[: 1 if one else None].tolist():
        headers = network.routing.addresses(np.full_like(terminals, source), terminals)
        node = source // network.topology.local_ports
        tables[table_name(name, None if one else node)] = headers.tolist()
    return {table: _table(network, table, headers) for table, headers in tables.items()}


def table_name(name: str, node: int | None) -> str:
    """Return the name of the table of a node, or of all."""
    return f"{name}_headers" if node is None else f"{name}_headers_{node}"


def sources(network: AnyNetwork) -> IntArray:
    """Return the first terminal of each node that has one: the others look up the same headers."""
    return network.topology.terminal_nodes * network.topology.local_ports


def alike(network: AnyNetwork) -> bool:
    """Return whether headers are the same from all sources, so that one table serves all.

    This asks for the headers of all pairs.
    """
    terminals = network.topology.terminals
    first = network.routing.addresses(np.full_like(terminals, terminals[0]), terminals)
    every: Any = (
        network.routing.addresses(np.full_like(terminals, source), terminals)
        for source in sources(network)
    )
    return all(np.array_equal(row, first) for row in every)


def _table(network: AnyNetwork, name: str, headers: list[int]) -> str:
    """Return a table as a function, which every simulator evaluates at time 0, too.

    Whether there is a terminal is another one: so a tool can keep the headers in block RAM.
    """
    number, width = bits(network.topology.terminal_numbers), network.routing.address_layout.width
    terminals = network.topology.terminals.tolist()
    entries = "\n".join(
        f"      {number}'d{node}: entry = {width}'h{header:x};"
        for node, header in zip(terminals, headers, strict=True)
    )
    exists = "\n".join(f"      {number}'d{node}: exists = 1'b1;" for node in terminals)
    return f"""// The header of a packet to terminal `tdest`; `known` is 0 without a terminal there.
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
    """Return the ports of a stream that carry a beat, ``s_axis`` or ``m_axis``.

    The tdest of the latter is a constant and not among them.
    """
    others = {f"{stream}_tvalid", f"{stream}_tready", "m_axis_tdest"}
    return [p for p in ports if p.name.startswith(f"{stream}_") and p.name not in others]


def separate(network: AnyNetwork, name: str, ports: Sequence[Port], *, clock: str = "") -> str:
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
    clock : str
        What the names of the terminals' own clocks begin with; nothing if they have none.
    """
    streams, rest = split(ports)
    body, joined = list[str](), [passed(rest)]
    for v in network.topology.terminals.tolist():
        labels = stream_names(network, v)[::-1]
        if clock:
            body += _crossed(network, streams, v, clock)
        wires = {
            port.name: [_inside(of_terminal(port, label), clock) for label in labels]
            for port in streams
        }
        at = terminal_label(network, v)
        joined.append(", ".join(f".{of_node(x, at)}({concatenated(y)})" for x, y in wires.items()))
    body.append(instance(f"{name}_network", "network", *joined))
    return "\n".join(
        [
            f"// {name}_network with separate ports for each terminal.",
            module(f"{name}_streams", separated(network, ports, clock=clock), body),
        ]
    )


def separated(
    network: AnyNetwork, ports: Sequence[Port], *, clock: str = "", endpoints: int = 1
) -> list[Port]:
    """Return the ports of the module that `separate` returns for such ones of the network.

    With several `endpoints` each port that is split has a part for each of them.
    """
    streams, every = split(ports)
    numbers = network.topology.terminals[:, None] * endpoints + np.arange(endpoints)
    for v in numbers.ravel().tolist():
        if clock:
            every += [
                Port(f"{clock}_{v}_clk", "input", 1, f"clock of terminal {v}"),
                Port(f"{clock}_{v}_rst", "input", 1, "its synchronous reset, active high"),
            ]
        for label in stream_names(network, v):
            every += _of_stream(network, streams, v, label, endpoints)
    return every


def _of_stream(
    network: AnyNetwork, streams: Iterable[Port], number: int, label: str, endpoints: int
) -> Iterator[Port]:
    """Yield the ports of a stream each way of a terminal, or of an endpoint."""
    for port in streams:
        bits = port.bits // (network.topology.terminal_numbers * endpoints * network.classes)
        meaning = port.meaning.replace("terminal v", f"terminal {number}")
        yield Port(of_terminal(port, label), port.direction, bits, meaning)


def stream_names(network: AnyNetwork, number: int) -> list[str]:
    """Return the names of the streams of a terminal or an endpoint, one for each class."""
    classes = network.classes
    return [stream_name(network, number * classes + c) for c in range(classes)]


def stream_name(network: AnyNetwork, stream: int) -> str:
    """Return the name of stream number * classes + class: the number, and the class if several."""
    number, message_class = divmod(stream, network.classes)
    return f"{number}_{message_class}" if network.classes > 1 else f"{number}"


def of_terminal(port: Port, stream: str) -> str:
    """Return the name of the part of a port of the network that is a stream's."""
    return port.name.replace("axis_", f"axis_{stream}_")


def others(ports: Iterable[Port]) -> list[Port]:
    """Return the ports of a network that are of no stream of a terminal."""
    return [port for port in ports if not re.match(r"node_\d+(_\d+)?_[sm]_axis_", port.name)]


def split(ports: Iterable[Port]) -> tuple[list[Port], list[Port]]:
    """Return the ports of streams, whose names begin so, and the others."""
    streams: list[Port] = []
    rest: list[Port] = []
    for port in ports:
        (streams if port.name.startswith(("s_axis_", "m_axis_")) else rest).append(port)
    return streams, rest


def concatenated(parts: Sequence[str]) -> str:
    """Return expressions of Verilog as one, the first at the most significant bits."""
    return parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"


def _inside(name: str, clock: str) -> str:
    """Return what is joined with a port of a stream in the network's clock: itself, or a wire."""
    return f"crossed_{name}" if clock else name


def network_clock(network: AnyNetwork, terminal: int) -> tuple[str, str]:
    """Return clock and reset of the node of a terminal."""
    at = f"[{terminal // network.topology.local_ports}]" if network.link.own_clocks else ""
    return f"clk{at}", f"rst{at}"


def _crossed(
    network: AnyNetwork, streams: Sequence[Port], number: int, clock: str, endpoints: int = 1
) -> Iterator[str]:
    """Yield what is between the network and a terminal or endpoint with its own clock.

    Each stream has a queue of its own: no message class waits for another.
    """
    name = identifier(network.name)
    own = f"{clock}_{number}_clk", f"{clock}_{number}_rst"
    inner = network_clock(network, number // endpoints)

    def end(side: str, stream: str, label: str, *, outside: bool) -> str:
        """Return the connections of one side of a queue."""
        clk, rst = own if outside else inner
        valid, ready, *beat = (
            x if outside else _inside(x, clock)
            for x in (
                f"{stream}_{label}_tvalid",
                f"{stream}_{label}_tready",
                *(of_terminal(port, label) for port in payload(streams, stream)),
            )
        )
        return (
            f".{side}_clk({clk}), .{side}_rst({rst}), .{side[0]}_valid({valid}), "
            f".{side[0]}_ready({ready}), .{side[0]}_data({{{', '.join(beat)}}})"
        )

    for label in stream_names(network, number):
        for port in _of_stream(network, streams, number, label, endpoints):
            yield f"  wire [{port.bits - 1}:0] {_inside(port.name, clock)};"
        yield f"  assign m_axis_{label}_tdest = {_inside(f'm_axis_{label}_tdest', clock)};"
        for way, stream in (("in", "s_axis"), ("out", "m_axis")):
            yield instance(
                f"{name}_crossing_{way}",
                f"crossing_{way}_{label}",
                end("write", stream, label, outside=way == "in"),
                end("read", stream, label, outside=way == "out"),
            )


MEMBERS = "tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"


def shared(
    network: AnyNetwork, ports: Sequence[Port], every: Sequence[Port], *, clock: str = ""
) -> str:
    """Return the module: a concentrator and a distributor for each terminal and message class.

    Parameters
    ----------
    network : Network
        With AXI4-Stream terminals that several endpoints share.
    ports, every : sequence of Port
        Those of the network, as `separate` takes them; the same with streams of all endpoints.
    clock : str
        What the names of the endpoints' own clocks begin with; nothing if they have none.
    """
    name, inner = identifier(network.name), separated(network, ports)
    count, (streams, _) = network.terminal.endpoints, split(every)
    wires = {port.name: port for port in split(inner)[0]}
    members = [x for x in MEMBERS if any(wire.endswith(x) for wire in wires)]  # tkeep or not
    joined = [
        f".{port.name}({'inner_' if port.name in wires else ''}{port.name})" for port in inner
    ]
    body = [f"  wire [{port.bits - 1}:0] inner_{port.name};" for port in wires.values()]
    body.append(instance(f"{name}_streams", "network", ", ".join(joined)))
    for terminal in network.topology.terminals.tolist():
        for number in range(terminal * count, (terminal + 1) * count) if clock else ():
            body += _crossed(network, streams, number, clock, count)
        for message_class in range(network.classes):
            body += _terminal(network, terminal, message_class, members, clock)
    comment = f"// {name}_streams, whose terminals are shared by endpoints.\n"
    outer = separated(network, every, clock=clock, endpoints=count)
    return comment + module(f"{name}_endpoints", outer, body)


def _terminal(
    network: AnyNetwork, terminal: int, message_class: int, members: Sequence[str], clock: str
) -> Iterator[str]:
    """Yield what the endpoints of a terminal share in a message class."""
    name, classes, count = identifier(network.name), network.classes, network.terminal.endpoints
    inner = stream_name(network, terminal * classes + message_class)
    numbers = range(terminal * count, (terminal + 1) * count)
    outer = [stream_name(network, number * classes + message_class) for number in numbers]

    def joined(way: str, member: str) -> str:
        return concatenated([_inside(f"{way}_axis_{x}_{member}", clock) for x in outer[::-1]])

    for way, unit, side in (("s", "concentrator", "sources"), ("m", "distributor", "sinks")):
        connections = [
            ".clk({}), .rst({})".format(*network_clock(network, terminal)),
            ", ".join(f".{side}__{member}({joined(way, member)})" for member in members),
            ", ".join(f".stream__{x}(inner_{way}_axis_{inner}_{x})" for x in members),
        ]
        if way == "s":
            connections.append(f".dest({joined('s', 'tdest')}), .tdest(inner_s_axis_{inner}_tdest)")
        yield instance(f"{name}_{unit}", f"{unit}_{inner}", *connections)
    width = bits(network.topology.terminal_numbers) + bits(count)
    for number, label in zip(numbers, outer, strict=True):
        yield f"  assign {_inside(f'm_axis_{label}_tdest', clock)} = {width}'d{number};"
