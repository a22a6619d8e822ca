"""Nodes and lines of a plan on a sheet, what links carry, and what has failed."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path as Outline
from matplotlib.typing import LineStyleType

from fingerpost.drawing.form import Points
from fingerpost.drawing.picture import CLASSES, FAILED, INK, KINDS, LINK, LOADS, PAPER, SHADE
from fingerpost.drawing.plan import READ, Plan, head, length
from fingerpost.drawing.sheet import Entry, Sheet, size_for
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
