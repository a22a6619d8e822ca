"""What `fingerpost cost` measures: from a routing unit to a network, as Verilog."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fingerpost.cost.netlist import ON_ECP5, Port, harness, module_top, ports, wrapper
from fingerpost.golden.header import bits
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType, Topology
from fingerpost.hdl.deflection.node import deflection_router, node_parameters, node_ports
from fingerpost.hdl.deflection.node import node_verilog as node_verilog_of
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import table_on_ecp5, table_verilog
from fingerpost.hdl.emit.network import (
    clocks,
    modules,
    modules_on_ecp5,
    network_name,
    network_ports,
)
from fingerpost.hdl.emit.printer import module_verilog, print_designs
from fingerpost.hdl.emit.routers import node as at_node
from fingerpost.hdl.emit.routers import (
    node_constants,
    node_names,
    router_names,
    routers,
    table_instance,
)
from fingerpost.hdl.emit.routers import router as router_of
from fingerpost.hdl.lib.block_ram import on_ecp5
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.link import StreamLinkEnds, link_ends
from fingerpost.hdl.node import additions
from fingerpost.hdl.routing import routing_unit
from fingerpost.hdl.terminal import TerminalAlone, terminal_end
from fingerpost.hdl.terminal.around import alike, header_tables, table_name
from fingerpost.hdl.terminal.axi4 import Axi4TerminalEnd
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.mailbox import MailboxTerminalEnd
from fingerpost.jobs.tools import CostError

AT_TERMINALS = "terminal", "endpoints", "mailbox", "axi4"
PARTS = "unit", *AT_TERMINALS, "link", "router", "node", "network"
"""From the smallest to the largest; those at a terminal need a node that has one."""


@dataclass(frozen=True)
class Design:
    """A module to measure."""

    title: str
    """What it is, for people."""
    top: str
    """Its name."""
    sources: Mapping[str, str]
    """The files that hold it, by name."""
    around: tuple[Port, ...]
    """Its ports, but for the clock and the reset."""
    clocks: int = 1
    """The bits of the clock, and of the reset."""
    port: int | None = None
    """Of a routing unit: where packets come in."""

    @property
    def files(self) -> dict[str, str]:
        """Return all files, those of the harness too."""
        text = harness(self.top, self.around, clocks=self.clocks)
        return {**self.sources, "harness.v": text}


def typical_node(topology: Topology, *, terminal: bool = False) -> int:
    """Return an interior node of the most frequent type, with a terminal if one is asked for.

    It is among the farthest from nodes of other types, in the middle of these by number: node 0
    has straps of 0, which cost less than those of other nodes.
    """
    types = Counter(kind for kind in topology.node_type if kind.terminals or not terminal)
    frequent = max(types, key=lambda kind: (types[kind], len(kind.inputs), len(kind.outputs)))
    inside = np.array([kind == frequent for kind in topology.node_type])
    while True:
        stays = inside[topology.neighbour] | (topology.neighbour < 0)
        deeper = inside & stays.all(axis=1)
        if not deeper.any() or (deeper == inside).all():
            break
        inside = deeper
    found = np.flatnonzero(inside)
    return int(found[len(found) // 2])


def designs(network: AnyNetwork, part: str, node: int | None) -> list[Design]:
    """Return what is to be measured; of several, such as routing units, the one that costs most.

    Parameters
    ----------
    part : str
        One of `PARTS`.
    node : int, optional
        The node whose constants are tied; without one they stay inputs. A network has
        all of them, and a terminal those of node 0.

    Raises
    ------
    CostError
        If the part is a terminal without an AXI4-Stream interface, or without a mailbox, or one
        that is not shared by endpoints, or a link that is no stream.
    """
    topology = network.topology
    if part == "network":
        return [_network(network)]
    node_type = topology.node_type[typical_node(topology) if node is None else node]
    if part == "terminal":
        return [_terminal(network, node_type, 0 if node is None else node)]
    if part == "endpoints":
        return [_endpoints(network)]
    return AT_NODES[network.router_kind](network, part, node_type, node)


def _wormhole(network: Network, part: str, node_type: NodeType, node: int | None) -> list[Design]:
    """Return the designs of a part that stands at nodes of wormhole routers."""
    if part == "unit":
        return _units(network, node_type, {} if node is None else node_constants(network, node))
    if part == "mailbox":
        return [_mailbox(network)]
    if part == "link":
        return [_link(network)]
    if part == "axi4":
        return [_axi4(network, typical_node(network.topology) if node is None else node)]
    return [_at_node(network, node_type, node, alone=part == "router")]


def _at_node(network: Network, node_type: NodeType, node: int | None, *, alone: bool) -> Design:
    """Return a router, or all that stands at a node; of a certain node its table, too."""
    component = (router_of if alone else at_node)(network, node_type)
    top = (router_names if alone else node_names)(network)[node_type]
    around, added = tuple(ports(component)), [] if alone else additions(network)
    sources = {"router.v": module_verilog(component, top)}
    if node is None:
        return Design(" with its ".join(["router", *added]), top, sources, around)
    beside = table_instance(network, node)
    added += ["table"] * bool(beside)
    sources |= {f"{name}.v": text for name, text in routers(network).texts({}).items()}
    design = Design(" with its ".join(["router", *added]), top, sources, around)
    return _tied(design, node_constants(network, node), beside=beside)


def _deflection(
    network: DeflectionNetwork, part: str, node_type: NodeType, node: int | None
) -> list[Design]:
    """Return a deflection router, by itself or with the table of a node."""
    router = part == "router"
    component = (DeflectionRouter if router else deflection_router)(network, node_type)
    top, around = router_names(network)[node_type], tuple(ports(component))
    sources = {"router.v": module_verilog(component, top)}
    if router:
        return [Design("router", top, sources, around)]
    if part != "node" or node is None:
        raise CostError(
            "Deflection routers have the parts terminal, router, node and network, and a node has "
            "the table of its place: leave out --generic"
        )
    module = node_names(network)[node_type]
    sources["node.v"] = node_verilog_of(component, module, top)
    sources |= {"table.v": table_verilog(network), **_on_ecp5(table_on_ecp5(network))}
    around = tuple(Port(p.name, p.bits, p.direction == "input") for p in node_ports(component))
    with_table = f"{module} {node_parameters(network, node)}"
    sources["top.v"] = wrapper(with_table, around, {})
    return [Design("router with its table", "top", sources, around)]


AT_NODES: dict[str, Callable[[Any, str, NodeType, int | None], list[Design]]] = {
    Network.router_kind: _wormhole,
    DeflectionNetwork.router_kind: _deflection,
}
"""What stands at nodes, by the kind of their routers."""


def _on_ecp5(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the file of modules with cells of an ECP5, if there are some."""
    return {ON_ECP5: "\n".join(modules.values())} if modules else {}


def _tied(
    design: Design,
    tied: Mapping[str, str],
    *,
    name: str = "router",
    clocked: bool = True,
    beside: Sequence[str] = (),
) -> Design:
    """Return a design in a wrapper in which some ports are tied."""
    text = wrapper(design.top, design.around, tied, name=name, clocked=clocked, beside=beside)
    around = tuple(port for port in design.around if port.name not in tied)
    return replace(design, top="top", sources={**design.sources, "top.v": text}, around=around)


def _units(network: Network, node_type: NodeType, tied: Mapping[str, str]) -> list[Design]:
    """Return the routing unit behind every port by which packets come in."""
    local = (network.topology.local,) if node_type.terminals else ()
    name = f"{identifier(network.name)}_unit"
    component = routing_unit(network.routing)
    text, around = module_verilog(component, name), tuple(ports(component))
    straps = {key: value for key, value in tied.items() if key == "straps"}
    return [
        _tied(
            Design("routing unit", name, {"unit.v": text}, around, port=port),
            straps | {"arrival": f"{bits(network.topology.degree + 1)}'h{port:x}"},
            name="routing",
            clocked=False,
        )
        for port in (*node_type.inputs, *local)
    ]


def _endpoints(network: AnyNetwork) -> Design:
    """Return what endpoints share a terminal by, in one message class."""
    end = terminal_end(network)
    if network.terminal.endpoints == 1 or not isinstance(end, AxiStreamTerminalEnd):
        raise CostError("Part endpoints needs several of them, as in terminal: {endpoints: 4}")
    parts = dict(zip(("concentrator", "distributor"), end.sharing(), strict=True))
    return _together("sharing of a terminal", parts)


def _together(title: str, parts: Mapping[str, Component]) -> Design:
    """Return several components side by side, by the names of their modules."""
    sources = {f"{module}.v": module_verilog(part, module) for module, part in parts.items()}
    around, instances = [], []
    for module, part in parts.items():
        own = ports(part)
        around += [port._replace(name=f"{module}_{port.name}") for port in own]
        joined = "".join(f", .{port.name}({module}_{port.name})" for port in own)
        instances.append(f"  {module} {module}(.clk(clk), .rst(rst){joined});")
    sources["top.v"] = module_top(around, "\n".join(instances))
    return Design(title, "top", sources, tuple(around))


def _axi4(network: Network, node: int) -> Design:
    """Return the sides of AXI4 at a node, without the interface of AXI4-Stream behind them."""
    end = terminal_end(network)
    parts = {}
    if isinstance(end, Axi4TerminalEnd):
        parts = {side.name: end.side(side) for where, side in end.text.sides if where == node}
    if not parts:
        raise CostError(f"Part axi4 needs terminal: {{kind: axi4}}, and a side at node {node}")
    return _together(" and ".join(parts), parts)


def _link(network: Network) -> Design:
    """Return an end of a stream link."""
    ends = link_ends(network)
    if not isinstance(ends, StreamLinkEnds):
        raise CostError("Part link needs stream links, as in link: {kind: stream}")
    name, component = f"{ends.prefix}_end", ends.end()
    modules = print_designs({name: component}, prefix=name)
    sources = {"end.v": "\n".join(modules.values()), **_on_ecp5(on_ecp5(modules))}
    return Design("end of a stream link", name, sources, tuple(ports(component)))


def _mailbox(network: Network) -> Design:
    """Return a mailbox, without the interface of AXI4-Stream behind it."""
    end = terminal_end(network)
    if not isinstance(end, MailboxTerminalEnd):
        raise CostError("Part mailbox needs mailboxes, as in terminal: {kind: mailbox}")
    name, component = f"{identifier(network.name)}_mailbox", end.mailbox()
    sources = {"mailbox.v": module_verilog(component, name)}
    return Design("mailbox", name, sources, tuple(ports(component)))


def _terminal(network: AnyNetwork, node_type: NodeType, node: int) -> Design:
    """Return the interface of a terminal, and its table of headers."""
    end = terminal_end(network)
    if not isinstance(end, AxiStreamTerminalEnd) or not node_type.terminals:
        raise CostError(f"Part terminal needs a terminal with AXI4-Stream at node {node}")
    if network.classes > 1:
        raise CostError(f"Part terminal needs one message class, not {network.classes}")
    topology = network.topology
    name, number = identifier(network.name), bits(topology.terminal_numbers)
    own_number = f"{number}'d{node * topology.local_ports}"
    top, table = f"{name}_terminal", table_name(name, None if alike(network) else node)
    component = TerminalAlone(end)
    around = tuple(ports(component))
    hidden = {"header", "known", "head", "peer", "source"}
    shown = [port for port in around if port.name not in hidden]
    if end.spec.flow:
        asks, own = "peer", [".peer(peer)", ".header(header)", f".source({own_number})"]
    elif end.spec.store:
        asks, own = "peer", [".peer(peer)", f".head({{{own_number}, header}})"]
    else:
        asks, own = "dest", [f".head({{{own_number}, header}})"]
        shown.append(Port("dest", number, is_input=True))
    own += [".known(known)", *(f".{port.name}({port.name})" for port in around if port in shown)]
    body = (
        f"  wire [{number - 1}:0] peer; wire known;\n"
        f"  wire [{network.routing.address_layout.width - 1}:0] header;\n"
        f"  {table} headers(.tdest({asks}), .header(header), .known(known));\n"
        f"  {top} terminal(.clk(clk), .rst(rst), {', '.join(own)});"
    )
    sources = {
        "terminal.v": module_verilog(component, top),
        "headers.v": header_tables(network, name)[table],
        "top.v": module_top(shown, body),
    }
    return Design("interface of a terminal", "top", sources, tuple(shown))


def _network(network: AnyNetwork) -> Design:
    """Return all nodes and what is between them."""
    around = [port for port in network_ports(network) if port.name not in {"clk", "rst"}]
    return Design(
        "network",
        network_name(network),
        {f"{module}.v": text for module, text in modules(network).items()}
        | _on_ecp5(modules_on_ecp5(network)),
        tuple(Port(port.name, port.bits, port.direction == "input") for port in around),
        clocks(network)[0].bits,
    )
