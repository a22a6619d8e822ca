"""De Azevedo et al., Average Distance and Routing Algorithms in the Star-Connected Cycles."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np

from fingerpost.drawing.picture import INK, PHASES
from fingerpost.golden.algebra.star_cycles import bsymbols, leaders, move_in, ring_distance, swap
from fingerpost.golden.analysis.scc import (
    averages,
    diameter_bound,
    length_bound,
    mean_lateral,
    mean_move_between,
    mean_move_in,
    minimal_laterals,
    route_length,
    simulated,
)
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.star import Scc
from fingerpost.papers.figures import as_printed, charts
from fingerpost.papers.items import Cell, Item, Ours, Value, item, printed

PAPER = "star-connected-cycles-1995"

SIZES = range(3, 10)

Series = tuple[str, str, Sequence[float], Sequence[str] | None]
"""Name, colour, our values, and the printed ones, each for n = 3, 4, ..."""


def _row(table: int, name: str) -> list[str]:
    """Return a row of Table 1 or 2 as printed."""
    return printed(f"{PAPER}/table-{table}").row(name)


def _sizes(full: bool) -> range:
    return SIZES if full else range(3, 9)


def _table_1(full: bool) -> Iterator[Ours]:
    for n in _sizes(full):
        minimal = averages(n, "minimal")
        ours: Mapping[str, Value] = {
            "graph size": f"{sum(minimal.distribution):,}",
            "diameter": len(minimal.distribution) - 1,
            "lateral links": minimal.lat,
            "MI local links": minimal.mi,
            "MB local links": minimal.mb,
            "local links": minimal.loc,
            "average distance": minimal.length,
        }
        for row, value in ours.items():
            yield row, f"n = {n}", value


def _table_2(full: bool) -> Iterator[Ours]:
    for n in _sizes(full):
        ours: Mapping[str, Value] = {
            "minimal": averages(n, "minimal").length,
            "greedy": averages(n, "greedy").length,
            "random, theoretical": float(length_bound(n)),
            "random, simulated": averages(n, "random").length,  # over all routes, by their chance
            "random, worst case": averages(n, "random, worst case").length,
        }
        for row, value in ours.items():
            yield row, f"n = {n}", value


def _section_2(full: bool) -> Iterator[Ours]:
    """Compare the counts of the graph, and Eq. (1)."""
    for n in range(3, 8):
        scc, column = Scc(n=n), f"n = {n}"
        yield "nodes", column, scc.nodes
        yield "lateral links", column, scc.nodes // 2
        yield "local links", column, scc.nodes * (scc.degree - 1) // 2
        yield "degree", column, scc.degree
    for n in _sizes(full):
        yield "Eq. (1)", f"n = {n}", diameter_bound(n)


def _cycles(label: str) -> str:
    """Return the r-cycles in canonical form, such as ``(1 2 6)(3 5)(4)``."""
    p = [int(symbol) for symbol in label]
    text = ""
    for start in np.unique(leaders(np.array(p))).tolist():
        cycle, s = [start], p[start - 1]
        while s != start:
            cycle.append(s)
            s = p[s - 1]
        text += "(" + " ".join(map(str, cycle)) + ")"
    return text


def _section_3() -> Iterator[Ours]:
    """Compare the examples of the definitions."""
    yield "265431", "r-cycles", _cycles("265431")
    yield "34125", "r-cycles", _cycles("34125")
    only = np.array([1, 6, 3, 2, 5, 4, 7])
    yield "(2 6 4), n = 7", "MI local links", int(move_in(only, ring_distance(7)))
    d = ring_distance(7)
    steps = " + ".join(str(d[a - 1, b - 1]) for a, b in pairwise((2, 6, 4, 2)))
    yield "(2 6 4), n = 7", "d(2,6) + d(6,4) + d(4,2)", steps


def _section_4() -> Iterator[Ours]:
    """Compare the examples of routes."""
    p, name = np.array([3, 4, 1, 2, 5]), "<3, 34125> to <2, 12345>"
    inner = int(move_in(p, ring_distance(5)))
    for links in ((2, 4, 2, 3), (3, 2, 4, 2)):
        length = route_length(3, links, 2, 5)
        yield name, f"{links}: length", length
        yield name, f"{links}: MI local links", inner
        yield name, f"{links}: MB local links", length - len(links) - inner
    yield name, "shortest", route_length(3, minimal_laterals(3, p, 2), 2, 5)
    # "some possible sequences": all those with the fewest lateral links, in fact.
    sequences = sorted(_sequences(np.array([2, 3, 1, 5, 4])))
    yield "23154 to 12345", "lateral links", " ".join(sequences)


def _sequences(p: IntArray) -> list[str]:
    """Return all shortest sequences of lateral links to the identity."""
    links = (np.flatnonzero(bsymbols(p)) + 1).tolist()
    return [f"{b}{rest}" for b in links for rest in _sequences(swap(p, b))] or [""]


def _figure_4(full: bool) -> Iterator[Cell]:
    """Section 5: lateral and MI local links "match exactly" Eqs. (6) and (9)."""
    for n in _sizes(full):
        minimal, column = averages(n, "minimal"), f"n = {n}"
        yield Cell("lateral links, Eq. (6)", column, f"{float(mean_lateral(n)):.9f}", minimal.lat)
        yield Cell("MI local links, Eq. (9)", column, f"{float(mean_move_in(n)):.9f}", minimal.mi)


def _figure_5(full: bool) -> Iterator[Cell]:
    """Section 5: greedy is minimal for n = 3 and 4, and both outperform random routing."""
    for n in _sizes(full):
        links = {name: round(averages(n, name).mb, 9) for name in ("minimal", "greedy", "random")}
        ours = " ".join(
            f"{a} {'=' if links[a] == links[b] else '<' if links[a] < links[b] else '>'}"
            for a, b in pairwise(links)
        )
        printed = f"minimal {'=' if n <= 4 else '<'} greedy < random"
        yield Cell("MB local links", f"n = {n}", printed, f"{ours} random")


def _figure_6(full: bool) -> Iterator[Cell]:
    """Every curve counts every node of SCC_9 once."""
    if full:
        nodes_printed = _row(1, "graph size")[-1]
        for name in ("minimal", "greedy", "random, worst case"):
            nodes = sum(averages(9, name).distribution)
            yield Cell(name, "nodes", nodes_printed, f"{nodes:,}")
        yield Cell("random", "nodes", nodes_printed, f"{sum(simulated(9)):,}")


def _draw(path: Path, title: str, y: str, series: Sequence[Series]) -> None:
    """Draw averages against n."""
    with charts(path, title, "n", y) as (axes,):
        for name, colour, values, printed in series:
            ours = {"linestyle": "-"} if printed else {"linestyle": "--", "zorder": 3}
            axes.plot(SIZES, values, color=colour, linewidth=2, label=name, **ours)
            if printed:
                as_printed(axes, SIZES, [float(value) for value in printed], colour)
        as_printed(axes, [], [], INK, "as printed")


def _draw_figure_4(path: Path) -> None:
    """Draw the average distance and its parts under minimal routing."""
    minimal = [averages(n, "minimal") for n in SIZES]
    _draw(
        path,
        "Average distances under minimal routing",
        "links of a route, average",
        [
            ("distance", INK, [a.length for a in minimal], _row(1, "average distance")),
            ("MI local links", PHASES[0], [a.mi for a in minimal], _row(1, "MI local links")),
            ("lateral links", PHASES[1], [a.lat for a in minimal], _row(1, "lateral links")),
            ("MB local links", PHASES[2], [a.mb for a in minimal], _row(1, "MB local links")),
        ],
    )


def _draw_figure_5(path: Path) -> None:
    """Draw the average number of MB local links of the algorithms.

    Table 2 prints lengths only: less the lateral and the MI local links of Table 1.
    """
    printed = {
        name: [
            str(Decimal(length) - Decimal(lat) - Decimal(mi))
            for length, lat, mi in zip(
                _row(2, row), _row(1, "lateral links"), _row(1, "MI local links"), strict=True
            )
        ]
        for name, row in (("random", "random, simulated"), ("greedy", "greedy"))
    }
    printed["minimal"] = _row(1, "MB local links")
    bound = [float(mean_move_between(n)) for n in SIZES]
    series: list[Series] = [("random, Eq. (12)", INK, bound, None)]
    for name, colour in zip(("random", "greedy", "minimal"), PHASES, strict=False):
        values = [averages(n, name).mb for n in SIZES]
        series.append((name, colour, values, printed[name]))
    _draw(
        path, "MB local links and routing algorithms", "MB local links of a route, average", series
    )


def _draw_figure_6(path: Path) -> None:
    """Draw how many nodes of SCC_9 have a route of each length to the identity."""
    counts = {
        "minimal": averages(9, "minimal").distribution,
        "greedy": averages(9, "greedy").distribution,
        "random, a route from each node": simulated(9),
        "random, worst case": averages(9, "random, worst case").distribution,
    }
    title = "Distribution of route lengths in SCC(9), 2,903,040 nodes"
    x, y = "length of the route to the identity (hops)", "nodes with a route of this length"
    with charts(path, title, x, y) as (axes,):
        for (name, count), colour in zip(counts.items(), (INK, *PHASES), strict=False):
            axes.plot(count, color=colour, linewidth=2, label=name)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(left=0)


ITEMS: tuple[Item, ...] = (
    item(f"{PAPER}/section-2", _section_2),
    item(f"{PAPER}/section-3", _section_3),
    item(f"{PAPER}/section-4", _section_4),
    item(f"{PAPER}/table-1", _table_1),
    item(f"{PAPER}/table-2", _table_2),
    item(f"{PAPER}/figure-4", _figure_4, _draw_figure_4),
    item(f"{PAPER}/figure-5", _figure_5, _draw_figure_5),
    item(f"{PAPER}/figure-6", _figure_6, _draw_figure_6),
)
