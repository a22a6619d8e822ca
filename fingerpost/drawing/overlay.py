"""What links carry, and what has failed, on top of a network."""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_hex

from fingerpost.drawing.form import Points
from fingerpost.drawing.network import Look, strokes, thickness
from fingerpost.drawing.picture import FAILED, LINK, LOADS, PAPER
from fingerpost.drawing.plan import Plan
from fingerpost.drawing.sheet import Entry, Sheet
from fingerpost.golden.topology.faulty import Faulty

__all__ = ["failed", "letter", "loaded", "scale"]

STEPS = 24
"""Colours of the scale of loads."""


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
