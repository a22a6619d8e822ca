"""A diagram as SVG, by WaveDrom."""

import re
from typing import Any

from yowasp_wavedrom import render

from scripts.waves.trace import Diagram, Lane

__all__ = ["svg", "waves"]

COLOURS = {"H": "3", "T": "5", "HT": "7", "": "x"}
"""The boxes that are not as all others, by the first word in them."""

CHANGES = {
    r"<style>@media\(.*?</style>": '<rect width="100%" height="100%" fill="#fff"/>',
    r"text\{font-size:11pt": "text{font-size:10pt",
    r"font-family:Helvetica\}": "font-family:Helvetica,Arial,sans-serif}",
}
"""In WaveDrom's picture: paper for its turning colours round on dark pages, and smaller letters."""


def waves(diagram: Diagram) -> dict[str, Any]:
    """Return a diagram as WaveDrom takes it."""
    cycles = len(next(iter(diagram.groups.values()))[0].seen)
    clock = [] if diagram.dense else [{"name": "clk", "wave": "p" + "." * (cycles - 1)}]
    groups = [[name, *map(row, lanes)] for name, lanes in diagram.groups.items()]
    return {
        "signal": [*clock, *groups],
        "head": {"tick": diagram.first, "every": diagram.step},
        "config": {"skin": "narrower" if diagram.dense else "default"},
    }


def row(lane: Lane) -> dict[str, Any]:
    """Return a row: a letter for each cycle, a dot where it is as before, and words of boxes."""
    wave, words, before = "", [], None
    for now in lane.seen:
        if now == before:
            wave += "."
        elif isinstance(now, int):
            wave += str(now)
        else:
            wave += COLOURS.get(now.partition(" ")[0], "4")
            words += [now] if now else []
        before = now
    return {"name": lane.name, "wave": wave, "data": words}


def svg(diagram: Diagram) -> str:
    """Return a diagram as a picture that is black on white wherever it is shown."""
    text = render(waves(diagram))
    for found, instead in CHANGES.items():
        text, changed = re.subn(found, instead, text, count=1)
        if not changed:
            raise ValueError(f"A picture of WaveDrom needs {found!r} in it, which is changed")
    return f"{text}\n"
