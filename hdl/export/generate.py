"""The files that `fingerpost generate` writes."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.emit.network import around_network, network_verilog, node_verilog, parts_verilog
from fingerpost.hdl.emit.written import as_text, write_files
from fingerpost.hdl.export.files import beside, file_list
from fingerpost.hdl.lib.banner import banner
from fingerpost.hdl.lib.ports import identifier


def generate(
    network: AnyNetwork,
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
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> with TemporaryDirectory() as folder:
    ...     files = generate(build({"name": "ring", **star}), Path(folder))
    >>> [file.name for file in files]  # doctest: +NORMALIZE_WHITESPACE
    ['ring_router.v', 'ring_network.v', 'ring.f', 'ring_header.sv', 'ring_header.h',
     'ring_header.py', 'ring_template.v', 'ring_testbench.v', 'ring_cocotb.py', 'ring.core',
     'ring_network_top.sdc', 'ring_network_top.xdc', 'ring_network_top.lpf', 'ring_vivado.tcl',
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
    files[f"{name}.f"] = file_list(banner(network), verilog)
    tell("what helps to use it")
    files |= beside(network, verilog)
    tell("manifest")
    files[f"{name}.json"] = as_text(manifest(network, files, costs))
    return write_files(files, Path(directory))
