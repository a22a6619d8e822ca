"""The network as Verilog: a module at every node, the same for all nodes of a kind."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Literal

import numpy as np

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.counting import Counting, counting
from fingerpost.hdl.emit.printer import print_designs
from fingerpost.hdl.emit.routers import routers
from fingerpost.hdl.lib.banner import CROSSING, SEVERAL, with_banner
from fingerpost.hdl.lib.block_ram import on_ecp5
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, of_node, part, passed
from fingerpost.hdl.lib.text import printable
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.base import terminal_label

Files = Literal["one", "many"]
"""How the Verilog of a network is split: not, or by modules."""

NODE = re.compile(r"\b(terminal|node) v\b")
"""What the meaning of a port of all nodes says of one."""


def network_name(network: AnyNetwork, board: int | None = None) -> str:
    """Return the name of the module that joins the nodes, all or those of a board."""
    what = "network" if board is None else f"board{board}"
    return f"{identifier(network.name)}_{what}"


def nodes_of(network: AnyNetwork, board: int | None = None) -> Collection[int]:
    """Return the nodes of a board, or all."""
    if board is None:
        return range(network.topology.nodes)
    return np.flatnonzero(network.boards == board).tolist()


@lru_cache(maxsize=2)
def vectors(network: AnyNetwork) -> tuple[Port, ...]:
    """Return the ports of the network module but for clocks, those of all nodes side by side.

    Node v has the v-th part of each, or, of those of terminals, terminal v.
    """
    n = network.topology.nodes
    return (
        *terminal_end(network).text.ports(),
        *(
            Port(c.name, "output", n * c.width, f"{c.meaning}; saturates at {c.most}")
            for c in network.node_counters
        ),
        *link_ends(network).ports(),
    )


def clocks(network: AnyNetwork) -> list[Port]:
    """Return the clock and the reset of the network module, or of all its nodes."""
    bits = network.topology.nodes if network.link.own_clocks else 1
    return [
        Port("clk", "input", bits, "clock; all ports are synchronous to its rising edge"),
        Port("rst", "input", bits, "synchronous reset, active high"),
    ]


@lru_cache(maxsize=16)
def parts(network: AnyNetwork, board: int | None = None) -> tuple[tuple[Port, str], ...]:
    """Return the ports of the network module that belong to nodes, with their parts of `vectors`.

    A node without terminal has none for one. With a board, those of its module.
    """
    topology, several = network.topology, network.topology.local_ports
    of_terminals = {port.name for port in terminal_end(network).text.ports()}
    found = list[tuple[Port, str]]()
    for v in nodes_of(network, board):
        terminals = range(v * several, v * several + topology.node_type[v].terminals)
        own = [(v, str(v), x) for x in vectors(network) if x.name not in of_terminals]
        ends = [
            (t, terminal_label(network, t), x)
            for t in terminals
            for x in vectors(network)
            if x.name in of_terminals
        ]
        for at, label, x in [*ends, *own]:
            width = x.bits // (
                topology.terminal_numbers if x.name in of_terminals else topology.nodes
            )
            meaning = NODE.sub(rf"\1 {label}", x.meaning)
            port = Port(of_node(x.name, label), x.direction, width, meaning)
            found.append((port, part(x.name, at, width)))
    return tuple(found)


def network_ports(network: AnyNetwork, board: int | None = None) -> list[Port]:
    """Return the ports of the network module, or of a board's: clocks, of each node, and others."""
    of_nodes = [port for port, _ in parts(network, board)]
    return [*clocks(network), *of_nodes, *control_ports(network, board)]


def side_by_side(network: AnyNetwork) -> list[str]:
    """Return the connections of the network module, but for clocks, with `vectors`."""
    return [f".{port.name}({vector})" for port, vector in parts(network)]


def missing(network: AnyNetwork) -> list[str]:
    """Assign 0 to the parts of `vectors` that belong to terminals which are not there."""
    topology, found = network.topology, list[str]()
    for terminal in np.setdiff1d(np.arange(topology.terminal_numbers), topology.terminals).tolist():
        for port in terminal_end(network).text.ports():
            if port.direction == "output":
                width = port.bits // topology.terminal_numbers
                found.append(f"  assign {part(port.name, terminal, width)} = {width}'d0;")
    return found


def control_ports(network: AnyNetwork, board: int | None = None) -> list[Port]:
    """Return the ports of the network module that are of its counters, or of single links."""
    counters = counting(network)
    ends = link_ends(network).end_ports(nodes_of(network, board))
    return [*(counters.ports() if counters else ()), *ends]


def top(network: AnyNetwork) -> tuple[str, list[Port]]:
    """Return the module to instantiate and its ports."""
    return terminal_end(network).text.top(network_ports(network))


def looped(network: AnyNetwork) -> tuple[str, list[Port]]:
    """Return the module for loops over nodes and its ports: with `vectors`, if there is that one.

    With other terminals it is `top`.
    """
    found = top(network)
    if found[0] != network_name(network):
        return found
    return vectors_name(network), vectors_ports(network)


def around_network(network: AnyNetwork) -> dict[str, str]:
    """Return the modules by their names that belong to the network and to no node."""
    files = terminal_end(network).text.files(network_ports(network))
    files[vectors_name(network)] = vectors_verilog(network)
    return files


def vectors_name(network: AnyNetwork) -> str:
    """Return the name of the network module with the ports of all nodes side by side."""
    return f"{identifier(network.name)}_vectors"


def vectors_ports(network: AnyNetwork) -> list[Port]:
    """Return the ports of the network module with those of all nodes side by side."""
    return [*clocks(network), *vectors(network), *control_ports(network)]


def vectors_verilog(network: AnyNetwork) -> str:
    """Return the network with the ports of all nodes side by side, for benches with loops."""
    joined = passed([*clocks(network), *control_ports(network)])
    body = [
        *missing(network),
        instance(network_name(network), "network", joined, *side_by_side(network)),
    ]
    legend = f"// {network_name(network)}; node v has the v-th part of each port but the clocks."
    return "\n".join([legend, module(vectors_name(network), vectors_ports(network), body), ""])


def network_verilog(network: AnyNetwork, board: int | None = None) -> str:
    """Return the module that instantiates the nodes, all or those of a board, and wires them.

    The structure is plain enough to be written as text: Amaranth would elaborate each of the
    routers anew.
    """
    topology, nodes = network.topology, nodes_of(network, board)
    terminals, counters = terminal_end(network).text, counting(network)
    body = [
        *link_ends(network).wires(nodes),
        *link_ends(network).instances(nodes),
        *terminals.wires(nodes),
        *(counters.wires() if counters else ()),
    ]
    body += routers(network).wires(nodes)
    for node in nodes:
        at = f"[{node}]" if network.link.own_clocks else ""
        body.append(node_instance(network, node, counters, at=at))
    body += counters.instances() if counters else ()
    firsts = {port.name.split("_")[1]: port.name for port, _ in reversed(parts(network, board))}
    remarks = {
        name: f"  // node {v}: {printable(topology.name(int(v)))}" for v, name in firsts.items()
    }
    text = module(network_name(network, board), network_ports(network, board), body, remarks)
    return "\n".join([*terminals.legend(), text, ""])


def node_instance(
    network: AnyNetwork,
    node: int,
    counters: Counting | None = None,
    *,
    at: str = "",
) -> str:
    """Return the module at a node, connected; `at` is what follows the names of its clock."""
    links, terminals = link_ends(network), terminal_end(network).text
    module, constants = routers(network).instance(node)
    return instance(
        module,
        f"node_{node}",
        f".clk(clk{at}), .rst(rst{at})",
        constants,
        *links.connections(node),
        *terminals.connections(node),
        ", ".join(f".{c.name}({of_node(c.name, node)})" for c in network.node_counters),
        *(counters.connections(node) if counters else ()),
        remark=network.topology.name(node),
    )


@lru_cache(maxsize=2)
def modules(network: AnyNetwork) -> dict[str, str]:
    """Return all modules of a network as Verilog by their names, those that are instantiated last.

    These are the network, what stands at and around its nodes, and what both consist of.
    """
    counters = counting(network)
    components = routers(network).components() | terminal_end(network).components()
    components |= link_ends(network).components()
    components |= counters.components() if counters else {}
    return {
        **around_network(network),
        network_name(network): network_verilog(network),
        **{network_name(network, b): network_verilog(network, b) for b in network.separate_boards},
        **routers(network).texts(components),
        **print_designs(components, prefix=identifier(network.name)),
    }


def modules_on_ecp5(network: AnyNetwork) -> dict[str, str]:
    """Return those modules that have block RAMs of an ECP5 as instances there, by their names."""
    return on_ecp5(modules(network)) | routers(network).on_ecp5()


def verilog_files(network: AnyNetwork, *, files: Files = "many") -> dict[str, str]:
    """Return the Verilog of a network by name of file: a file of each module, or one of all."""
    several: Mapping[str, str] = modules(network)
    crosses = bool(terminal_end(network).text.clocks())
    if files == "one":
        several = {identifier(network.name): "\n".join(several.values())}

    def waivers(text: str) -> dict[str, str]:
        several = text.count("\nendmodule") > 1
        return {**(CROSSING if crosses else {}), **(SEVERAL if several else {})}

    return {
        f"{name}.v": with_banner(network, text, waivers(text)) for name, text in several.items()
    }
