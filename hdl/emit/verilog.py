"""Verilog of nodes, and of what stands around them."""

import os
import re

from amaranth.back import verilog
from amaranth.lib import wiring

from golden.network import Network
from golden.topology.base import NodeType
from hdl.counting import counting
from hdl.emit.modules import merge
from hdl.emit.network import node_names
from hdl.lib.banner import with_banner
from hdl.node import Node
from hdl.node import node as around
from hdl.router.router import Router
from hdl.terminal import terminal_end

__all__ = ["module_verilog", "node", "node_verilog", "parts_verilog", "router"]


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog that every simulator starts alike."""
    # The wheel's Yosys, whatever is on PATH: the output must not depend on the machine.
    os.environ["AMARANTH_USE_YOSYS"] = "builtin"
    text: str = verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    return merge(re.sub(r"^module .*?^endmodule$", _start_changing, text, flags=re.M | re.S))


def _start_changing(module: re.Match[str]) -> str:
    """Let the combinational logic of a module see a change at time 0.

    Logic that depends on constants, or on registers that keep their value, would stay X in
    Icarus: its ``always @*`` waits for a change. Yosys puts a dummy register into each such block,
    but initialises it where it is declared, which is no change (amaranth issue 1629). At the
    end of the module, when the blocks already wait, it is one.
    """
    text = module[0]
    dummy = re.search(r"^  reg (\\\$auto\$\S+ ) = 0;\n", text, flags=re.M)
    if not dummy:
        return text
    text = text.replace(dummy[0], "  reg \\$start ;\n").replace(dummy[1], "\\$start ")
    return f"{text.removesuffix('endmodule')}  initial \\$start  = 0;\nendmodule"


def router(network: Network, node_type: NodeType | None = None) -> Router:
    """Return the router of a network for one node type, by default the most frequent."""
    node_type = node_type or network.topology.node_types[0]
    return Router(
        network.routing,
        lanes=network.lanes,
        depth=network.buffer_depth,
        flit_width=network.flit_width,
        bypass_limits=network.courtesies,
        register=network.routing_register,
        stalls=network.counters is not None and network.counters.ports,
        node_type=node_type,
        used_turns=network.taken[node_type],
    )


def node(network: Network, node_type: NodeType | None = None) -> Router | Node:
    """Return what stands at a node: its router, or that with the ends of its links around it."""
    return around(network, router(network, node_type))


def node_verilog(network: Network) -> dict[str, str]:
    """Return the modules that stand at the nodes by their names, one for each node type."""
    return {
        name: with_banner(network, module_verilog(node(network, node_type), name))
        for node_type, name in node_names(network).items()
    }


def parts_verilog(network: Network) -> dict[str, str]:
    """Return the modules by their names that stand around nodes: of terminals and counters."""
    counters = counting(network)
    components = terminal_end(network).components()
    components |= counters.components() if counters else {}
    return {
        name: with_banner(network, module_verilog(component, name))
        for name, component in components.items()
    }
