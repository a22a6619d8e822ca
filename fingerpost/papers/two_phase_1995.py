"""Tables I, III and IV, Figs. 2 to 4 and the worked example of two-phase-1995 (Tang and Arden)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from fingerpost.drawing.picture import INK, LINK, PAPER, PHASES, save, style
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.chordal_ring import ChordalRing, Ring
from fingerpost.golden.routing.two_phase import TwoPhase
from fingerpost.golden.routing.two_phase_words import first_words
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances, summary
from fingerpost.golden.topology.metacyclic import Borel
from fingerpost.papers.cells import Cell, Item, Value

LOOKAHEADS = (1, 2, 3, 4)
COLOURS = (INK, *PHASES, "#e08a2e")
SUPERSCRIPT = "\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT ONE}"


@dataclass(frozen=True)
class Table:
    """Table III or IV as printed: k and n, and rows of four cells, one for each set."""

    p: int
    a: int
    k: str
    n: str
    rows: dict[str, str]

    def topology(self, column: int) -> Borel:
        """Return the graph of set `column` + 1."""
        t1, t2 = (int(self.rows[row].split()[column]) for row in ("t1", "t2"))
        return Borel(p=self.p, a=self.a, A=(t1, 1), B=(t2, 1))


TABLE_III = Table(
    p=47,
    a=2,
    k="23",
    n="1081",
    rows={
        "t1": "1 7 1 3",
        "t2": "7 8 2 6",
        "D": "7 8 8 9",
        "avg": "5.54 5.74 5.76 5.72",
        "D1": "4 6 6 6",
        "D2": "7 7 7 7",
        "CR d=1 max": "50 39 50 41",
        "CR d=1 avg": "24.50 18.40 20.85 17.64",
        "CR d=2 max": "35 32 37 33",
        "CR d=2 avg": "13.67 14.17 14.24 12.68",
        "CR d=3 max": "25 26 24 20",
        "CR d=3 avg": "9.71 10.83 10.16 9.31",
        "CR d=4 max": "16 17 22 18",
        "CR d=4 avg": "6.65 7.33 7.67 7.53",
        "two-phase max": "11 13 13 13",
        "two-phase avg": "7.67 8.12 8.50 8.03",
    },
)

TABLE_IV = Table(
    p=307,
    a=4,
    k="51",
    n="15657",
    rows={
        "t1": "2 1 4 1",
        "t2": "16 4 13 2",
        "D": "10 11 12 15",
        "avg": "8.10 8.16 8.56 9.65",
        "D1": "6 7 8 13",
        "D2": "10 9 10 10",
        "CR d=1 max": "125 240 152 245",
        "CR d=1 avg": "52.76 130.63 69.81 120.53",
        "CR d=2 max": "115 112 132 227",
        "CR d=2 avg": "49.99 62.65 51.24 121.42",
        "CR d=3 max": "100 76 107 91",
        "CR d=3 avg": "35.56 31.04 38.88 32.31",
        "CR d=4 max": "55 51 68 75",
        "CR d=4 avg": "20.64 21.82 24.30 24.69",
        "two-phase max": "16 16 18 23",
        "two-phase avg": "11.49 11.38 12.37 13.99",
    },
)

TABLE_I = {
    "alpha": "3 6 -9",
    "alpha^-1": "-3 -6 9",
    "beta": "4 7 10",
    "beta^-1": "-10 -4 -7",
    "gamma": "-10 7 10 6 9 5 -6",
    "lambda": "6 -7 -6 -5 10 -10 -9",
}

FIGURE_2 = (
    ("q", "A"),
    ("2q", "A A"),
    ("3q", "A A A"),
    ("4q", "A^-1 A^-1 A^-1"),
    ("5q", "A^-1 A^-1"),
    ("6q", "A^-1"),
)


def _example() -> Borel:
    """Return the graph of Section II.C."""
    return Borel(p=7, a=2, A=(0, 1), B=(1, 1))


def _table_1(full: bool) -> Iterator[Cell]:
    del full
    borel = _example()
    ours = dict(zip(("alpha", "beta", "alpha^-1", "beta^-1"), borel.signed_gcr().T, strict=True))
    # The two chords of a class come in the order of their ports here, A before B before A^-1.
    # `Ring` has A^-1 before B, as the figures of Tables III and IV ask for: it turns class 0 round.
    ring = Ring(borel)
    by_port = np.argsort(ring.links[:, :2], axis=1)
    chords = np.take_along_axis(ring.signed_chords(), by_port, axis=1)
    ours |= {"gamma": chords[:, 0], "lambda": chords[:, 1]}
    for name, row in TABLE_I.items():
        for i, (printed, value) in enumerate(zip(row.split(), ours[name].tolist(), strict=True)):
            yield Cell(name, f"i = {i}", printed, value)


def _route(full: bool) -> Iterator[Cell]:
    """Compare the example of Section IV.C, step by step."""
    del full
    borel = _example()
    for port, printed in ("A", "0"), ("A^-1", "0"), ("B", "1"), ("B^-1", "-1"):
        shift = int(borel.shift[borel.port_names.index(port)])
        yield Cell(port, "class shift", printed, shift if 2 * shift <= borel.k else shift - borel.k)
    route = walk(TwoPhase(borel, words="first"), np.array(0), np.array(16))
    letters = [borel.port_names[port] for port in route.ports[0]]
    phase_1 = int((route.phases[0] == 0).sum())
    entry = int(route.nodes[0, phase_1])
    c, m = entry % borel.k, 16 // borel.k - entry // borel.k
    row = borel.power[-c % borel.k] * m % borel.p  # Eq. (3)
    yield Cell("0 to 16", "phase I", "B", " ".join(letters[:phase_1]))
    yield Cell("0 to 16", "node after phase I", "4", entry)
    yield Cell("0 to 16", "j'", "2q", f"{row}q")
    yield Cell("0 to 16", "phase II", "A A", " ".join(letters[phase_1:]))
    yield Cell("0 to 16", "path", "B A A", " ".join(letters))
    yield Cell("graph", "D", "3", summary(borel)[0])


def _lengths(borel: Borel, *, chordal_ring: bool = True) -> dict[str, IntArray]:
    """Return the path lengths from node 0 to all others, as Section V measures them."""
    routings: dict[str, Routing] = {"two-phase": TwoPhase(borel, words="first")}
    if chordal_ring:
        for d in LOOKAHEADS:
            routings[f"CR d={d}"] = ChordalRing(borel, lookahead=d, rule="paper")
    others = np.arange(1, borel.nodes)
    lengths = {name: walk(routing, np.array(0), others).hops for name, routing in routings.items()}
    return {"shortest": distances(borel.neighbour, 0)[1:], **lengths}


def _table(table: Table, *, small: bool) -> Callable[[bool], Iterator[Cell]]:
    def cells(full: bool) -> Iterator[Cell]:
        yield Cell("k", "all sets", table.k, table.topology(0).k)
        yield Cell("n", "all sets", table.n, table.topology(0).nodes)
        for column in range(4):
            ours = _column(table.topology(column), chordal_ring=small or full)
            for row, printed in table.rows.items():
                if row in ours:
                    yield Cell(row, f"set {column + 1}", printed.split()[column], ours[row])

    return cells


def _column(borel: Borel, *, chordal_ring: bool) -> dict[str, Value]:
    """Return what we have for the rows of Table III or IV."""
    lengths = _lengths(borel, chordal_ring=chordal_ring)
    phases = TwoPhase(borel, words="first")
    t1, t2 = borel.shift[:2].tolist()
    ours: dict[str, Value] = {"t1": t1, "t2": t2, "D1": phases.d1, "D2": phases.d2}
    for name, hops in lengths.items():
        most, mean = ("D", "avg") if name == "shortest" else (f"{name} max", f"{name} avg")
        ours |= {most: int(hops.max()), mean: float(hops.mean())}
    return ours


def _sizes(full: bool) -> Iterator[Cell]:
    """Compare the sizes that the text gives as formulas, with the numbers put in."""
    del full
    for borel in _example(), TABLE_III.topology(0), TABLE_IV.topology(0):
        row, p, k, chords = f"p = {borel.p}", borel.p, borel.k, Ring(borel).constants[:, :2]
        phases = TwoPhase(borel, words="first")
        diameter, _ = summary(borel)
        yield Cell(row, "chord constants at d = 1", "2", len(chords[0]))
        yield Cell(
            row,
            "chord constants at d > 1, 2q = 2k",
            f"{2 * k}",
            chords.size,
            corrected="14" if p == 7 else None,
            reason="The CR of Table I has q = p = 7 classes, not k.",
        )
        yield Cell(row, "phase II table, (p-1) D", f"{(p - 1) * diameter}", (p - 1) * phases.d2)
        longest = int(_lengths(borel, chordal_ring=False)["two-phase"].max())
        within = longest <= phases.d1 + phases.d2 <= 2 * diameter
        yield Cell(row, "paths within 2D", "yes", "yes" if within else "no")


def _claims(full: bool) -> Iterator[Cell]:
    """Compare the densest graphs with diameter 11 (Section II.B)."""
    for t1, t2 in (2, 22), (19, 27):  # the paper names no generators
        borel = Borel(p=709, a=20, A=(t1, 1), B=(t2, 1))
        yield Cell(f"n = {borel.nodes}", f"D of t1 = {t1}, t2 = {t2}", "11", summary(borel)[0])
    if full:
        yield Cell(
            "n = 38764",
            "least D of all t1, t2",
            "11",
            min(_diameters(p=881, a=50, k=44)),
            corrected="12",
            reason="No graph with p = 881, k = 44 has a diameter below 12.",
        )


def _diameters(*, p: int, a: int, k: int) -> Iterator[int]:
    """Yield the diameters of all graphs of one group: y1 and y2 decide nothing."""
    for t1, t2 in combinations_with_replacement(range(k), 2):
        try:
            yield summary(Borel(p=p, a=a, A=(t1, 1), B=(t2, 0)))[0]
        except ValueError:  # not connected, or not of degree 4
            continue


def _figure_2(full: bool) -> Iterator[Cell]:
    del full
    for row, word in zip(FIGURE_2, _words(), strict=True):
        yield Cell(row[0], "path", row[1], word)


def _words() -> list[str]:
    """Return the words of phase II in the example, for q, 2q, ... (p-1)q."""
    borel = _example()
    words = first_words(borel)[1:]
    return [" ".join(borel.port_names[port] for port in word) for word in words]


def _draw_figure_2(path: Path) -> None:
    with style():
        figure = Figure(figsize=(4.2, 3.2), facecolor=PAPER)
        axes = figure.add_axes((0.04, 0.02, 0.92, 0.86))
        axes.set_axis_off()
        text = [[f"{m}q" if m > 1 else "q", *word.split()] for m, word in enumerate(_words(), 1)]
        cells = [row + [""] * (4 - len(row)) for row in text]
        letters = [[cell.replace("^-1", SUPERSCRIPT) for cell in row] for row in cells]
        drawn = axes.table(letters, cellLoc="center", bbox=Bbox.unit())
        for (row, column), cell in drawn.get_celld().items():
            shade = PHASES[int(cells[row][column].endswith("^-1"))] if column else INK
            cell.set_text_props(color=shade)
            cell.set_edgecolor(LINK)
        axes.set_title("Phase II routing table, p = 7", color=INK)
    save(figure, path, title="A phase II routing table")


def _averages(table: Table, *, small: bool) -> Callable[[bool], Iterator[Cell]]:
    """Compare the averages in a figure of distributions: the print has no other numbers."""

    def cells(full: bool) -> Iterator[Cell]:
        for name, hops in _lengths(table.topology(0), chordal_ring=small or full).items():
            yield Cell(name, "average", _average(table, name), float(hops.mean()))

    return cells


def _average(table: Table, name: str) -> str:
    row = "avg" if name == "shortest" else f"{name} avg"
    return table.rows[row].split()[0]


def _distribution(table: Table) -> Callable[[Path], None]:
    """Return what draws how many nodes are at which path length, with the printed averages."""

    def draw(path: Path) -> None:
        with style():
            figure = Figure(figsize=(8.4, 5.6), facecolor=PAPER, layout="constrained")
            axes = figure.add_subplot()
            lengths = _lengths(table.topology(0)).items()
            for (name, hops), colour in zip(lengths, COLOURS, strict=True):
                count = np.append(np.bincount(hops), 0)
                axes.plot(count, color=colour, linewidth=2, label=name)
                x = float(_average(table, name))
                y = np.interp(x, np.arange(len(count)), count)
                axes.plot(x, y, "o", color=PAPER, markeredgecolor=colour, markeredgewidth=2)
            axes.plot([], [], "o", color=PAPER, markeredgecolor=INK, label="average as printed")
            axes.set_xlabel("path length (hops)", color=INK)
            axes.set_ylabel("nodes at this path length", color=INK)
            axes.set_title(f"Path length distribution, p = {table.p}, n = {table.n}", color=INK)
            axes.grid(color=LINK, alpha=0.4)
            axes.legend(frameon=False, labelcolor=INK)
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
        save(figure, path, title=f"Path length distribution, n = {table.n}")

    return draw


ITEMS: tuple[Item, ...] = (
    Item("two-phase-1995/section-2", "densest Borel Cayley graphs of diameter 11", _claims),
    Item("two-phase-1995/table-1", "GCR and CR constants of the example", _table_1),
    Item("two-phase-1995/example", "route from node 0 to node 16, Section IV.C", _route),
    Item("two-phase-1995/figure-2", "phase II routing table", _figure_2, _draw_figure_2),
    Item("two-phase-1995/section-5", "sizes of tables, bound on paths", _sizes),
    Item("two-phase-1995/table-3", "routing with p = 47, n = 1081", _table(TABLE_III, small=True)),
    Item(
        "two-phase-1995/table-4", "routing with p = 307, n = 15657", _table(TABLE_IV, small=False)
    ),
    Item(
        "two-phase-1995/figure-3",
        "path length distribution, n = 1081",
        _averages(TABLE_III, small=True),
        _distribution(TABLE_III),
    ),
    Item(
        "two-phase-1995/figure-4",
        "path length distribution, n = 15657",
        _averages(TABLE_IV, small=False),
        _distribution(TABLE_IV),
    ),
)
