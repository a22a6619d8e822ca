"""A route on top of a network."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection

from fingerpost.drawing.form import Points
from fingerpost.drawing.network import BLANK, letter, strokes
from fingerpost.drawing.picture import INK, PAPER, PHASES
from fingerpost.drawing.plan import End, Plan, head, length, shifted
from fingerpost.drawing.sheet import Entry, Sheet, width

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
