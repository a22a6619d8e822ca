"""The files beside the Verilog, and the list of those that are it."""

from collections.abc import Sequence
from importlib.metadata import version

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.network import top
from fingerpost.hdl.export.benches import cocotb_bench, verilog_bench
from fingerpost.hdl.export.constraints import constraints, network_pins
from fingerpost.hdl.export.headers import header_files
from fingerpost.hdl.export.projects import projects
from fingerpost.hdl.export.registers import counter_files, mailbox_files
from fingerpost.hdl.export.render import render
from fingerpost.hdl.lib.banner import banner
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.terminal.credit import CreditTerminalEnd


def file_list(banner: Sequence[str], verilog: Sequence[str]) -> str:
    """Return the text of the list of Verilog files, which stand beside it."""
    return "\n".join([*(f"// {line}" for line in banner), *verilog, ""])


def beside(network: AnyNetwork, verilog: Sequence[str]) -> dict[str, str]:
    """Return the texts of all that helps to use some Verilog files, by name of file."""
    name, said, pins = identifier(network.name), banner(network), network_pins(network)
    module, ports = top(network)
    bench, python = verilog_bench(network), cocotb_bench(network)
    speaks_flits = network.terminal.kind == CreditTerminalEnd.kind
    values = {
        "name": name,
        "banner": said,
        "version": version("fingerpost"),
        "verilog": verilog,
        "module": module,
        "ports": ports,
        "nodes": network.topology.nodes,
        "flit_width": network.flit.width if speaks_flits else None,
        "has_bench": bench is not None,
        "constrained": pins[0].module if len(pins) == 1 and pins[0].synchronizers else None,
    }
    files = header_files(network) | counter_files(network) | mailbox_files(network)
    files[f"{name}_template.v"] = render("template.v", **values)
    if bench:
        files[f"{name}_testbench.v"] = bench
    if python:
        files[f"{name}_cocotb.py"] = python
    files[f"{name}.core"] = render("projects/fusesoc.core", **values)
    for each in pins:
        files |= constraints(each, said)
    return files | projects(name, verilog, pins, said)
