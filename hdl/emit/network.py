"""The network as Verilog: a module at every node, the same for all nodes of a kind."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.counting import Counting, counting
from fingerpost.hdl.emit.routers import routers
from fingerpost.hdl.emit.verilog import modules_verilog
from fingerpost.hdl.lib.banner import with_banner
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, part
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.terminal import terminal_end

Files = Literal["one", "many"]
"""How the Verilog of a network is split: not, or by modules."""


def network_name(network: AnyNetwork) -> str:
    """Return the name of the module that joins the nodes."""
    return f"{identifier(network.name)}_network"


@lru_cache(maxsize=2)
def network_ports(network: AnyNetwork) -> tuple[Port, ...]:
    """Return the ports of the network module; node v has the v-th part of each but the clocks."""
    n = network.topology.nodes
    clocks = n if network.link.own_clocks else 1
    return (
        Port("clk", "input", clocks, "clock; all ports are synchronous to its rising edge"),
        Port("rst", "input", clocks, "synchronous reset, active high"),
        *terminal_end(network).text.ports(),
        *(
            Port(c.name, "output", n * c.width, f"{c.meaning}; saturates at {c.most}")
            for c in network.node_counters
        ),
        *link_ends(network).ports(),
    )


def control_ports(network: AnyNetwork) -> list[Port]:
    """Return the ports of the network module that belong to no node: those of its counters."""
    counters = counting(network)
    return counters.ports() if counters else []


def top(network: AnyNetwork) -> tuple[str, list[Port]]:
    """Return the module to instantiate and its ports: for each terminal its own, if there are."""
    return terminal_end(network).text.top([*network_ports(network), *control_ports(network)])


def around_network(network: AnyNetwork) -> dict[str, str]:
    """Return the modules by their names that belong to the network and to no node."""
    return terminal_end(network).text.files([*network_ports(network), *control_ports(network)])


def network_verilog(network: AnyNetwork) -> str:
    """Return the module that instantiates the nodes and wires them.

    The structure is plain enough to be written as text: Amaranth would elaborate each of the
    routers anew.
    """
    topology = network.topology
    terminals, counters = terminal_end(network).text, counting(network)
    ports = [*network_ports(network), *control_ports(network)]
    body = [
        *link_ends(network).wires(),
        *terminals.wires(),
        *(counters.wires() if counters else ()),
    ]
    body += routers(network).wires()
    for node, node_type in enumerate(topology.node_type):
        if not node_type.terminal:
            body += terminals.absent(node)
        at = f"[{node}]" if network.link.own_clocks else ""
        body.append(node_instance(network, node, counters, at=at))
    body += counters.instances() if counters else ()
    return "\n".join([*terminals.legend(), module(network_name(network), ports, body), ""])


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
        ", ".join(f".{c.name}({part(c.name, node, c.width)})" for c in network.node_counters),
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
    components |= counters.components() if counters else {}
    return {
        **around_network(network),
        network_name(network): network_verilog(network),
        **routers(network).texts(components),
        **modules_verilog(components, identifier(network.name)),
    }


def verilog_files(network: AnyNetwork, *, files: Files = "many") -> dict[str, str]:
    """Return the Verilog of a network by name of file: a file of each module, or one of all."""
    several: Mapping[str, str] = modules(network)
    if files == "one":
        several = {identifier(network.name): "\n".join(several.values())}
    return {f"{name}.v": with_banner(network, text) for name, text in several.items()}
