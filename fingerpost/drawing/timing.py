"""Timing diagrams: what was seen of signals cycle by cycle, and pictures of that by WaveDrom."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLOURS = {"H": "3", "T": "5", "HT": "7", "": "x"}
"""The boxes that are not as all others, by the first word in them."""

CHANGES = {
    r"<style>@media\(.*?</style>": '<rect width="100%" height="100%" fill="#fff"/>',
    r"text\{font-size:11pt": "text{font-size:10pt",
    r"font-family:Helvetica\}": "font-family:Helvetica,Arial,sans-serif}",
}
"""In WaveDrom's picture: paper for its turning colours round on dark pages, and smaller letters."""


@dataclass(frozen=True)
class Trace:
    """A row of a diagram.

    Attributes
    ----------
    name : str
    seen : tuple of int or str
        The level of a wire, 0 or 1, or what is written into a box; "" where nothing is said.
    """

    name: str
    seen: tuple[int | str, ...]


@dataclass(frozen=True)
class Diagram:
    """What is drawn.

    Attributes
    ----------
    groups : mapping of str to tuple of Trace
        The rows, by what they belong to.
    first : int
        The number of the first cycle.
    step : int
        A number stands at each cycle that it divides.
    dense : bool
        Whether cycles are drawn narrow, and no clock.
    scale : int
        How many times as wide as else a cycle is: for long words.
    """

    groups: Mapping[str, tuple[Trace, ...]]
    first: int = 0
    step: int = 1
    dense: bool = False
    scale: int = 1

    @property
    def title(self) -> str:
        """Return what is drawn in one line: the rows of each group, and how many cycles."""
        cycles = len(next(iter(self.groups.values()))[0].seen)
        rows = "; ".join(
            (f"{name}: " if name else "") + ", ".join(trace.name for trace in traces)
            for name, traces in self.groups.items()
        )
        return f"{cycles} cycles of {rows}"

    def trace(self, name: str) -> tuple[int | str, ...]:
        """Return what was seen in the row of a name."""
        return next(
            trace.seen for traces in self.groups.values() for trace in traces if trace.name == name
        )


def waves(diagram: Diagram) -> dict[str, Any]:
    """Return a diagram as WaveDrom takes it."""
    cycles = len(next(iter(diagram.groups.values()))[0].seen)
    clock = [] if diagram.dense else [{"name": "clk", "wave": "p" + "." * (cycles - 1)}]
    groups = [[name, *map(row, traces)] for name, traces in diagram.groups.items()]
    return {
        "signal": [*clock, *groups],
        "head": {"tick": diagram.first, "every": diagram.step},
        "config": {"skin": "narrower" if diagram.dense else "default", "hscale": diagram.scale},
    }


def boxes(valid: Sequence[int], flits: Sequence[int], *, digits: int = 2) -> tuple[str, ...]:
    """Return what is written for the flits on some wires: if they are head or tail, and data.

    The data is hexadecimal.
    """
    kinds = "", "H ", "T ", "HT "
    return tuple(
        f"{kinds[flit & 3]}{flit >> 2:0{digits}X}" if on else ""
        for on, flit in zip(valid, flits, strict=True)
    )


def row(trace: Trace) -> dict[str, Any]:
    """Return a row: a letter for each cycle, a dot where it is as before, and words of boxes."""
    wave, words, before = "", [], None
    for now in trace.seen:
        if now == before:
            wave += "."
        elif isinstance(now, int):
            wave += str(now)
        else:
            wave += COLOURS.get(now.partition(" ")[0], "4")
            words += [now] if now else []
        before = now
    return {"name": trace.name, "wave": wave, "data": words}


def svg(diagram: Diagram) -> str:
    """Return a diagram as a picture that is black on white wherever it is shown.

    Raises
    ------
    ValueError
        If this is another WaveDrom, whose pictures are otherwise.
    """
    from yowasp_wavedrom import render

    text: str = render(waves(diagram))
    for found, instead in CHANGES.items():
        text, changed = re.subn(found, instead, text, count=1)
        if not changed:
            raise ValueError(f"A picture of WaveDrom needs {found!r} in it, which is changed")
    return f"{text}\n"
