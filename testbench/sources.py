"""The top modules of benches, of few and wide ports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from fingerpost.golden.header import Layout as Header
from fingerpost.golden.header import bits, link_layout
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import (
    clocks,
    control_ports,
    missing,
    network_name,
    side_by_side,
    vectors,
)
from fingerpost.hdl.emit.routers import node_entries, node_straps
from fingerpost.hdl.lib.ports import Port, declaration, identifier, idle, instance, part
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.terminal import terminal_end
from fingerpost.testbench.lock_step import Layout
from fingerpost.testbench.packing import Fields, bits_of


def unit_fields(network: Network) -> tuple[Fields, Fields]:
    """Return the fields, with widths, of one decision: what goes in, and what comes out."""
    ports = bits(network.topology.degree + 1)
    routing = network.routing
    header = routing.header.width
    asked = (("arrival", ports), ("header", header))
    selection = (("selection", routing.selection_width),) if routing.selection else ()
    return asked + selection, (("port", ports), ("next_header", header), ("error", 1))


def link_fields(network: Network) -> Fields:
    """Return the fields of a link as benches see it, lowest first."""
    return _fields(link_layout(network.flit_width, network.virtual_channels))


def wire_fields(network: AnyNetwork) -> Fields:
    """Return the fields of what is between nodes, for each port."""
    return _fields(
        network.link.seen(flit_width=network.flit_width, channels=network.virtual_channels)
    )


def terminal_fields(network: AnyNetwork) -> dict[str, Fields]:
    """Return the fields of what a terminal sends, and of what it receives."""
    terminal = network.terminal
    received = _fields(terminal.seen(network))
    counters = tuple((c.name, c.width) for c in network.node_counters)
    sent = (*_fields(terminal.given(network)), *network.link.told(network.topology.degree).items())
    return {"sent": sent, "received": (*received, *counters)}


def _fields(layout: Header) -> Fields:
    return tuple((name, field.width) for name, field in layout.items())


def no_inline(*modules: str) -> str:
    """Tell Verilator to keep modules: inlined, its output takes far longer to compile."""
    return "`verilator_config\n" + "".join(f'no_inline -module "{m}"\n' for m in modules)


def unit_constants(network: Network, node: int) -> int:
    """Return the straps of a node, and above them the table beside its router, if there is one."""
    straps, _ = node_straps(network, node)
    return straps | node_entries(network, node) << network.routing.straps.width


def unit_bench(network: Network, copies: int) -> str:
    """Return routing units side by side, each of which takes a question in every clock."""
    asked, answered = map(bits_of, unit_fields(network))
    name, routing = identifier(network.name), network.routing
    ports, header = bits(network.topology.degree + 1), routing.header.width
    selection = f".selection(now[i * {asked} + {ports + header} +: {routing.selection_width}]), "
    clock = ".clk(clk), .rst(1'b0), " if routing.header_cycles else ""
    stages = [f"asked{i}" for i in range(1, routing.header_cycles + 1)]
    delays = "".join(
        f"\n  reg [{copies * asked - 1}:0] {stage};\n  always @(posedge clk) {stage} <= {before};"
        for before, stage in pairwise(["asked", *stages])
    )
    constants = own = routing.straps.width
    straps, joined, look_up = f".straps(straps[{own - 1}:0]), " if own else "", "", ""
    if table := routing.node_table:
        constants += table.width << table.address_width
        joined = ".table__address(address), .table__entry(entry), "
        look_up = f"""
    wire [{table.address_width - 1}:0] address;
    reg [{table.width - 1}:0] found, entry;
    always @(posedge clk) begin
      found <= entries[address*{table.width} +: {table.width}];
      entry <= found;
    end"""
        delays += f"\n  wire [{constants - own - 1}:0] entries = straps[{constants - 1}:{own}];"
    return f"""// {copies} routing units side by side, all at the same node. What comes from the
// terminal goes through the header generator first; it takes {routing.header_cycles} clocks, so
// the answer is there as many clocks after the question. Above the straps is the node's table.
module unit_bench(
  input clk,
  input [{constants - 1}:0] straps,
  input [{copies * asked - 1}:0] asked,
  output [{copies * answered - 1}:0] answered
);
  genvar i;{delays}
  wire [{copies * asked - 1}:0] now = {["asked", *stages][-1]};
  generate for (i = 0; i < {copies}; i = i + 1) begin : copies
    wire [{ports - 1}:0] arrival = now[i * {asked} +: {ports}];
    wire [{header - 1}:0] header = now[i * {asked} + {ports} +: {header}];
    wire [{header - 1}:0] offered = asked[i * {asked} + {ports} +: {header}];
    wire source = arrival == {network.topology.local};
    wire [{header - 1}:0] generated, next_header;
    wire [{ports - 1}:0] port;
    wire refused, error;{look_up}
    {name}_header_generator generator(
      {clock}{straps}{joined}.header(offered), .next_header(generated), .error(refused)
    );
    {name}_unit unit(
      {selection if routing.selection else ""}{straps}.arrival(arrival), .port(port),
      .header(source ? generated : header), .next_header(next_header), .error(error)
    );
    assign answered[i * {answered} +: {answered}] =
      {{error | (source & refused), next_header, port}};
  end endgenerate
endmodule
"""


class Isolated(NamedTuple):
    """A node without neighbours."""

    node: int
    module: str
    """With its parameters."""
    ports: Sequence[Port]
    """Of the module, but for clock and reset."""
    rows: Mapping[str, int]
    """The row of each link that there is, by what the names of its ports begin with."""
    others: Mapping[str, str]
    """What other ports are connected to, where inputs are not 0 and outputs open."""
    beside: Sequence[str] = ()
    """Lines of what stands beside it."""


def isolated_bench(name: str, nodes: Iterable[Isolated], layout: Layout) -> dict[str, str]:
    """Return nodes side by side, as files: rows of links by node and port, then one of each node.

    A link is {credit, flit, valid}, or a part of that. Inputs have a place in `given`, outputs the
    same place in `seen`; what is not there is 0.
    """
    links, *counters = layout.groups
    given, seen = (bits_of(fields) for fields in (layout.given, links.fields))
    flit = dict(links.fields)["valid"]
    total = sum(group.rows * bits_of(group.fields) for group in layout.groups)
    instances, free = list[str](), set(range(links.rows * seen))
    for number, each in enumerate(nodes):
        others, at = (
            dict(each.others),
            links.rows * seen + number * sum(bits_of(group.fields) for group in counters),
        )
        for group in counters:
            for field, width in group.fields:
                others[field], at = f"seen[{at} +: {width}]", at + width
        connections = []
        for port in each.ports:
            link, _, part_of = port.name.rpartition("__")
            joined = "" if port.direction == "output" else f"{port.bits}'d0"
            if link in each.rows:
                vector, width = ("given", given) if port.direction == "input" else ("seen", seen)
                low = each.rows[link] * width
                low += {"valid": 0, "flit": flit, "credit": seen - flit}[part_of]
                joined = f"{vector}[{low} +: {port.bits}]"
                free -= set(range(low, low + port.bits)) if vector == "seen" else set()
            connections.append(f".{port.name}({others.get(port.name, joined)})")
        clocks = ".clk(clk), .rst(rst)"
        instances += each.beside
        instances.append(instance(each.module, f"node_{each.node}", clocks, *connections))
    zeros = [f"  assign seen[{low} +: {width}] = {width}'d0;" for low, width in _runs(free)]
    ports = f"input clk, input rst, input [{layout.rows * given - 1}:0] given,"
    ports += f" output [{total - 1}:0] seen"
    body = "\n".join([*instances, *zeros])
    inside = ", ".join(f".{port}({port})" for port in ("clk", "rst", "given", "seen"))
    return {
        "network.v": f"module {name}({ports});\n{body}\nendmodule\n",
        "bench.v": f"module network_bench({ports});\n  {name} n({inside});\nendmodule\n",
    }


def _runs(bits: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of numbers that follow each other: the first, and how many there are."""
    for _, run in groupby(enumerate(sorted(bits)), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        yield numbers[0], len(numbers)


def network_bench(network: AnyNetwork, *, bus: bool = False) -> str:
    """Return a bench with all outputs of the generated network in one vector, `bus` included."""
    topology, links, terminal = network.topology, link_ends(network), terminal_end(network).text
    n, local = topology.nodes, topology.local
    between, ends = bits_of(wire_fields(network)), terminal_fields(network)
    sent, received = bits_of(ends["sent"]), bits_of(ends["received"])
    each = network.terminal.streams(network)
    rows = n * each
    wires = [links.seen(i, p) or f"{between}'d0" for i in range(n) for p in range(local)]

    def given_at(i: int) -> str:
        told = links.given(i // each) if i % each == 0 else ""
        return f"{{{told}, {terminal.given(i)}}}" if told else terminal.given(i)

    def counted(i: int) -> str:
        return ", ".join(part(c.name, i, c.width) for c in reversed(network.node_counters))

    terminals = [f"{{{counted(i // each)}, {terminal.seen(i)}}}" for i in range(rows)]
    joined = ",\n    ".join(reversed(wires + terminals))
    control = control_ports(network) if bus else []
    ports = "".join(f"  {declaration(port)},\n" for port in control)
    given = "\n".join(f"  assign {given_at(i)} = {part('given', i, sent)};" for i in range(rows))
    return f"""// The network. Node i has the bits i*{sent} and up of `given`; `seen` is
// what is on the links, by node and port, then all terminals.
module network_bench(
  input clk,
  input rst,
  input [{rows * sent - 1}:0] given,
{ports}  output [{n * local * between + rows * received - 1}:0] seen
);
{_declared(vectors(network), "wire")}
{given}
{_instance(network, {name: f"{{{n}{{{name}}}}}" for name in ("clk", "rst")}, bus=bus)}
  assign seen = {{
    {joined}
  }};
endmodule
"""


def _declared(ports: Iterable[Port], what: str, end: str = ";") -> str:
    """Declare vectors that are named after ports of the network."""
    return "\n".join(f"  {what} [{port.bits - 1}:0] {port.name}{end}" for port in ports)


def _instance(network: AnyNetwork, each: Mapping[str, str], *, bus: bool = False) -> str:
    """Return an instance `n` of the network.

    What is connected are vectors of all nodes; to clocks of `each` node goes what is given. Without
    a `bus` the port of the counters is idle.
    """
    own = (f".{x.name}({each[x.name] if x.bits > 1 else x.name})" for x in clocks(network))
    control = control_ports(network)
    others = (f".{port.name}({port.name})" if bus else idle(port) for port in control)
    every = [*own, *side_by_side(network), *others]
    return "\n".join([*missing(network), instance(network_name(network), "n", *every)])


def clocks_bench(network: Network) -> str:
    """Give every node of a network its own clock, reset and terminal."""
    n, terminal = network.topology.nodes, terminal_end(network).text
    side = bits_of(terminal_fields(network)["sent"])
    ports = "\n".join(
        f"  input clk_{i}, input rst_{i}, input [{side - 1}:0] given_{i}, "
        f"output [{side - 1}:0] seen_{i},"
        for i in range(n)
    )
    own = {port.name for port in terminal.ports()}
    inside = [port for port in vectors(network) if port.name in own]
    shown = [port for port in vectors(network) if port.name not in own]
    wires = "\n".join(
        f"  assign {terminal.given(i)} = given_{i};\n  assign seen_{i} = {terminal.seen(i)};"
        for i in range(n)
    )
    joined = {
        name: f"{{{', '.join(f'{name}_{i}' for i in reversed(range(n)))}}}"
        for name in ("clk", "rst")
    }
    return f"""// The network, every node on its own clock.
// A terminal gives and sees {{credit, flit, valid}}.
module clocks_bench(
{ports}
{_declared(shown, "output", ",").removesuffix(",")}
);
{_declared(inside, "wire")}
{wires}
{_instance(network, joined)}
endmodule
"""
