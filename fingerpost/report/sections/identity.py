"""What the networks are: a table side by side, the distribution of distances, the drawings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fingerpost.drawing import draw as drawing
from fingerpost.drawing import picture
from fingerpost.drawing.axes import plain
from fingerpost.drawing.form import Points
from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.plan import plan
from fingerpost.drawing.strands import cut, head
from fingerpost.drawing.styles import style
from fingerpost.drawing.way import SMALL
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Child, Element, element, table
from fingerpost.report.subject import Subject

FEW = 8
"""Names or numbers that are listed, of perhaps hundreds."""

SAMPLES = 10
"""Of a line that is bent: enough for the eye."""


def strokes(topology: Topology, figure: Figure) -> dict[str, Any] | None:
    """Return nodes and links in the units of the drawing; None if it does not show every node.

    Returns
    -------
    dict
        ``diameter`` of the nodes, ``thick``: of the lines of a route, ``nodes``: x and y of each,
        ``links``: for each node and port the data of an SVG path, empty without a link.
    """
    whole = topology.whole if isinstance(topology, Faulty) else topology
    drawn = FORMS.get(topology.family, OTHERS)
    if whole.nodes > drawn.largest:
        return None
    laid = plan(whole, drawn.form(whole))
    left, top = figure.axes[0].get_xlim()[0], figure.axes[0].get_ylim()[1]
    thick = max(1.8, min(4.0, laid.diameter / 7))
    links = [""] * (whole.nodes * whole.degree)
    for strand in laid.strands:
        for node, port in strand.ends:
            way = strand.way(node, port)
            rims = [0.0] * (len(way) - 1) + [laid.diameter / 2 + 1]
            links[node * whole.degree + port] = "".join(
                _arrow(line, rim, laid.diameter, thick, (left, top))
                for line, rim in zip(way, rims, strict=True)
            )
    return {
        "diameter": round(laid.diameter, 1),
        "thick": round(thick, 1),
        "nodes": [_pair(point, (left, top)) for point in laid.points.tolist()],
        "links": links,
    }


def _arrow(
    line: Points, rim: float, diameter: float, thick: float, corner: tuple[float, float]
) -> str:
    """Return a line between nodes, or over them where they are small, and the head at its end."""
    body, tip = head(line, rim, max(7.0, 2.6 * thick), diameter / 2)
    body = line if diameter < SMALL else cut(body, diameter / 2, 0.0)
    some = body[:: max(1, len(body) // SAMPLES)]
    return (
        f"{_path([*some.tolist()[:-1], body[-1].tolist()], corner)}{_path(tip.tolist(), corner)}Z"
    )


def _path(points: Sequence[Sequence[float]], corner: tuple[float, float]) -> str:
    return "M" + "L".join("{} {}".format(*_pair(point, corner)) for point in points)


def _pair(point: Sequence[float], corner: tuple[float, float]) -> tuple[float, float]:
    """Return a point of the sheet, on which y points up, in the drawing."""
    return round(point[0] - corner[0], 1), round(corner[1] - point[1], 1)


def identity(
    subjects: Sequence[Subject], pictures: Pictures
) -> tuple[list[Element], dict[str, dict[str, Any]]]:
    """Return the section, and for the drawing of each network where its links are."""
    columns = ["", *(subject.name for subject in subjects)]
    told = [_facts(subject.info) for subject in subjects]
    if not any("faults" in subject.info for subject in subjects):
        for each in told:
            del each["failed"]
    facts = table("Facts", columns, [[name, *(each[name] for each in told)] for name in told[0]])
    with picture.style():
        figure = _distances({subject.name: subject.shares for subject in subjects})
    said = "; ".join(f"{subject.name}: {_spoken(subject.shares)}" for subject in subjects)
    far = pictures.inline(figure, f"Distances: {said}", "Distances from a node to all others")
    plots, places = [], {}
    for subject in subjects:
        with picture.style():
            figure = drawing.figure(subject.network)
        label = f"Drawing of {subject.name}, {subject.info['nodes']} nodes"
        drawn = pictures.inline(figure, label, subject.name)
        plots.append(drawn)
        where = strokes(subject.network.topology, figure)
        if where is not None:
            places[subject.name] = {"picture": drawn.get("id"), **where}
    if len(subjects) == 1:  # a narrow table: there is room beside it
        return [element("div", element("div", facts, far), *plots, class_="plots")], places
    return [facts, element("div", far, *plots, class_="plots")], places


def _distances(named: Mapping[str, Sequence[float]]) -> Figure:
    """Return the shares as bars, or of several networks as lines: their bars would be thin."""
    made = Figure(figsize=(7, 4), layout="constrained")
    axes = made.subplots()
    for number, (name, some) in enumerate(named.items()):
        hops, look = np.arange(1, len(some) + 1), style(number)
        if len(named) == 1:
            axes.bar(hops, some, 0.8, color=look["color"])
        else:
            axes.plot(hops, some, label=name, **look)
    axes.set_ylim(0)
    axes.set_xlabel("distance [hops]")
    axes.set_ylabel("fraction of all other nodes")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain(axes, grid="y")
    if len(named) > 1:
        made.legend(loc="outside lower center", ncols=2, frameon=False)
    return made


def _spoken(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.1%} at {hops}" for hops, share in enumerate(shares, start=1))


def _facts(info: Mapping[str, Any]) -> dict[str, Child]:
    constants = [
        f"{key} {told}" for key, value in info["constants"].items() if (told := _short(value))
    ]
    return {
        "family": ", ".join([info["family"], *constants]),
        "nodes": f"{info['nodes']:,}",
        "terminals": f"{info['terminals']:,}",
        "links, each direction counted": f"{info['links']:,}",
        "degree": f"{info['degree']}, ports {_few(info['port_names'])}",
        "direction of links": "unidirectional" if info["directed"] else "bidirectional",
        "diameter [hops]": info["diameter"],
        "mean distance [hops]": f"{info['mean_distance']:.4f}",
        "among terminals [hops]": f"mean {info['terminal_mean_distance']:.4f}, "
        f"maximum {info['terminal_diameter']}",
        "routing": info["algorithm"],
        "header [bits]": info["header"]["width"],
        "failed": _failed(info),
    }


def _short(constant: object) -> str:
    """Return a number, a word, or a few numbers; nothing for whole tables."""
    if isinstance(constant, int | float | str):
        return str(constant)
    if isinstance(constant, list | tuple) and len(constant) <= FEW:
        return " x ".join(map(str, constant)) if all(type(x) is int for x in constant) else ""
    return ""


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (" ..." if len(names) > FEW else "")


def _failed(info: Mapping[str, Any]) -> str:
    if "faults" not in info:
        return "nothing"
    faults = info["faults"]
    return f"{len(faults['links'])} links, {len(faults['nodes'])} nodes"
