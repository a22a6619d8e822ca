"""`fingerpost draw`: a picture of a network, with a route, loads or faults on it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fingerpost.drawing import picture
from fingerpost.drawing.adjacency import adjacency
from fingerpost.drawing.form import Points
from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.network import discs, failed, letter, lines, loaded, look, nodes, scale
from fingerpost.drawing.plan import Plan, plan
from fingerpost.drawing.sheet import WIDE, Entry, Sheet, height, width, wrapped
from fingerpost.drawing.way import route as on_top
from fingerpost.golden.network.network import Routed
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

SIZE = 9.0


def listed(sheet: Sheet, names: Sequence[str]) -> None:
    """Write what the nodes are called, column by column; too long a name takes several lines."""
    entries = [wrapped(f"{node}  {name}", SIZE, WIDE) for node, name in enumerate(names)]
    widest = max(width(line, SIZE) for entry in entries for line in entry) + 18
    columns = max(1, min(int((WIDE + 18) // widest), len(entries)))
    rows = -(-len(entries) // columns)
    left = float(sheet.low[0] + sheet.high[0] - columns * widest) / 2 + 9
    top = float(sheet.low[1]) - 16
    for column in range(columns):
        y = top
        for entry in entries[column * rows : (column + 1) * rows]:
            for line in entry:
                sheet.text(left + column * widest, y, line, SIZE, side="left")
                y -= height(1, SIZE) + 1


LETTERS = 30
"""A route of more has no room in the title."""


def draw(
    network: Routed,
    path: Path,
    *,
    route: Mapping[str, Any] | None = None,
    load: Points | None = None,
    traffic: str = "uniform",
) -> None:
    """Draw a network to an SVG or PNG file; the same network gives the same file, byte for byte.

    Parameters
    ----------
    route : mapping, optional
        As returned by `fingerpost.commands.route.facts`.
    load : (nodes, degree), optional
        What each link carries, as `fingerpost.golden.analysis.loads` finds it for this traffic.

    Raises
    ------
    ValueError
        If the file is to be of another kind.
    """
    picture.kind(path)
    with picture.style():
        made = figure(network, route=route, load=load, traffic=traffic)
    picture.save(made, path, title=spoken(network, route, load is not None, traffic))


def svg(network: Routed) -> str:
    """Return the picture of a network as the text of an SVG file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.svg"
        draw(network, path)
        return path.read_text(encoding="utf-8")


def figure(
    network: Routed,
    *,
    route: Mapping[str, Any] | None = None,
    load: Points | None = None,
    traffic: str = "uniform",
) -> Figure:
    """Return the picture; see `draw`."""
    topology = network.topology
    whole = topology.whole if isinstance(topology, Faulty) else topology
    drawn = FORMS.get(topology.family, OTHERS)
    sheet = Sheet()
    note, high, shown = "", 0.0, "nodes"
    if whole.nodes <= drawn.largest:
        laid = plan(whole, drawn.form(whole))
        way = [] if route is None else route["nodes"]
        legend, high = _graph(sheet, laid, topology, route, way, load)
        note = laid.form.note
        named = laid.form.texts is not None or (laid.form.key is not None and not laid.key)
        shown = "names" if named else "nodes"
    elif drawn.quotient and topology is whole:
        view, form = drawn.quotient(whole)
        way = [] if route is None else [int(whole.orbit[node]) for node in route["nodes"]]
        folded = None if load is None else _folded(whole, load)
        legend, high = _graph(sheet, plan(view, form), view, route, way, folded)
        note = form.note
    else:
        legend = adjacency(sheet, topology, route, load)
        if load is not None:
            high = float(load[topology.neighbour >= 0].max())
        note = "links as a matrix"
    if load is not None:
        said = f"channel load at injection rate 1 [flits per cycle], {traffic} traffic"
        sheet.scale(high, scale(), said)
    said = _said(network) + (f"; {note}" if note else "")
    return sheet.finish(_title(network.name, route, shown), [said], legend)


def _said(network: Routed) -> str:
    topology = network.topology
    said = f"{topology.family}, {topology.nodes} nodes, degree {topology.degree}"
    return f"{said}, {network.routing.algorithm} routing"


def spoken(network: Routed, route: Mapping[str, Any] | None, loads: bool, traffic: str) -> str:
    """Return what the picture shows in words, for those who do not see it."""
    parts = [f"{network.name}: {_said(network)}"]
    if isinstance(network.topology, Faulty):
        parts.append("failed links and nodes")
    if route is not None:
        start, end = route["names"][0], route["names"][-1]
        parts.append(f"the route from {start} to {end} in {route['hops']} hops")
    if loads:
        parts.append(f"channel loads of {traffic} traffic")
    return "; ".join(parts)


def _graph(
    sheet: Sheet,
    laid: Plan,
    topology: Topology,
    route: Mapping[str, Any] | None,
    way: list[int],
    load: Points | None,
) -> tuple[list[Entry], float]:
    """Draw nodes and lines with all that is on them; return legend and the greatest load."""
    discs(sheet, laid)
    high = 0.0
    state: dict[int, str] = {}
    broken: list[Entry] = []
    if load is None:
        looks, legend = look(laid)
    else:
        (looks, high), legend = loaded(laid, load), []
    if isinstance(topology, Faulty):
        looks, state, broken = failed(sheet, laid, topology, looks)
    lines(sheet, laid, looks)
    legend = nodes(sheet, laid, state) + legend + broken
    if route is not None:
        legend += on_top(sheet, laid, route, way)
    if laid.key:
        listed(sheet, laid.key)
    return legend, high


def _folded(topology: Topology, load: Points) -> Points:
    """Return the load of the busiest link of every class and port."""
    folded = np.zeros((int(topology.orbit.max()) + 1, topology.degree))
    np.maximum.at(folded, topology.orbit, load)
    return folded


def _title(name: str, route: Mapping[str, Any] | None, shown: str) -> str:
    if route is None:
        return name
    source, destination = route[shown][0], route[shown][-1]
    letters = " ".join(map(letter, route["port_names"])) or "nothing to do"
    how = f"by {letters}" if len(letters) <= LETTERS else f"in {route['hops']} hops"
    return f"{name}: {source} to {destination} {how}"
