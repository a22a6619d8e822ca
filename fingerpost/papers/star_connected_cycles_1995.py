"""De Azevedo et al., Average Distance and Routing Algorithms in the Star-Connected Cycles."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fingerpost.drawing.picture import INK, LINK, PAPER, PHASES, save, style
from fingerpost.golden.algebra.star_cycles import (
    bsymbols,
    leaders,
    move_in,
    ring_distance,
    swap,
)
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
from fingerpost.papers.cells import Cell, Item, Value

SIZES = range(3, 10)

TABLE_1 = {
    "graph size": ("12", "72", "480", "3,600", "30,240", "282,240", "2,903,040"),
    "diameter": ("6", "8", "16", "19", "31", "34", "50"),
    "lateral links": ("1.500", "2.583", "3.683", "4.783", "5.879", "6.968", "8.051"),
    "MI local links": ("0.667", "1.500", "3.200", "5.000", "7.714", "10.500", "14.222"),
    "MB local links": ("0.833", "1.222", "1.925", "2.337", "2.924", "3.334", "3.873"),
    "local links": ("1.500", "2.722", "5.125", "7.337", "10.638", "13.834", "18.096"),
    "average distance": ("3.000", "5.306", "8.808", "12.121", "16.517", "20.802", "26.147"),
}

TABLE_2 = {
    "minimal": ("3.000", "5.306", "8.808", "12.121", "16.517", "20.802", "26.147"),
    "greedy": ("3.000", "5.305", "8.812", "12.215", "16.707", "21.109", "26.570"),
    "random, theoretical": ("3.000", "5.500", "9.261", "12.858", "17.660", "22.332", "28.168"),
    "random, simulated": ("3.084", "5.514", "9.264", "12.858", "17.660", "22.332", "28.168"),
    "random, worst case": ("3.167", "5.694", "9.775", "13.662", "19.100", "24.324", "31.043"),
}

INTERLEAVED = "breadth-first search finds a shorter way: interleaving r-cycles helps"
ROUNDED = "the print adds parts that are each rounded to three digits"

CORRECTED = {
    ("diameter", 7): ("30", INTERLEAVED),
    ("diameter", 9): ("48", INTERLEAVED),
    ("local links", 9): ("18.095", ROUNDED),  # 26.14648 - 8.05119
    ("average distance", 9): ("26.146", ROUNDED),  # 75,904,276 / 2,903,040
    ("minimal", 9): ("26.146", ROUNDED),
    ("greedy", 4): ("5.306", ROUNDED),  # 382 / 72, as minimal routing has
    ("greedy", 9): ("26.571", ROUNDED),
    ("random, simulated", 3): ("3.083", ROUNDED),  # Eq. (14) + (d(loc) - d(in)) / 3! = 3 + 1/12
    ("random, simulated", 6): ("12.859", ROUNDED),  # ... 12.85833 + (3/2 - 6/5) / 6!
}
"""What the tables should have printed, as computed here."""

Series = tuple[str, str, Sequence[float], Sequence[str] | None]
"""Name, colour, our values, and the printed ones, each for n = 3, 4, ..."""


def _sizes(full: bool) -> range:
    return SIZES if full else range(3, 9)


def _cell(row: str, column: int, printed: str, ours: Value) -> Cell:
    corrected, reason = CORRECTED.get((row, column), (None, ""))
    return Cell(row, f"n = {column}", printed, ours, corrected, reason)


def _table_1(full: bool) -> Iterator[Cell]:
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
        for row, printed in TABLE_1.items():
            yield _cell(row, n, printed[n - 3], ours[row])


def _table_2(full: bool) -> Iterator[Cell]:
    for n in _sizes(full):
        ours: Mapping[str, Value] = {
            "minimal": averages(n, "minimal").length,
            "greedy": averages(n, "greedy").length,
            "random, theoretical": float(length_bound(n)),
            "random, simulated": averages(n, "random").length,  # over all routes, by their chance
            "random, worst case": averages(n, "random, worst case").length,
        }
        for row, printed in TABLE_2.items():
            yield _cell(row, n, printed[n - 3], ours[row])


def _section_2(full: bool) -> Iterator[Cell]:
    """Compare the counts of the graph, and Eq. (1)."""
    nodes_of = {3: 12, 4: 72, 5: 480, 6: 3600, 7: 30240}  # (n-1) n!
    for n, nodes in nodes_of.items():
        scc, column = Scc(n=n), f"n = {n}"
        ring = scc.nodes * (scc.degree - 1) // 2
        yield Cell("nodes", column, str(nodes), scc.nodes)
        yield Cell("lateral links", column, str(nodes // 2), scc.nodes // 2)
        if n == 3:
            reason = "a ring of two nodes has one link, not two"
            yield Cell("local links", column, str(nodes), ring, "6", reason)
        else:
            yield Cell("local links", column, str(nodes), ring)
        yield Cell("degree", column, "2" if n == 3 else "3", scc.degree)
    for n in _sizes(full):
        yield Cell("Eq. (1)", f"n = {n}", TABLE_1["diameter"][n - 3], diameter_bound(n))


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


def _section_3(full: bool) -> Iterator[Cell]:
    """Compare the examples of the definitions."""
    del full
    yield Cell("265431", "r-cycles", "(1 2 6)(3 5)(4)", _cycles("265431"))
    yield Cell("34125", "r-cycles", "(1 3)(2 4)(5)", _cycles("34125"))
    only = np.array([1, 6, 3, 2, 5, 4, 7])
    yield Cell("(2 6 4), n = 7", "MI local links", "6", int(move_in(only, ring_distance(7))))
    d = ring_distance(7)
    steps = " + ".join(str(d[a - 1, b - 1]) for a, b in pairwise((2, 6, 4, 2)))
    yield Cell("(2 6 4), n = 7", "d(2,6) + d(6,4) + d(4,2)", "2 + 2 + 2", steps)


def _section_4(full: bool) -> Iterator[Cell]:
    """Compare the examples of routes."""
    del full
    p, name = np.array([3, 4, 1, 2, 5]), "<3, 34125> to <2, 12345>"
    inner = int(move_in(p, ring_distance(5)))
    for links, total, between in (((2, 4, 2, 3), "11", "3"), ((3, 2, 4, 2), "9", "1")):
        length = route_length(3, links, 2, 5)
        yield Cell(name, f"{links}: length", total, length)
        yield Cell(name, f"{links}: MI local links", "4", inner)
        yield Cell(name, f"{links}: MB local links", between, length - len(links) - inner)
    shortest = route_length(3, minimal_laterals(3, p, 2), 2, 5)
    yield Cell(name, "shortest", "9", shortest)
    # "some possible sequences": all those with the fewest lateral links, in fact.
    yield Cell(
        "23154 to 12345",
        "lateral links",
        "23454 23545 24543 25453 45423 54523",
        " ".join(sorted(_sequences(np.array([2, 3, 1, 5, 4])))),
    )


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
        for name in ("minimal", "greedy", "random, worst case"):
            nodes = sum(averages(9, name).distribution)
            yield Cell(name, "nodes", TABLE_1["graph size"][-1], f"{nodes:,}")
        yield Cell("random", "nodes", TABLE_1["graph size"][-1], f"{sum(simulated(9)):,}")


def _axes(title: str, x: str, y: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8.4, 5.6), facecolor=PAPER, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, color=INK)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(color=LINK, alpha=0.4)
    return figure, axes


def _draw(path: Path, title: str, y: str, series: Sequence[Series]) -> None:
    """Draw averages against n."""
    with style():
        figure, axes = _axes(title, "n", y)
        for name, colour, values, printed in series:
            ours = {"linestyle": "-"} if printed else {"linestyle": "--", "zorder": 3}
            axes.plot(SIZES, values, color=colour, linewidth=2, label=name, **ours)
            if printed:
                axes.plot(
                    SIZES,
                    [float(value) for value in printed],
                    "o",
                    color=PAPER,
                    markeredgecolor=colour,
                    markeredgewidth=1.6,
                )
        axes.plot([], [], "o", color=PAPER, markeredgecolor=INK, label="as printed")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, labelcolor=INK)
    save(figure, path, title=title)


def _draw_figure_4(path: Path) -> None:
    """Draw the average distance and its parts under minimal routing."""
    minimal, printed = [averages(n, "minimal") for n in SIZES], TABLE_1
    _draw(
        path,
        "Average distances under minimal routing",
        "links of a route, average",
        [
            ("distance", INK, [a.length for a in minimal], printed["average distance"]),
            ("MI local links", PHASES[0], [a.mi for a in minimal], printed["MI local links"]),
            ("lateral links", PHASES[1], [a.lat for a in minimal], printed["lateral links"]),
            ("MB local links", PHASES[2], [a.mb for a in minimal], printed["MB local links"]),
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
                TABLE_2[row], TABLE_1["lateral links"], TABLE_1["MI local links"], strict=True
            )
        ]
        for name, row in (("random", "random, simulated"), ("greedy", "greedy"))
    }
    printed["minimal"] = list(TABLE_1["MB local links"])
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
    with style():
        figure, axes = _axes(
            "Distribution of route lengths in SCC(9), 2,903,040 nodes",
            "length of the route to the identity (hops)",
            "nodes with a route of this length",
        )
        for (name, count), colour in zip(counts.items(), (INK, *PHASES), strict=False):
            axes.plot(count, color=colour, linewidth=2, label=name)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, labelcolor=INK)
    save(figure, path, title="Distribution of route lengths in SCC(9)")


ITEMS: tuple[Item, ...] = tuple(
    Item(f"star-connected-cycles-1995/{name}", title, cells, draw)
    for name, title, cells, draw in (
        ("section-2", "counts of nodes and links, Eq. (1)", _section_2, None),
        ("section-3", "r-cycles and their local links", _section_3, None),
        ("section-4", "the examples of routes", _section_4, None),
        ("table-1", "average distance under minimal routing", _table_1, None),
        ("table-2", "average costs of the routing algorithms", _table_2, None),
        ("figure-4", "average distances under minimal routing", _figure_4, _draw_figure_4),
        ("figure-5", "MB local links of the algorithms", _figure_5, _draw_figure_5),
        ("figure-6", "distribution of route lengths in SCC_9", _figure_6, _draw_figure_6),
    )
)
