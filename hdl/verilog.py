"""Verilog emission: the files that `fingerpost generate` writes."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from amaranth.back import verilog
from amaranth.lib import wiring

from golden.network import Network
from golden.topology.base import NodeType
from hdl.banner import with_banner
from hdl.counting import counting
from hdl.integration import beside, file_list
from hdl.manifest import manifest
from hdl.modules import merge
from hdl.names import names_from_source
from hdl.network import around_network, identifier, network_verilog, node_names
from hdl.node import Node
from hdl.node import node as around
from hdl.router import Router
from hdl.terminal import terminal_end
from hdl.written import as_text, write_files

__all__ = ["generate", "module_verilog", "node", "node_verilog", "parts_verilog", "router"]


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


def generate(
    network: Network,
    directory: Path | str,
    *,
    costs: Sequence[Mapping[str, Any]] = (),
    progress: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write router, network and all that helps to use them to `directory`; return their paths.

    The manifest is the last. All files are complete before the first takes its final name.
    `costs` are for the manifest: what parts of this very network were found to cost.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from golden.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> with TemporaryDirectory() as folder:
    ...     files = generate(build({"name": "ring", **star}), Path(folder))
    >>> [file.name for file in files]  # doctest: +NORMALIZE_WHITESPACE
    ['ring_router.v', 'ring_network.v', 'ring.f', 'ring_header.sv', 'ring_header.h',
     'ring_header.py', 'ring_template.v', 'ring_testbench.v', 'ring_cocotb.py', 'ring.core',
     'ring_network.sdc', 'ring_network.xdc', 'ring_network.lpf', 'ring_vivado.tcl',
     'ring_quartus.tcl', 'ring.json']
    """
    name = identifier(network.name)
    tell = progress or (lambda _: None)
    tell("router")
    files = {f"{module}.v": text for module, text in node_verilog(network).items()}
    tell("network")
    others = around_network(network) | parts_verilog(network)
    files |= {f"{module}.v": text for module, text in others.items()}
    files[f"{name}_network.v"] = network_verilog(network)
    verilog = list(files)
    files[f"{name}.f"] = file_list(network, verilog)
    tell("what helps to use it")
    files |= beside(network, verilog)
    tell("manifest")
    files[f"{name}.json"] = as_text(manifest(network, files, costs))
    return write_files(files, Path(directory))
