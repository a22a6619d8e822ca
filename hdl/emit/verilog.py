"""Verilog of nodes, and of what stands around them."""

import os
import re

from amaranth.back import verilog
from amaranth.lib import wiring

from fingerpost.golden import caches
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.counting import counting
from fingerpost.hdl.deflection.node import deflection_router, time_name, time_verilog
from fingerpost.hdl.deflection.node import node_verilog as deflection_node
from fingerpost.hdl.deflection.table import TableWriter, table_name, table_verilog, writer_name
from fingerpost.hdl.emit.modules import merge
from fingerpost.hdl.emit.names import names_from_source
from fingerpost.hdl.emit.network import node_names, router_names
from fingerpost.hdl.lib.banner import with_banner
from fingerpost.hdl.node import Node
from fingerpost.hdl.node import node as around
from fingerpost.hdl.router.router import Router
from fingerpost.hdl.terminal import terminal_end

MODULE = re.compile(r"^module (\S+ ?)\((.*?)\);$(.*?)^endmodule$", re.M | re.S)
"""A module as Yosys writes it: its name, its ports, and what is inside."""

NAME = re.compile(r"\\\S+ |\w+")
"""A name; one with a backslash ends with a space."""

DUMMY = re.compile(r"^  reg (\\\$auto\$\S+ ) = 0;$", re.M)
"""The register that Yosys adds to blocks of combinational logic, once a module."""

REGISTER = re.compile(r"^(  reg (?:\[.*?\] )?)(\\\S+ |\w+) = (.*);$", re.M)
"""A register with its initial value."""


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog that every simulator starts alike.

    It is the same under every version of Python, and in every run.
    """
    # The wheel's Yosys, whatever is on PATH: the output must not depend on the machine.
    os.environ["AMARANTH_USE_YOSYS"] = "builtin"
    caches.home()
    with names_from_source():
        text: str = verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    return MODULE.sub(_finished, merge(text))


def _finished(module: re.Match[str]) -> str:
    """Return a module with its ports sorted and the initial values in a block at its end.

    Amaranth lists the clocks of a module in the order of a set, another one in every run.

    Combinational logic that depends on constants, or on registers that keep their value, would
    stay X in Icarus: its ``always @*`` waits for a change. Yosys puts a dummy register into each
    such block, but initialises it where it is declared, which is no change (amaranth issue 1629).
    At the end of the module, when the blocks already wait, it is one. The others are there as
    well, since Verilator warns of values in declarations, and older ones know no waiver for that.
    """
    name, ports, inside = module.groups()
    if dummy := DUMMY.search(inside):
        inside = inside.replace(dummy[1], "\\$start ")
    values = [f"    {register} = {value};\n" for _, register, value in REGISTER.findall(inside)]
    if values:
        inside = REGISTER.sub(r"\1\2;", inside) + f"  initial begin\n{''.join(values)}  end\n"
    return f"module {name}({', '.join(sorted(NAME.findall(ports)))});{inside}endmodule"


def router(network: Network, node_type: NodeType | None = None) -> Router:
    """Return the router of a network for one node type, by default the most frequent."""
    node_type = node_type or network.topology.node_types[0]
    return Router(
        network.routing,
        lanes=network.lanes,
        depth=network.buffer_depth,
        flit_width=network.flit_width,
        bypass_limits=network.bypass_limits,
        register=network.routing_register,
        stalls=network.counters is not None and network.counters.ports,
        node_type=node_type,
        used_turns=network.used_turns[node_type],
    )


def node(network: Network, node_type: NodeType | None = None) -> Router | Node:
    """Return what stands at a node: its router, or that with the ends of its links around it."""
    return around(network, router(network, node_type))


def node_verilog(network: AnyNetwork) -> dict[str, str]:
    """Return the modules that stand at the nodes by their names, one for each node type."""
    if isinstance(network, DeflectionNetwork):
        return _deflection_verilog(network)
    return {
        name: with_banner(network, module_verilog(node(network, node_type), name))
        for node_type, name in node_names(network).items()
    }


def _deflection_verilog(network: DeflectionNetwork) -> dict[str, str]:
    """Return the modules at the nodes: routers with their tables; the time; what writes tables."""
    routers = router_names(network)
    texts = {time_name(network): time_verilog(network), table_name(network): table_verilog(network)}
    if network.link_up:
        writer = writer_name(network)
        texts[writer] = module_verilog(TableWriter(network), writer)
    for node_type, node in node_names(network).items():
        router = routers[node_type]
        component = deflection_router(network, node_type)
        texts[node] = deflection_node(component, node, router)
        texts[router] = module_verilog(component, router)
    return {module: with_banner(network, text) for module, text in texts.items()}


def parts_verilog(network: AnyNetwork) -> dict[str, str]:
    """Return the modules by their names that stand around nodes: of terminals and counters."""
    counters = counting(network)
    components = terminal_end(network).components()
    components |= counters.components() if counters else {}
    return {
        name: with_banner(network, module_verilog(component, name))
        for name, component in components.items()
    }
