"""`fingerpost draw`: a picture of a network, with a route, loads or faults on it.

A large network is drawn as a matrix: from which node, downwards, to which, to the right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, Unpack

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from fingerpost.drawing import picture
from fingerpost.drawing.form import Form, Points
from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.network import (
    BLANK,
    discs,
    failed,
    letter,
    lines,
    loaded,
    look,
    nodes,
    scale,
    terminals,
)
from fingerpost.drawing.network import route as on_top
from fingerpost.drawing.picture import FAILED, INK, KINDS, LINK, PHASES
from fingerpost.drawing.plan import Plan, plan
from fingerpost.drawing.sheet import WIDE, Entry, Sheet, height, width, wrapped
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Routed
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

SIDE, CELLS = 540, 300
"""Points of the matrix, and cells at most: one cell may stand for many pairs of nodes."""


BY_BOARD = "link on a board", "link between boards"


def adjacency(
    sheet: Sheet,
    topology: Topology,
    route: Mapping[str, Any] | None,
    load: Points | None,
    boards: IntArray | None = None,
) -> list[Entry]:
    """Draw which node has a link to which, and return the legend."""
    whole = topology.whole if isinstance(topology, Faulty) else topology
    n = whole.nodes
    cells = min(n, CELLS)
    node, port = np.nonzero(whole.neighbour >= 0)
    row, column = node * cells // n, whole.neighbour[node, port] * cells // n
    if load is not None:
        legend = _loads(sheet, row, column, load[node, port], cells)
    elif boards is not None:
        legend = _kinds(sheet, row, column, _leaves(whole, boards)[node, port], BY_BOARD, cells)
    else:
        names = [letter(name) for name in whole.port_names]
        legend = _kinds(sheet, row, column, port, names, cells)
    if isinstance(topology, Faulty):
        bad = topology.failed_links[node, port]
        lost = np.isin(node, topology.lost) | np.isin(whole.neighbour[node, port], topology.lost)
        for which, colour, label in ((lost & ~bad, LINK, "lost"), (bad, FAILED, "failed link")):
            if which.any():
                x, y = _at(node[which], whole.neighbour[node, port][which], n)
                sheet.axes.plot(x, y, "x", color=colour, markersize=6, markeredgewidth=1.6)
                legend.append(Entry(label, colour, "x"))
    _frame(sheet, n)
    if route is not None:
        legend += _route(sheet, route, n)
    return legend


def _at(row: Any, column: Any, n: int) -> tuple[Any, Any]:
    """Return where the cell of a pair of nodes is."""
    return (np.asarray(column) + 0.5) * SIDE / n, SIDE - (np.asarray(row) + 0.5) * SIDE / n


def _image(sheet: Sheet, values: Points, colours: list[str], high: float) -> None:
    shown = np.ma.masked_less(values, 0)
    sheet.axes.imshow(
        shown,
        cmap=ListedColormap(colours),
        vmin=0,
        vmax=high,
        extent=(0, SIDE, 0, SIDE),
        interpolation="nearest",
        aspect="auto",
        zorder=1,
    )
    sheet.axes.set_axis_off()


def _kinds(
    sheet: Sheet,
    row: IntArray,
    column: IntArray,
    kind: IntArray,
    names: Sequence[str],
    cells: int,
) -> list[Entry]:
    """Colour cells by kinds of links; where several share one, by the last."""
    cell = np.full((cells, cells), -1.0)
    cell[row, column] = kind
    shades = [KINDS[i % len(KINDS)] for i in range(len(names))]
    _image(sheet, cell, shades, max(1, len(names) - 1))
    if len(names) > len(KINDS):
        return []
    return [Entry(names[i], shades[i], "s") for i in sorted(set(kind.tolist()))]


def _leaves(topology: Topology, boards: IntArray) -> IntArray:
    """Return 1 for links between boards, shape (nodes, degree)."""
    found: IntArray = np.where(boards[topology.neighbour] != boards[:, None], 1, 0)
    return found


def on_boards(form: Form, topology: Topology, boards: IntArray) -> Form:
    """Return a form with the colours of boards, and links between them as another kind."""
    names = tuple(f"board {board}" for board in range(int(boards.max()) + 1))
    kind = _leaves(topology, boards)
    return replace(form, colour=boards, colours=names, kind=kind, kinds=BY_BOARD)


def _loads(sheet: Sheet, row: IntArray, column: IntArray, load: Points, cells: int) -> list[Entry]:
    cell = np.full((cells, cells), -1.0)
    high = float(load.max())
    share = load / high if high > 0 else load
    np.maximum.at(cell, (row, column), share)
    _image(sheet, cell, scale(), 1.0)
    return []


def _frame(sheet: Sheet, n: int) -> None:
    sheet.axes.plot([0, SIDE, SIDE, 0, 0], [0, 0, SIDE, SIDE, 0], color=INK, linewidth=0.8)
    sheet.include(np.array([[0, 0], [SIDE, SIDE]]))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        node = round(share * (n - 1))
        x, y = _at(node, node, n)
        sheet.axes.plot([x, x], [SIDE, SIDE + 4], color=INK, linewidth=0.8)
        sheet.axes.plot([-4, 0], [y, y], color=INK, linewidth=0.8)
        sheet.text(float(x), SIDE + 12, str(node), 9.0)
        sheet.text(-8, float(y), str(node), 9.0, side="right")
    sheet.text(SIDE / 2, SIDE + 26, "a link to node (to the right) from node (downwards)", 9.0)


def _route(sheet: Sheet, route: Mapping[str, Any], n: int) -> list[Entry]:
    """Draw the hops as marks in their cells, and the way on the diagonal between them."""
    names = list(dict.fromkeys(route["phases"]))
    nodes = route["nodes"]
    for hop, phase in enumerate(route["phases"]):
        colour = PHASES[names.index(phase) % len(PHASES)]
        x, y = _at(nodes[hop], nodes[hop + 1], n)
        (left, here), (right, there) = (
            _at(nodes[hop], nodes[hop], n),
            _at(nodes[hop + 1], nodes[hop + 1], n),
        )
        sheet.axes.plot([left, x, right], [here, y, there], color=colour, linewidth=1.6, zorder=3)
        sheet.axes.plot([x], [y], "o", color=colour, markeredgecolor=INK, markersize=8, zorder=4)
    for node, word in ((nodes[-1], "destination"), (nodes[0], "source")):
        x, y = _at(node, node, n)
        sheet.axes.plot([x], [y], "o", color="white", markeredgecolor=INK, markersize=7, zorder=5)
        sheet.text(float(x) + 8, float(y), word, 10.5, style="italic", side="left", bbox=BLANK)
    return [Entry(name or "route", PHASES[i % len(PHASES)], "o") for i, name in enumerate(names)]


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


class Shown(TypedDict, total=False):
    """What is on a picture of a network."""

    route: Mapping[str, Any] | None
    """As returned by `fingerpost.commands.route.facts`."""
    load: Points | None
    """Shape (nodes, degree). What each link carries, as `fingerpost.golden.analysis.loads` finds it
    for this traffic."""
    traffic: str


def draw(network: Routed, path: Path, **shown: Unpack[Shown]) -> None:
    """Draw a network to an SVG or PNG file; the same network gives the same file, byte for byte.

    Raises
    ------
    ValueError
        If the file is to be of another kind.
    """
    picture.kind(path)
    picture.draw(path, partial(figure, network, **shown), spoken(network, **shown))


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
    """Return the picture; see `Shown`."""
    topology = network.topology
    whole = topology.whole if isinstance(topology, Faulty) else topology
    drawn = FORMS.get(topology.family, OTHERS)
    sheet = Sheet()
    note, high, shown = "", 0.0, "nodes"
    if whole.nodes <= drawn.largest:
        form = drawn.form(whole)
        if network.boards is not None:
            form = on_boards(form, whole, network.boards)
        laid = plan(whole, form)
        way = [] if route is None else route["nodes"]
        legend, high = _graph(sheet, laid, topology, route, way, load)
        note = laid.form.note
        named = laid.form.texts is not None or (laid.form.key is not None and not laid.key)
        shown = "names" if named else "nodes"
    elif drawn.quotient and topology is whole and network.boards is None:
        view, form = drawn.quotient(whole)
        way = [] if route is None else [int(whole.orbit[node]) for node in route["nodes"]]
        folded = None if load is None else _folded(whole, load)
        legend, high = _graph(sheet, plan(view, form), view, route, way, folded)
        note = form.note
    else:
        legend = adjacency(sheet, topology, route, load, network.boards)
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
    on = "" if network.boards is None else f", {network.boards.max() + 1} boards"
    return f"{said}, {network.routing.algorithm} routing{on}"


def spoken(
    network: Routed,
    route: Mapping[str, Any] | None = None,
    load: Points | None = None,
    traffic: str = "uniform",
) -> str:
    """Return what the picture shows in words, for those who do not see it."""
    parts = [f"{network.name}: {_said(network)}"]
    if isinstance(network.topology, Faulty):
        parts.append("failed links and nodes")
    if route is not None:
        start, end = route["names"][0], route["names"][-1]
        parts.append(f"the route from {start} to {end} in {route['hops']} hops")
    if load is not None:
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
    legend = nodes(sheet, laid, state) + terminals(sheet, laid) + legend + broken
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
