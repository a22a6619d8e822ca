"""The network as Verilog: a module at every node, the same for all nodes of a kind."""

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.counting import Counting, counting
from fingerpost.hdl.deflection.node import node_parameters, time_instance, time_ports
from fingerpost.hdl.lib.banner import with_banner
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, part
from fingerpost.hdl.link import LinkEnds, link_ends
from fingerpost.hdl.node import additions
from fingerpost.hdl.terminal import TerminalEnd, terminal_end


def node_straps(network: Network, node: int) -> tuple[int, int]:
    """Return the packed constants `straps` and `increments` of the router at `node`."""
    raises = network.channels.vc_increments[node, :-1, :-1].ravel()
    increments = sum(int(bit) << place for place, bit in enumerate(raises))
    return network.routing.straps.at(node), increments


def router_names(network: AnyNetwork) -> dict[NodeType, str]:
    """Return the name of the router module for every node type."""
    return _names(network, "router")


def node_names(network: AnyNetwork) -> dict[NodeType, str]:
    """Return the name of the module that stands at every node type.

    It is the router, or what has the ends of its links and terminal around it.
    """
    # The tables of deflection routers stand beside them.
    around = isinstance(network, DeflectionNetwork) or additions(network)
    return _names(network, "node" if around else "router")


def network_name(network: AnyNetwork) -> str:
    """Return the name of the module that joins the nodes."""
    return f"{identifier(network.name)}_network"


def _names(network: AnyNetwork, what: str) -> dict[NodeType, str]:
    name, node_types = f"{identifier(network.name)}_{what}", network.topology.node_types
    if len(node_types) == 1:
        return {node_types[0]: name}
    return {node_type: f"{name}_{number}" for number, node_type in enumerate(node_types)}


def network_ports(network: AnyNetwork) -> list[Port]:
    """Return the ports of the network module; node v has the v-th part of each but the clocks."""
    n = network.topology.nodes
    clocks = n if network.link.own_clocks else 1
    return [
        Port("clk", "input", clocks, "clock; all ports are synchronous to its rising edge"),
        Port("rst", "input", clocks, "synchronous reset, active high"),
        *terminal_end(network).ports(),
        *(
            Port(c.name, "output", n * c.width, f"{c.meaning}; saturates at {c.most}")
            for c in network.node_counters
        ),
        *link_ends(network).ports(),
    ]


def control_ports(network: AnyNetwork) -> list[Port]:
    """Return the ports of the network module that belong to no node: those of its counters."""
    counters = counting(network)
    return counters.ports() if counters else []


def top(network: AnyNetwork) -> tuple[str, list[Port]]:
    """Return the module to instantiate and its ports: for each terminal its own, if there are."""
    return terminal_end(network).top([*network_ports(network), *control_ports(network)])


def around_network(network: AnyNetwork) -> dict[str, str]:
    """Return the modules by their names that belong to the network and to no node."""
    files = terminal_end(network).files([*network_ports(network), *control_ports(network)])
    return {name: with_banner(network, text) for name, text in files.items()}


def network_verilog(network: AnyNetwork) -> str:
    """Return the module that instantiates the nodes and wires them.

    The structure is plain enough to be written as text: Amaranth would elaborate each of the
    routers anew.
    """
    topology, names = network.topology, node_names(network)
    links, terminals, counters = link_ends(network), terminal_end(network), counting(network)
    ports = [*network_ports(network), *control_ports(network)]
    body = [*links.wires(), *terminals.wires(), *(counters.wires() if counters else ())]
    if isinstance(network, DeflectionNetwork):
        body += time_instance(network)
    for node, node_type in enumerate(topology.node_type):
        if not node_type.terminal:
            body += terminals.absent(node)
        at = f"[{node}]" if network.link.own_clocks else ""
        ends = links, terminals, counters
        body.append(node_instance(network, node, names[node_type], *ends, at=at))
    body += counters.instances() if counters else ()
    text = module(network_name(network), ports, body)
    return with_banner(network, "\n".join([*terminals.legend(), text]))


def node_instance(
    network: AnyNetwork,
    node: int,
    module: str,
    links: LinkEnds,
    terminals: TerminalEnd,
    counters: Counting | None = None,
    *,
    at: str = "",
) -> str:
    """Return the module at a node, connected; `at` is what follows the names of its clock."""
    topology = network.topology
    if isinstance(network, DeflectionNetwork):
        module = f"{module} {node_parameters(network, node)}"
        constants = ", ".join(f".{name}({name})" for name in time_ports(network))
        if network.wait_limit is not None:
            constants += f", .pending(pending[{node}])"
    else:
        straps, increments = node_straps(network, node)
        widths = network.routing.straps.width, topology.local**2
        constants = f".straps({widths[0]}'h{straps:x}), .increments({widths[1]}'h{increments:x})"
    return instance(
        module,
        f"node_{node}",
        f".clk(clk{at}), .rst(rst{at})",
        constants,
        *links.connections(node),
        *terminals.connections(node),
        ", ".join(f".{c.name}({part(c.name, node, c.width)})" for c in network.node_counters),
        *(counters.connections(node) if counters else ()),
        remark=topology.name(node),
    )
