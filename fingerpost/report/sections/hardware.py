"""What a router costs: bits of routing tables, area and clock frequency."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fingerpost.cost.cost import COUNTS
from fingerpost.drawing import picture
from fingerpost.drawing.axes import plain
from fingerpost.drawing.picture import BLUE, OCHRE, PAPER
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Child, Element, element, table
from fingerpost.report.subject import Subject


def hardware(
    subjects: Sequence[Subject],
    costs: Mapping[str, Sequence[Mapping[str, Any]]],
    pictures: Pictures,
) -> list[Element]:
    """Return the section."""
    rows = [row for subject in subjects for row in _tables(subject)]
    parts = [
        table(
            "Routing tables of a router",
            ("network", "algorithm", "tables [bits]", "header [bits]"),
            rows,
        )
    ]
    found = [cost for subject in subjects for cost in costs[subject.name]]
    if not found:
        return parts
    shown = []
    for cost in found:
        with picture.style():
            figure = _areas(cost)
        said = ", ".join(f"{part} {cells['lut4']}" for part, cells in cost["parts"].items())
        whose = f"{cost['network']} on {cost['device']}"
        plot = pictures.inline(figure, f"Parts of {whose}, LUT4: {said}", f"Parts of {whose}")
        shown += [_parts(cost), plot]
    return [*parts, _whole(found), element("div", *shown, class_="plots")]


def _tables(subject: Subject) -> Iterator[list[Child]]:
    """Yield what the tables of a router may be: of a deflection router, what it is."""
    info = subject.info
    if "router" in info:
        table = info["router"]["table"]
        bits = table["entries"] * table["width"]
        yield [subject.name, "productive ports and distance", f"{bits:,}", info["header"]["width"]]
        return
    for each in info["algorithms"]:
        yield [subject.name, each["algorithm"], f"{each['table_bits']:,}", each["header_width"]]
    ports = int(info["terminals"] * max(1, int(info["degree"]).bit_length()))
    name = max(1, int(info["nodes"] - 1).bit_length())
    yield [subject.name, "port table, an entry per destination", f"{ports:,}", name]


def _areas(cost: Mapping[str, Any]) -> Figure:
    """Return the parts as bars, the largest above."""
    parts = sorted(cost["parts"].items(), key=lambda part: part[1]["lut4"])
    figure = Figure(figsize=(7, 1.2 + 0.34 * len(parts)), layout="constrained")
    axes = figure.subplots()
    place = np.arange(len(parts))
    counts = ("lut4", 0.2, BLUE, ""), ("flip_flops", -0.2, OCHRE, "///")
    for name, shift, colour, hatch in counts:
        cells = [part[1].get(name, 0) for part in parts]
        axes.barh(
            place + shift, cells, 0.4, label=COUNTS[name], color=colour, hatch=hatch, ec=PAPER
        )
    axes.set_yticks(place, [part[0] for part in parts])
    axes.set_xlabel("cells")
    plain(axes, grid="x")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _whole(found: Sequence[Mapping[str, Any]]) -> Element:
    counts = [name for name in COUNTS if all(name in cost for cost in found)]
    columns = ["network", "part", "node", "on", *(COUNTS[name] for name in counts), "Fmax [MHz]"]
    rows = [
        [
            cost["network"],
            cost.get("part", "router"),
            _node(cost),
            cost["device"],
            *(f"{cost[name]:,}" for name in counts),
            f"{cost['fmax_mhz']['median']:.1f}",
        ]
        for cost in found
    ]
    return table("Area and speed", columns, rows)


def _node(cost: Mapping[str, Any]) -> str:
    """Return the node whose constants are tied; a network has all."""
    if cost["node"] is not None:
        return str(cost["node"])
    return "all" if cost.get("kind") == "network" else "any"


def _parts(cost: Mapping[str, Any]) -> Element:
    counts = list(COUNTS)[2:]
    rows = [
        [part, *(f"{cells.get(name, 0):,}" for name in counts)]
        for part, cells in cost["parts"].items()
    ]
    caption = f"Area of {cost['network']} on {cost['device']} by component, each synthesised alone"
    return table(caption, ["part", *(COUNTS[name] for name in counts)], rows)
