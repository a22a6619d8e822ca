"""The files that `fingerpost generate` writes: Verilog, and what helps to use it."""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fingerpost.golden.arguments import checked
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.files import as_text, write_files
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.emit.network import (
    Files,
    looped,
    modules_on_ecp5,
    network_name,
    network_ports,
    nodes_of,
    top,
    verilog_files,
)
from fingerpost.hdl.export.benches import cocotb_bench, verilog_bench
from fingerpost.hdl.export.constraints import constraints, network_pins, projects
from fingerpost.hdl.export.render import render
from fingerpost.hdl.export.software import (
    counter_files,
    header_files,
    mailbox_files,
    memory_map_files,
)
from fingerpost.hdl.lib.banner import banner, with_banner
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.terminal.credit import CreditTerminalEnd


def file_list(banner: Sequence[str], verilog: Sequence[str]) -> str:
    """Return the text of the list of Verilog files, which stand beside it."""
    return "\n".join([*(f"// {line}" for line in banner), *verilog, ""])


def beside(network: AnyNetwork, verilog: Sequence[str]) -> dict[str, str]:
    """Return the texts of all that helps to use some Verilog files, by name of file."""
    name, said, pins = identifier(network.name), banner(network), network_pins(network)
    bench, python = verilog_bench(network), cocotb_bench(network)
    constrained = [each for each in pins if each.synchronizers]
    speaks_flits = network.terminal.kind == CreditTerminalEnd.kind
    values = {
        "name": name,
        "banner": said,
        "version": version("fingerpost"),
        "verilog": verilog,
        "nodes": network.topology.nodes,
        "flit_width": network.flit.width if speaks_flits else None,
        "has_bench": bench is not None,
        "constrained": constrained[0].module if len(constrained) == 1 else None,
    }
    files = header_files(network) | counter_files(network) | mailbox_files(network)
    files |= memory_map_files(network)
    several, vectors = looped(network)
    files[f"{name}_template.v"] = render("template.v", **values, module=several, ports=vectors)
    if rams := modules_on_ecp5(network):
        legend = f"// Block RAMs of {name} on an ECP5: read_verilog -overwrite, after the others.\n"
        files[f"{name}_ecp5.v"] = with_banner(network, "\n".join([legend, *rams.values()]))
    boards = {board: network_name(network, board) for board in network.separate_boards}
    for board, module in boards.items():
        nodes = len(nodes_of(network, board))
        own = values | {"name": module, "module": module, "nodes": nodes}
        own["ports"] = network_ports(network, board)
        files[f"{module}_template.v"] = render("template.v", **own)
    if bench:
        files[f"{name}_testbench.v"] = bench
    if python:
        files[f"{name}_cocotb.py"] = python
    packages = [file for file in files if file.endswith(".sv")]
    core = {"module": top(network)[0], "packages": packages, "boards": boards}
    files[f"{name}.core"] = render("projects/fusesoc.core", **values, **core)
    for each in pins:
        files |= constraints(each, said)
    return files | projects(name, verilog, pins, said)


@checked
def generate(
    network: AnyNetwork,
    directory: Path | str,
    *,
    files: Files = "many",
    costs: Sequence[Mapping[str, Any]] = (),
    progress: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write a network and all that helps to use it to `directory`; return the paths.

    The manifest is the last. All files are complete before the first takes its final name.
    `files` is how the Verilog is split: a file of each module, or one of all. `costs` are for the
    manifest: what parts of this very network were found to cost.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> with TemporaryDirectory() as folder:
    ...     files = generate(build({"name": "ring", **star}), Path(folder), files="one")
    >>> [file.name for file in files]  # doctest: +NORMALIZE_WHITESPACE
    ['ring.v', 'ring.f', 'ring_header.sv', 'ring_header.h',
     'ring_header.py', 'ring_template.v', 'ring_testbench.v', 'ring_cocotb.py', 'ring.core',
     'ring_network_top.sdc', 'ring_network_top.xdc', 'ring_network_top.lpf', 'ring_vivado.tcl',
     'ring_quartus.tcl', 'ring.json']
    """
    name = identifier(network.name)
    tell = progress or (lambda _: None)
    tell("Verilog")
    made = verilog_files(network, files=files)
    verilog = list(made)
    made[f"{name}.f"] = file_list(banner(network), verilog)
    tell("what helps to use it")
    made |= beside(network, verilog)
    tell("manifest")
    made[f"{name}.json"] = as_text(manifest(network, made, costs))
    return write_files(made, Path(directory))
