"""The first difference of a co-simulation, as a picture and as a view of its waveform."""

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from vcd.gtkw import GTKWSave

from fingerpost.drawing.picture import adapting
from fingerpost.drawing.timing import Diagram, Trace, svg
from fingerpost.jobs.files import write_text
from fingerpost.testbench.compiled.wiring import ports

RESET_NS, CYCLE_NS = 5, 2
"""Cycle c is in a waveform of cocotb's from 5 + 2 c ns on: three cycles of reset come before it,
and all of the parts of the run before, and their resets."""

PAYLOAD = "head", "tail", "data"


def files(result: Any) -> dict[str, str]:
    """Write picture and view beside the waveform, and return their paths; none without one."""
    told = result.details.get("difference")
    if not told or result.waveform is None:
        return {}
    waveform = Path(result.waveform)
    picture = waveform.with_name("difference.svg")
    drawn = diagram(told)
    write_text(picture, adapting(svg(drawn), drawn.title))
    found = {"picture": str(picture)}
    if result.bench.engine == "cocotb":
        saved = waveform.with_name("difference.gtkw")
        top = ("TOP." if result.simulator == "verilator" else "") + f"{result.bench.top}.n"
        sources = Path(result.results_xml).parent / "sources"
        write_text(saved, view(told, waveform=waveform, top=top, sources=sources))
        found["view"] = str(saved)
    return found


def diagram(told: Mapping[str, Any]) -> Diagram:
    """Return what model and hardware had at the place of the difference, up to its cycle."""
    model, hardware = told["model"], told["hardware"]
    where = "terminal" if told["port"] is None else f"port {told['port']}"
    cycles = len(model[told["field"]])
    return Diagram(
        {
            f"{name}: {where} of node {told['node']}": tuple(
                Trace(field, shown(field, seen)) for field in seen
            )
            for name, seen in (("model", model), ("hardware", hardware))
        }
        | {"": (Trace(f"{told['field']} differs", (*[0] * (cycles - 1), 1)),)},
        first=told["cycle"] - cycles + 1,
    )


def shown(field: str, seen: Mapping[str, list[int]]) -> tuple[int | str, ...]:
    """Return the row of a field: levels if it is never above 1, else boxes."""
    valid = (
        seen.get("valid", [1] * len(seen[field])) if field in PAYLOAD else [1] * len(seen[field])
    )
    if field != "data" and max(seen[field]) <= 1:
        return tuple(each if on else 0 for each, on in zip(seen[field], valid, strict=True))
    return tuple(f"{each:X}" if on else "" for each, on in zip(seen[field], valid, strict=True))


def view(told: Mapping[str, Any], *, waveform: Path, top: str, sources: Path) -> str:
    """Return a view for GTKWave: the ports of the node, those that differ first, at the cycle.

    Raises
    ------
    ValueError
        If the node is not in the sources.
    """
    network = (sources / "network.v").read_text(encoding="utf-8")
    instance = rf"^  (\w+)(?: #\(.*?\))? node_{told['node']}\([^\n]*(.*?)\);"
    place = re.search(instance, network, flags=re.M | re.S)
    if place is None:
        raise ValueError(f"{sources}: there is no node_{told['node']} in network.v")
    module, connections = place.groups()
    declared = ports((sources / f"{module}.v").read_text(encoding="utf-8"))[module]
    widths = {port.name: port.width for port in declared}
    traced = [port for port in re.findall(r"\.(\w+)\(", connections) if port in widths]
    end = ("inject", "eject") if told["port"] is None else (f"outputs__{told['port']}_",)
    traced.sort(key=lambda port: (port not in ("clk", "rst"), not port.startswith(end)))
    written = StringIO()
    save = GTKWSave(written)
    save.dumpfile(str(waveform), abspath=False)
    cycle = told["before"] + told["cycle"]
    save.timestart(max(0, RESET_NS + CYCLE_NS * (cycle - 10)))
    save.zoom_markers(zoom=-3.0, marker=RESET_NS + CYCLE_NS * cycle)
    save.treeopen(f"{top}.node_{told['node']}.")
    for port in traced:
        bits = f"[{widths[port] - 1}:0]" if widths[port] > 1 else ""
        save.trace(f"{top}.node_{told['node']}.{port}{bits}")
    return written.getvalue()
