"""Nodes and lines of a plan on a sheet, what links carry, what has failed, and a route on top."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path as Outline
from matplotlib.typing import LineStyleType

from fingerpost.drawing.form import Points
from fingerpost.drawing.picture import (
    CLASSES,
    FAILED,
    INK,
    KINDS,
    LINK,
    LOADS,
    PAPER,
    PHASES,
    SHADE,
)
from fingerpost.drawing.plan import READ, End, Plan, head, length, shifted
from fingerpost.drawing.sheet import Entry, Sheet, size_for, width
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.faulty import Faulty

NAMED = 12
"""More classes than this have no entry of their own in the legend."""

BLANK = {"boxstyle": "round,pad=0.05", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.8}
"""Behind what would be hard to read on lines."""

Look = tuple[str, float, LineStyleType]
"""Colour, thickness and dashes."""

DASHES: tuple[LineStyleType, ...] = "-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2, 1))
"""Of kinds of links in turn, beside their colours."""


COVERED = 0.12
"""Of the area around the nodes, by lines."""

THIN, THICK = 0.5, 1.4
"""Points."""

SPREAD = np.pi / 5
"""Radians from one terminal of a node to the next: so eight fit on its rim."""

STEPS = 24
"""Colours of the scale of loads."""


def thickness(plan: Plan) -> float:
    """Return how thick a line is: the more of them there is in the picture, the thinner."""
    area = float(np.prod(np.ptp(plan.points, axis=0) + plan.diameter))
    drawn = sum(length(line) for strand in plan.strands for line in strand.lines)
    return max(THIN, min(THICK, COVERED * area / max(drawn, 1.0)))


def discs(sheet: Sheet, plan: Plan) -> None:
    """Shade what belongs together, and name it where there is room."""
    room = 2 * min((d.radius for d in plan.discs), default=0) / 1.5 - plan.diameter - 3
    size = size_for([d.text for d in plan.discs], room, 9.0, READ)
    for disc in plan.discs:
        middle = np.array([disc.x, disc.y])
        sheet.axes.add_patch(Circle((disc.x, disc.y), disc.radius, facecolor=SHADE, zorder=0))
        sheet.include(middle[None], disc.radius)
        if disc.text and size:
            sheet.text(disc.x, disc.y, disc.text, size, color="#5c6b77", zorder=3)


def look(plan: Plan) -> tuple[list[Look], list[Entry]]:
    """Return how each line looks by its kind, and the legend of that."""
    form, thick = plan.form, thickness(plan)
    if form.kind is None or len(form.kinds) < 2:
        return [(LINK, thick, "-")] * len(plan.strands), [Entry("link", LINK)]
    shades = [KINDS[i % len(KINDS)] for i in range(len(form.kinds))]
    kinds = [int(form.kind[strand.ends[0]]) for strand in plan.strands]
    there = sorted(set(kinds))
    dashes = [DASHES[i % len(DASHES)] for i in range(len(form.kinds))]
    entries = [Entry(form.kinds[i], shades[i], dashes=dashes[i]) for i in there]
    looks = [(shades[i], thick, dashes[i]) for i in kinds]
    return looks, entries if len(there) <= NAMED else []


def lines(sheet: Sheet, plan: Plan, looks: Sequence[Look]) -> None:
    """Draw all lines; one-way links with a head at their end."""
    groups: dict[Look, list[Points]] = {}
    heads: dict[str, list[Points]] = {}
    rim, size = plan.diameter / 2 + 0.5, max(3.0, min(8.0, 0.4 * plan.diameter))
    for strand, kind in zip(plan.strands, looks, strict=True):
        drawn = list(strand.lines)
        if plan.topology.directed:
            drawn[-1], tip = head(drawn[-1], rim, size, rim)
            heads.setdefault(kind[0], []).append(tip)
            if strand.both:
                back, tip = head(drawn[0][::-1], rim, size, rim)
                drawn[0] = back[::-1]
                heads[kind[0]].append(tip)
        groups.setdefault(kind, []).extend(drawn)
    for (colour, thick, dashes), some in groups.items():
        strokes(sheet, some, colour, thick, dashes, order=1)
    for colour, tips in heads.items():
        sheet.axes.add_collection(PolyCollection(tips, facecolors=colour, zorder=2))


def strokes(
    sheet: Sheet,
    some: Sequence[Points],
    colour: str,
    thick: float,
    dashes: LineStyleType,
    *,
    order: float,
) -> None:
    """Draw lines of one look as one path."""
    if not some:
        return
    outline = Outline.make_compound_path(*(Outline(line) for line in some))
    sheet.axes.add_patch(
        PathPatch(
            outline,
            facecolor="none",
            edgecolor=colour,
            linewidth=thick,
            linestyle=dashes,
            zorder=order,
            capstyle="butt",
            joinstyle="round",
        )
    )
    sheet.include(np.concatenate(some), thick)


def nodes(sheet: Sheet, plan: Plan, state: Mapping[int, str]) -> list[Entry]:
    """Draw the nodes, what stands in them, and return the legend of their colours.

    Parameters
    ----------
    state : mapping
        The nodes that are ``failed``, or ``cut off``.
    """
    form, d = plan.form, plan.diameter
    count = plan.topology.nodes
    colour = np.zeros(count, np.int64) if form.colour is None else form.colour
    every = colours(int(colour.max()) + 1)
    shades = [every[int(i)] for i in colour]
    fill = [PAPER if i in state else shades[i] for i in range(count)]
    edge = [{"failed": FAILED, "cut off": LINK}.get(state.get(i, ""), INK) for i in range(count)]
    wide = min(0.8, d / 10)
    square = np.zeros(count, np.bool_) if form.square is None else form.square

    def shades_of(some: IntArray) -> dict[str, Any]:
        return {
            "facecolors": [fill[int(i)] for i in some],
            "edgecolors": [edge[int(i)] for i in some],
            "linewidths": wide,
        }

    round_, squares = np.flatnonzero(~square), np.flatnonzero(square)
    if len(round_):
        sheet.circles(plan.points[round_], d, order=4, **shades_of(round_))
    if len(squares):
        corner = d * 0.88 / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        corners = list(plan.points[squares][:, None] + corner)
        sheet.axes.add_collection(PolyCollection(corners, zorder=4, **shades_of(squares)))
    sheet.include(plan.points, d / 2 + 1)
    for i, text in enumerate(plan.texts):
        x, y = plan.points[i].tolist()
        sheet.text(x, y, text, plan.size, bbox=BLANK if i in state else None)
    for i in (i for i, kind in state.items() if kind == "failed"):
        cross = plan.points[i] + d * 0.45 * np.array([[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]])
        strokes(sheet, list(cross), FAILED, max(1.5, d / 12), "-", order=5)
    if not plan.texts:
        _ticks(sheet, plan)
    named = len(form.colours) <= NAMED and len(set(colour.tolist())) > 1
    return [
        Entry(label, every[i], "s" if square[colour == i].any() else "o")
        for i, label in enumerate(form.colours)
        if named and (colour == i).any()
    ]


def terminals(sheet: Sheet, plan: Plan) -> list[Entry]:
    """Draw the terminals at the rims of their nodes, and return their legend.

    Nothing where each node has one, or the form itself tells the nodes that have one.
    """
    topology, d = plan.topology, plan.diameter
    told = len(topology.terminal_nodes) == topology.nodes or plan.form.square is not None
    if topology.local_ports == 1 and told:
        return []
    node, local = np.divmod(topology.terminals, topology.local_ports)
    first = (topology.terminals_at[node] - 1) / 2
    angle = np.pi / 4 + (first - local) * SPREAD
    points = plan.points[node] + d / 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    sheet.circles(points, 0.24 * d, order=6, facecolors=INK, edgecolors=PAPER, linewidths=d / 40)
    sheet.include(points, 0.12 * d)
    return [Entry("terminal", INK, "o")]


def colours(count: int) -> tuple[str, ...]:
    """Return so many colours that numbers can be read on."""
    if count <= len(CLASSES):
        return CLASSES
    strong = mpl.colormaps["rainbow"](np.linspace(0, 1, count))
    return tuple(to_hex(0.55 * colour[:3] + 0.45) for colour in strong)


def _ticks(sheet: Sheet, plan: Plan) -> None:
    for tick in plan.form.ticks:
        way = np.array(tick.way)
        stub = 0.0 if plan.form.stub is None else 12.0
        x, y = plan.points[tick.node] + way * (plan.diameter / 2 + 11 + stub)
        sheet.text(x, y, tick.text, 9.0)


def scale() -> list[str]:
    """Return the colours of loads, from 0 to the greatest."""
    colours = LinearSegmentedColormap.from_list("loads", LOADS)
    return [to_hex(colours(share)) for share in np.linspace(0, 1, STEPS)]


def loaded(plan: Plan, load: Points) -> tuple[list[Look], float]:
    """Return how each line looks by the load of its busier direction, and the greatest load."""
    values = np.array([max(float(load[end]) for end in strand.ends) for strand in plan.strands])
    high = float(values.max())
    share = values / high if high > 0 else values
    colours, thick = scale(), thickness(plan)
    step = np.minimum((share * STEPS).astype(int), STEPS - 1).tolist()
    return [(colours[i], thick * (0.8 + 1.2 * i / STEPS), "-") for i in step], high


def failed(
    sheet: Sheet, plan: Plan, faulty: Faulty, looks: Sequence[Look]
) -> tuple[list[Look], dict[int, str], list[Entry]]:
    """Return how lines look where some have failed, the states of nodes, and their legend."""
    lost = set(faulty.lost.tolist())
    dead = set(faulty.failed_nodes.tolist())
    state = {node: "failed" if node in dead else "cut off" for node in sorted(lost)}
    found = list(looks)
    thick = max(1.4, thickness(plan))
    crosses: list[Points] = []
    gone = False
    for i, strand in enumerate(plan.strands):
        if any(faulty.failed_links[end] for end in strand.ends):
            found[i] = (FAILED, thick, "--")
            crosses += _cross(strand.lines[0], 3.0 + 0.08 * plan.diameter)
        elif any(faulty.neighbour[end] < 0 for end in strand.ends):
            found[i], gone = (LINK, 0.7 * thick, ":"), True
    strokes(sheet, crosses, FAILED, 2.0, "-", order=5)
    entries = [Entry("failed link", FAILED, dashes="--")] if crosses else []
    entries += [Entry("failed node", FAILED, "x")] if dead else []
    entries += [Entry("lost with its node", LINK, dashes=":")] if gone else []
    entries += [Entry("cut off", PAPER, "o")] if lost - dead else []
    return found, state, entries


def _cross(line: Points, size: float) -> list[Points]:
    middle = line[len(line) // 2] if len(line) > 2 else line.mean(axis=0)
    return [middle + size * np.array([[-1, -s], [1, s]]) for s in (1, -1)]


def letter(port_name: str) -> str:
    """Return the name of a port as it is written in pictures."""
    return port_name.replace("^-1", "\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT ONE}")


SMALL = 12.0
"""Diameter of nodes over which a route is drawn, and not between them."""

LETTERS = 16
"""Hops of a route whose links are named on it."""


def route(sheet: Sheet, plan: Plan, facts: Mapping[str, Any], nodes: Sequence[int]) -> list[Entry]:
    """Draw a route, name its hops and its ends, and return the legend of its phases.

    Parameters
    ----------
    facts : mapping
        As of `fingerpost.commands.route.facts`.
    nodes : sequence of int
        The same nodes as `facts` has, in the plan.
    """
    phases, d = facts["phases"], plan.diameter
    names = list(dict.fromkeys(phases))
    colour = {name: PHASES[i % len(PHASES)] for i, name in enumerate(names)}
    thick = max(1.8, min(4.0, d / 7))
    strand = plan.strand
    taken: dict[tuple[End, ...], int] = {}
    letters: list[Points] = []
    drawn: list[Points] = []
    for hop, (node, port, phase) in enumerate(zip(nodes, facts["ports"], phases, strict=False)):
        line = strand[node, port]
        times = taken[line.ends] = taken.get(line.ends, -1) + 1
        forward = 1 if (node, port) == line.ends[0] else -1
        way = [shifted(part, forward * 2 * thick * times) for part in line.way(node, port)]
        drawn += way
        _arrow(sheet, way, d, thick, colour[phase])
        if facts["hops"] <= LETTERS:
            _name(sheet, plan, way[0], letter(facts["port_names"][hop]), colour[phase], letters)
    _ends(sheet, plan, facts, nodes, [*drawn, *letters])
    return [Entry(name or "route", colour[name], thickness=4) for name in names]


def _arrow(sheet: Sheet, way: Sequence[Points], d: float, thick: float, colour: str) -> None:
    rims = [0.0] * (len(way) - 1) + [d / 2 + 1]
    small = d < SMALL
    for line, rim in zip(way, rims, strict=True):
        body, tip = head(line, rim, max(7.0, 3.4 * thick), d / 2)
        # Where nodes leave too little to be seen of a line, it runs over those of its route.
        strokes(sheet, [line if small else body], colour, thick, "-", order=5 if small else 3)
        sheet.axes.add_collection(PolyCollection([tip], facecolors=colour, zorder=5))
        sheet.include(tip)


def _name(
    sheet: Sheet, plan: Plan, line: Points, text: str, colour: str, others: list[Points]
) -> None:
    """Write the name of a hop on its line, where it covers neither a node nor another name."""
    wide = width(text, 10.0, "bold")
    half = max(8.5, wide / 2 + 5)
    if length(line) < plan.diameter + 2 * half + 8:
        return  # the title has it
    at = np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73])
    along = np.linspace(0, 1, len(line))
    spots = np.stack([np.interp(at, along, line[:, axis]) for axis in (0, 1)], axis=1)
    middles = [np.array([[disc.x, disc.y]]) for disc in plan.discs if disc.text]
    blocks = np.concatenate([plan.points, *middles, *others])
    room = np.linalg.norm(spots[:, None] - blocks, axis=2)
    room -= np.where(np.arange(len(blocks)) < len(plan.points), plan.diameter / 2 + half, 2 * half)
    best = int(np.argmax(np.minimum(room.min(axis=1), 2)))
    if room[best].min() < -3:
        return
    x, y = spots[best].tolist()
    others.append(spots[best : best + 1])
    framed = {"boxstyle": "round,pad=0.22,rounding_size=0.6", "facecolor": PAPER}
    framed["edgecolor"] = colour
    sheet.text(x, y, text, 10.0, color=colour, weight="bold", zorder=8, bbox=framed)


def _ends(
    sheet: Sheet,
    plan: Plan,
    facts: Mapping[str, Any],
    nodes: Sequence[int],
    drawn: Sequence[Points],
) -> None:
    """Ring source and destination, and say which is which."""
    d = plan.diameter
    ends = plan.points[[nodes[0], nodes[-1]]]
    sheet.circles(ends, d + 5, order=7, facecolors="none", edgecolors=INK, linewidths=2.0)
    words = {nodes[-1]: "destination", nodes[0]: "source"}
    if nodes[0] == nodes[-1]:
        words = {nodes[0]: "source and destination" if len(nodes) == 1 else "both ends"}
    taken = list(drawn)
    for node, word in words.items():
        x, y = _free(plan, plan.points[node], word, taken)
        taken.append(np.array([[x - 30, y], [x, y], [x + 30, y]]))
        sheet.text(x, y, word, 10.5, style="italic", zorder=9, bbox=BLANK)


def _free(plan: Plan, point: Points, word: str, drawn: Sequence[Points]) -> tuple[float, float]:
    """Return where a word beside a node covers least: nodes, the route, and then lines."""
    half = np.array([width(word, 10.5) / 2 + 3, 8.0])
    outer = point - plan.points.mean(axis=0)
    first = np.arctan2(outer[1], outer[0])
    route = np.concatenate([np.empty((0, 2)), *map(_samples, drawn)])
    lines = np.concatenate([_samples(line) for strand in plan.strands for line in strand.lines])

    def cost(middle: Points) -> float:
        def inside(some: Points, margin: float) -> int:
            return int((np.abs(some - middle) < half + margin).all(axis=1).sum())

        return (
            20 * inside(plan.points, plan.diameter / 2) + 12 * inside(route, 2) + inside(lines, 0)
        )

    spots: list[tuple[float, float, float]] = []
    for away, turn in product((0, 10, 24), range(-7, 9)):
        angle = first + turn * np.pi / 8
        way = np.array([np.cos(angle), np.sin(angle)])
        # So far that the box just touches the ring around the node.
        reach = float((half / np.maximum(np.abs(way), 1e-9)).min()) + plan.diameter / 2 + 5 + away
        middle = point + way * reach
        dear = cost(middle) + 0.2 * abs(turn) + 0.15 * away
        spots.append((round(dear, 6), float(middle[0]), float(middle[1])))
    return min(spots)[1:]


def _samples(line: Points) -> Points:
    return line if len(line) > 2 else np.linspace(line[0], line[-1], 12)
