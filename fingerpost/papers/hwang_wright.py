"""Hwang & Wright, Survival Reliability of Some Double-Loop Networks and Chordal Rings.

Only the first page is at hand (the last of two-phase-1995). It prints no numbers: what is compared
is its one formula, (2.1), as printed and in fractions, with all that can fail counted out.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np

from fingerpost.drawing.picture import INK, PHASES
from fingerpost.golden.reliability.exact import exact, sweep
from fingerpost.golden.reliability.links import Chance, double_loop, enumeration, links
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.digraphs import NAMED, DirectedChordalRing, DoubleLoop
from fingerpost.papers.figures import charts, form, networks
from fingerpost.papers.items import Cell, Item, Ours, item, printed

CASES = {
    "p = 1/2": (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)),
    "p = 9/10, p_a = 4/5, p_b = 7/10": (Fraction(9, 10), Fraction(4, 5), Fraction(7, 10)),
    "p = 1, p_a = p_b = 99/100": (Fraction(1), Fraction(99, 100), Fraction(99, 100)),
    "p = 99/100, p_a = p_b = 1": (Fraction(99, 100), Fraction(1), Fraction(1)),
}
"""p, p_a, p_b; all links work and all nodes work where the printed formula has its limits."""

FIGURE_1 = "DDLCN", "daisy chain", "braided ring"


def equation_2_1(n: int, p: Fraction, q: Fraction, p_a: Fraction, p_b: Fraction) -> Fraction:
    """Return the right side of Eq. (2.1), term by term as it is printed."""
    q_a, q_b = 1 - p_a, 1 - p_b
    total = Fraction(0)
    for k in range(1, n - 1):
        total += n * q**k * p ** (n - k) * (p_a * p_b) ** (n - k - 1)
    either = p_a**n + p_b**n - (p_a * p_b) ** n
    coupled = n * q_a * q_b * (p_a * p_b) ** (n - 1)
    return total + p**n * (either + coupled)


def _pairs(*works: Fraction) -> list[Chance]:
    return [(p, 1 - p) for p in works]


def _theorem(full: bool) -> Iterator[Cell]:
    for column, (p, p_a, p_b) in CASES.items():
        node, *link = _pairs(p, p_a, p_b)
        for n in range(2, 9):
            printed = equation_2_1(n, p, 1 - p, p_a, p_b)
            ours = enumeration(double_loop(n, 1, n - 1), node, link)
            yield Cell(f"n = {n}, counted", column, _text(printed), _text(ours))
        if p < Fraction(99, 100):
            continue  # there is little left to compare in longer rings
        for n in (20, 50, 100) if full else (20,):
            printed = equation_2_1(n, p, 1 - p, p_a, p_b)
            ours = sweep(double_loop(n, 1, n - 1), node, link)
            yield Cell(f"n = {n}, swept", column, _text(printed), _text(ours))


def _text(value: Fraction) -> str:
    """Return a fraction with ten significant digits, which round both sides alike."""
    return f"{float(value):.10g}"


def _definition() -> Iterator[Cell]:
    # Section I: "the set of working (surviving) nodes is strongly connected". One node is.
    p, p_a, p_b = CASES["p = 9/10, p_a = 4/5, p_b = 7/10"]
    node, *link = _pairs(p, p_a, p_b)
    for n in range(2, 6):
        formula = equation_2_1(n, p, 1 - p, p_a, p_b)
        single = comb(n, 1) * p * (1 - p) ** (n - 1)
        yield Cell(
            f"n = {n}",
            "a single survivor too",
            _text(formula + single),
            _text(enumeration(double_loop(n, 1, n - 1), node, link)),
            _text(formula),
            "the sum of (2.1) ends at k = n-2, so a single survivor is no survival",
        )


def _chordal(full: bool) -> Iterator[Cell]:
    # Section I: "any reliability results for the latter applies to the former".
    for column, (p, p_a, p_b) in CASES.items():
        for n in (6, 8, 10) if full else (6, 8):
            # w = n-3 gives DL(n/2, 1, n/2-1), to which (2.1) applies.
            ring = DirectedChordalRing(nodes=n, w=n - 3)
            printed = equation_2_1(n // 2, p**2 * p_a, (1 - p) ** 2, p_a, p_b)
            node, *link = _pairs(p, p_a, p_b)
            ours = enumeration(links(ring), node, link)
            yield Cell(f"n = {n}, w = {n - 3}", column, _text(printed), _text(ours))


def _figure_1() -> Iterator[Ours]:
    for name in FIGURE_1:
        a, b = (step % 7 for step in NAMED[name])
        yield name, "network", f"DL(7, {a}, {b})"


def _draw_figure_1(path: Path) -> None:
    titles = printed("hwang-wright/figure-1").cells
    parts = []
    for letter, name in zip("abc", FIGURE_1, strict=True):
        a, b = (step % 7 for step in NAMED[name])
        loop = DoubleLoop(nodes=7, a=a, b=b)
        parts.append((loop, form(loop), f"({letter}) {titles[name, 'network']}, {name}"))
    networks(path, "Double loops of seven nodes", parts)


def _draw_theorem(path: Path) -> None:
    """Draw the survival of the paper's four networks, of 24 nodes, against p."""
    n, p = 24, np.linspace(0.7, 1, 121)
    loops: dict[str, Topology] = {
        f"{name}, DL({n}, {a}, {b % n})": DoubleLoop(nodes=n, a=a, b=b % n)
        for name, (a, b) in NAMED.items()
    }
    loops["directed chordal ring, w = 3"] = DirectedChordalRing(nodes=n, w=3)
    few = range(70, 101, 3)
    chances = Fraction(1), Fraction(99, 100)
    x, y = "probability p that a node works", f"survival reliability, n = {n}"
    panels = [f"p_a = p_b = {float(p_link):g}" for p_link in chances]
    with charts(path, "Survival of double loops", x, y, panels) as every:
        for axes, p_link in zip(every, chances, strict=True):
            link = float(p_link), float(1 - p_link)
            for (label, topology), colour in zip(loops.items(), PHASES, strict=True):
                found = exact(topology, (p, 1 - p), [link] * 2)
                assert found is not None
                axes.plot(p, found[1], color=colour, linewidth=2, label=label)
            works = [Fraction(percent, 100) for percent in few]
            values = [float(equation_2_1(n, x, 1 - x, p_link, p_link)) for x in works]
            axes.plot(
                [percent / 100 for percent in few],
                values,
                "o",
                markersize=5,
                color=INK,
                label="Eq. (2.1) as printed",
            )


ITEMS: tuple[Item, ...] = (
    item("hwang-wright/figure-1", _figure_1, _draw_figure_1),
    item("hwang-wright/theorem-2.1", _theorem, _draw_theorem),
    item("hwang-wright/definition", _definition),
    item("hwang-wright/chordal-ring", _chordal),
)
