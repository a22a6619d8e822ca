"""The Verilog of a board: a network, or one node whose links are pins, and what exercises it."""

from typing import NamedTuple

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.parameters import ParameterError
from fingerpost.hdl.board.exerciser import LINE, Exerciser
from fingerpost.hdl.board.traffic import LENGTH, WORD
from fingerpost.hdl.emit.network import (
    control_ports,
    missing,
    node_instance,
    side_by_side,
    vectors,
)
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.lib.banner import with_banner
from fingerpost.hdl.lib.ports import Port, identifier, idle, instance, of_node
from fingerpost.hdl.terminal import terminal_end

REPORT = LINE
"""The line that comes out of the UART; for each # a hexadecimal digit."""

LEDS = (
    "blinks, once an interval",
    "at the last line all that was sent had come",
    "something was wrong: a packet, or what the network counts",
    *(f"bit {bit} of the packets received" for bit in range(16, 21)),
)
"""What the LEDs mean, from LED 0 on."""

CHANCE = 4
"""Bits of chance in the first word of a packet, at least."""


EXERCISER = ".clk(clk), .rst(rst), .trouble(trouble), .tx(tx), .leds(led)"
"""What an exerciser is connected with beside the terminals."""


def board_verilog(network: AnyNetwork, *, divisor: int, interval: int) -> dict[str, str]:
    """Return the modules around a network by their names; the last is the top.

    Parameters
    ----------
    network : AnyNetwork
        With AXI4-Stream terminals and one clock.
    divisor : int
        Cycles of a bit on the UART.
    interval : int
        Cycles from line to line, as a power of 2.

    Raises
    ------
    ParameterError
        If nodes have clocks of their own, or a packet has no room for what it must say.
    ValueError
        If a line takes longer than a quarter of the interval.
    """
    if network.link.own_clocks:
        raise ParameterError(
            "kind",
            f"Board needs one clock for all nodes, as with link: {{kind: flit}}, not "
            f"{network.link.kind}, unless each node has a board of its own: --part node",
            section="link",
        )
    name, exerciser = f"{identifier(network.name)}_board", f"{identifier(network.name)}_exerciser"
    component = exerciser_of(network, divisor=divisor, interval=interval)
    texts = {exerciser: module_verilog(component, exerciser), name: _top(network, name, exerciser)}
    return {module: with_banner(network, text) for module, text in texts.items()}


def exerciser_of(
    network: AnyNetwork, *, divisor: int, interval: int, only: int | None = None
) -> Exerciser:
    """Return what sends and checks packets at all terminals, or at that of one node.

    Raises
    ------
    ParameterError
        If packets have no room.
    ValueError
        If a line takes longer than a quarter of the interval.
    """
    if network.classes > 1:
        raise ParameterError(
            "classes", f"Board needs classes: 1, not {network.classes}", section="router"
        )
    least = bits(network.topology.terminal_numbers) + LENGTH + CHANCE
    if network.data_width < WORD or least > WORD:
        raise ParameterError(
            "flit_width",
            f"Board needs a flit_width of at least {WORD}, and at most "
            f"{1 << WORD - LENGTH - CHANCE} terminals, not {network.data_width} and "
            f"{network.topology.terminal_numbers}",
            section="router",
        )
    if 10 * len(LINE) * divisor > 1 << interval - 2:
        raise ValueError(
            f"Board needs an interval of at least {4 * 10 * len(LINE) * divisor} cycles, four "
            f"times what a line takes, not {1 << interval}"
        )
    return Exerciser(
        nodes=network.topology.terminal_numbers,
        terminals=network.topology.terminals.tolist(),
        bytes=network.data_width // 8,
        divisor=divisor,
        interval=interval,
        only=only,
    )


def streams(network: AnyNetwork) -> list[Port]:
    """Return the ports of a network by which its terminals send and get."""
    return [port for port in terminal_end(network).text.ports() if "_axis_" in port.name]


def inner(port: Port) -> str:
    """Return what the exerciser calls a port of a terminal."""
    return port.name.replace("m_axis_", "m_").replace("s_axis_", "")


def _top(network: AnyNetwork, name: str, exerciser: str) -> str:
    ends, wires = streams(network), vectors(network)
    shown = {port.name for port in ends}
    troubles = [port.name for port in wires if port.name not in shown]
    connections = [".clk(clk), .rst(rst)", *side_by_side(network)]
    connections += [idle(port) for port in control_ports(network)]
    inside = [
        f".{inner(port)}({port.name})"
        for port in ends
        if port.name not in {"s_axis_tuser", "m_axis_tdest"}
    ]
    lines = [
        f"// {identifier(network.name)}_network, and something at every terminal that sends and",
        "// checks packets. A line a while comes out of `tx`:",
        f"// {LINE.strip()}",
        *(f"// led[{place}]: {meaning}" for place, meaning in enumerate(LEDS)),
        f"module {name}(input clk, output tx, output [7:0] led);",
        "  // The reset is that of the configuration, some cycles longer.",
        "  reg [3:0] start;",
        "  initial start = 4'd0;",
        "  wire rst = !start[3];",
        "  always @(posedge clk) if (rst) start <= start + 4'd1;",
        *(f"  wire [{port.bits - 1}:0] {port.name};" for port in wires),
        f"  assign s_axis_tuser = {network.topology.terminal_numbers}'d0;",
        f"  wire trouble = |{{{', '.join(troubles)}}};",
        *missing(network),
        instance(f"{identifier(network.name)}_network", "network", *connections),
        instance(exerciser, "exerciser", EXERCISER, ", ".join(inside)),
        "endmodule",
    ]
    return "\n".join(lines)


class Cable(NamedTuple):
    """A link of a node, by its place among those that the node has, and where it leads to."""

    place: int
    port: int
    neighbour: int
    there: int


NODE_LEDS = (LEDS[0], "at the last line packets had come since the one before", *LEDS[2:])
"""What the LEDs mean where there is one node."""

HELD = 8
"""A board keeps the reset for 2 to this many cycles when it has been configured: time enough for
all others to see it."""

RESET = f"""
  // All boards leave reset together, when none pulls the wire low. A board does when it has
  // been configured, for some cycles, and while its button is pressed.
  reg [{HELD}:0] held;
  reg [1:0] level;
  reg [3:0] start;
  initial begin
    held = {HELD + 1}'d0;
    level = 2'd0;
    start = 4'd0;
  end
  assign reset_n = held[{HELD}] && !button ? 1'bz : 1'b0;
  wire rst = !start[3];
  always @(posedge clk) begin
    if (!held[{HELD}]) held <= held + {HELD + 1}'d1;
    level <= {{level[0], reset_n}};
    if (!level[1]) start <= 4'd0;
    else if (rst) start <= start + 4'd1;
  end
""".strip("\n")


def cables(network: AnyNetwork, node: int) -> list[Cable]:
    """Return the links of a node, in their order at the pins of its board."""
    topology, found = network.topology, []
    for place, port in enumerate(topology.node_type[node].outputs):
        neighbour = int(topology.neighbour[node, port])
        there = topology.node_type[neighbour].inputs.index(int(topology.arrival_port[node, port]))
        found.append(Cable(place, port, neighbour, there))
    return found


def node_board_verilog(
    network: AnyNetwork, node: int, *, divisor: int, interval: int
) -> dict[str, str]:
    """Return the modules around a node by their names; the last is the top.

    Parameters
    ----------
    network : AnyNetwork
        With AXI4-Stream terminals and OS-Links.
    node : int
    divisor : int
        Cycles of a bit on the UART.
    interval : int
        Cycles from line to line, as a power of 2.

    Raises
    ------
    ParameterError
        If links are not between chips, a node has several terminals, or a packet has no room for
        what it must say.
    ValueError
        If a line takes longer than a quarter of the interval, or the node has no links.
    """
    if not network.link.own_clocks:
        raise ParameterError(
            "kind",
            f"Boards of one node each need links from chip to chip, as with link: "
            f"{{kind: os-link}}, not {network.link.kind}",
            section="link",
        )
    if network.topology.local_ports > 1:
        raise ParameterError(
            "terminals",
            "Boards of one node each need at most one terminal at a node, not "
            f"{network.topology.local_ports}",
            section="topology",
        )
    if not cables(network, node):
        raise ValueError(f"Board needs a node with links, and node {node} has none")
    name = identifier(network.name)
    top, exerciser = f"{name}_board_{node}", f"{name}_exerciser_{node}"
    component = exerciser_of(network, divisor=divisor, interval=interval, only=node)
    texts = {
        exerciser: module_verilog(component, exerciser),
        top: _node_top(network, node, top, exerciser),
    }
    return {module: with_banner(network, text) for module, text in texts.items()}


def _node_top(network: AnyNetwork, node: int, name: str, exerciser: str) -> str:
    """Wire up what the network's module has of a node."""
    topology, terminals = network.topology, terminal_end(network).text
    node_type, count = topology.node_type[node], topology.nodes
    here = {port.name: of_node(port.name, node) for port in vectors(network)}
    ends = streams(network) if node_type.terminals else []
    told = {port.name for port in streams(network)}
    if not node_type.terminals:  # then it counts nothing either
        told |= {port.name for port in terminals.ports()}
    troubles = [text for port, text in here.items() if port not in told]
    inside = [
        f".{inner(port)}({here[port.name]})"
        for port in ends
        if port.name not in {"s_axis_tuser", "m_axis_tdest"}
    ]
    joined, local = cables(network, node), topology.local
    incoming = {cable.port: f"link_in[{cable.place}]" for cable in joined}
    bits = [incoming.get(port, "1'b0") for port in reversed(range(local))]
    outgoing = ", ".join(f"out_{node}[{cable.port}]" for cable in reversed(joined))
    vector = f"[{len(joined) - 1}:0]"
    lines = [
        f"// Node {node} of {identifier(network.name)}, alone on a board: its links are pins, and",
        "// something at its terminal sends and checks packets. A line a while comes out of `tx`:",
        f"// node {node} {LINE.strip()}",
        *(f"// led[{place}]: {meaning}" for place, meaning in enumerate(NODE_LEDS)),
        *(
            f"// link {cable.place}: to and from link {cable.there} of node {cable.neighbour}"
            for cable in joined
        ),
        f"module {name}(",
        "  input clk, input button, inout reset_n,",
        f"  input {vector} link_in, output {vector} link_out,",
        "  output tx, output [7:0] led",
        ");",
        RESET,
        *(f"  wire [{x.bits // count - 1}:0] {of_node(x.name, node)};" for x in vectors(network)),
        f"  assign {of_node('s_axis_tuser', node)} = 1'b0;",
        f"  wire trouble = |{{{', '.join(troubles)}}};",
        f"  wire [{local - 1}:0] out_{node};",
        f"  wire [{local - 1}:0] in_{node} = {{{', '.join(bits)}}};",
        f"  assign link_out = {{{outgoing}}};",
        *(terminals.table(node) if node_type.terminals else ()),
        node_instance(network, node),
        instance(exerciser, "exerciser", EXERCISER, *([", ".join(inside)] if inside else [])),
        "endmodule",
    ]
    return "\n".join(lines)
