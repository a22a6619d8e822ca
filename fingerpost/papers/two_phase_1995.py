"""Tables I, III and IV, Figs. 2 to 4 and the worked example of two-phase-1995 (Tang and Arden)."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from fingerpost.drawing.picture import INK, PHASES
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.chordal_ring import ChordalRing, Ring
from fingerpost.golden.routing.two_phase import TwoPhase
from fingerpost.golden.routing.two_phase_words import first_words
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances, summary
from fingerpost.golden.topology.metacyclic import Borel
from fingerpost.papers.figures import Draw, as_printed, charts, table
from fingerpost.papers.items import Cell, Item, Ours, Value, item, printed

LOOKAHEADS = (1, 2, 3, 4)
COLOURS = (INK, *PHASES, "#e08a2e")

PAPER = "two-phase-1995"

GROUPS = {"table-3": (47, 2), "table-4": (307, 4)}
"""p and a of the graphs of a table, which are those of Figs. 3 and 4, too."""


def graph(table: str, column: int) -> Borel:
    """Return the graph of set `column` + 1 of Table III or IV."""
    rows, (p, a) = printed(f"{PAPER}/{table}"), GROUPS[table]
    t1, t2 = (int(rows.row(row)[column]) for row in ("t1", "t2"))
    return Borel(p=p, a=a, A=(t1, 1), B=(t2, 1))


def _example() -> Borel:
    """Return the graph of Section II.C."""
    return Borel(p=7, a=2, A=(0, 1), B=(1, 1))


def _table_1() -> Iterator[Ours]:
    borel = _example()
    ours = dict(zip(("alpha", "beta", "alpha^-1", "beta^-1"), borel.signed_gcr().T, strict=True))
    # The two chords of a class come in the order of their ports here, A before B before A^-1.
    # `Ring` has A^-1 before B, as the figures of Tables III and IV ask for: it turns class 0 round.
    ring = Ring(borel)
    by_port = np.argsort(ring.links[:, :2], axis=1)
    chords = np.take_along_axis(ring.signed_chords(), by_port, axis=1)
    ours |= {"gamma": chords[:, 0], "lambda": chords[:, 1]}
    for name in ("alpha", "alpha^-1", "beta", "beta^-1", "gamma", "lambda"):
        for i, value in enumerate(ours[name].tolist()):
            yield name, f"i = {i}", value


def _route() -> Iterator[Ours]:
    """Compare the example of Section IV.C, step by step."""
    borel = _example()
    for port in ("A", "A^-1", "B", "B^-1"):
        shift = int(borel.shift[borel.port_names.index(port)])
        yield port, "class shift", shift if 2 * shift <= borel.k else shift - borel.k
    route = walk(TwoPhase(borel, words="first"), np.array(0), np.array(16))
    letters = [borel.port_names[port] for port in route.ports[0]]
    phase_1 = int((route.phases[0] == 0).sum())
    entry = int(route.nodes[0, phase_1])
    c, m = entry % borel.k, 16 // borel.k - entry // borel.k
    row = borel.power[-c % borel.k] * m % borel.p  # Eq. (3)
    yield "0 to 16", "phase I", " ".join(letters[:phase_1])
    yield "0 to 16", "node after phase I", entry
    yield "0 to 16", "j'", f"{row}q"
    yield "0 to 16", "phase II", " ".join(letters[phase_1:])
    yield "0 to 16", "path", " ".join(letters)
    yield "graph", "D", summary(borel)[0]


def _lengths(borel: Borel, *, chordal_ring: bool = True) -> dict[str, IntArray]:
    """Return the path lengths from node 0 to all others, as Section V measures them."""
    routings: dict[str, Routing] = {"two-phase": TwoPhase(borel, words="first")}
    if chordal_ring:
        for d in LOOKAHEADS:
            routings[f"CR d={d}"] = ChordalRing(borel, lookahead=d, rule="paper")
    others = np.arange(1, borel.nodes)
    lengths = {name: walk(routing, np.array(0), others).hops for name, routing in routings.items()}
    return {"shortest": distances(borel.neighbour, 0)[1:], **lengths}


def _table(table: str, *, small: bool) -> Callable[[bool], Iterator[Ours]]:
    def ours(full: bool) -> Iterator[Ours]:
        yield "k", "all sets", graph(table, 0).k
        yield "n", "all sets", graph(table, 0).nodes
        for column in range(4):
            for row, value in _column(graph(table, column), chordal_ring=small or full).items():
                yield row, f"set {column + 1}", value

    return ours


def _column(borel: Borel, *, chordal_ring: bool) -> dict[str, Value]:
    """Return what we have for the rows of Table III or IV."""
    lengths = _lengths(borel, chordal_ring=chordal_ring)
    phases = TwoPhase(borel, words="first")
    t1, t2 = borel.shift[:2].tolist()
    shortest = lengths.pop("shortest")
    ours: dict[str, Value] = {"t1": t1, "t2": t2}
    ours |= {"D": int(shortest.max()), "avg": float(shortest.mean())}
    ours |= {"D1": phases.d1, "D2": phases.d2}
    for name in (*sorted(set(lengths) - {"two-phase"}), "two-phase"):
        ours |= {
            f"{name} max": int(lengths[name].max()),
            f"{name} avg": float(lengths[name].mean()),
        }
    return ours


def _sizes() -> Iterator[Ours]:
    """Compare the sizes that the text gives as formulas, with the numbers put in."""
    for borel in _example(), graph("table-3", 0), graph("table-4", 0):
        row, p, chords = f"p = {borel.p}", borel.p, Ring(borel).constants[:, :2]
        phases = TwoPhase(borel, words="first")
        diameter, _ = summary(borel)
        yield row, "chord constants at d = 1", len(chords[0])
        yield row, "chord constants at d > 1, 2q = 2k", chords.size
        yield row, "phase II table, (p-1) D", (p - 1) * phases.d2
        longest = int(_lengths(borel, chordal_ring=False)["two-phase"].max())
        within = longest <= phases.d1 + phases.d2 <= 2 * diameter
        yield row, "paths within 2D", "yes" if within else "no"


def _claims(full: bool) -> Iterator[Ours]:
    """Compare the densest graphs with diameter 11 (Section II.B)."""
    for t1, t2 in (2, 22), (19, 27):  # the paper names no generators
        borel = Borel(p=709, a=20, A=(t1, 1), B=(t2, 1))
        yield f"n = {borel.nodes}", f"D of t1 = {t1}, t2 = {t2}", summary(borel)[0]
    if full:
        yield "n = 38764", "least D of all t1, t2", min(_diameters(p=881, a=50, k=44))


def _diameters(*, p: int, a: int, k: int) -> Iterator[int]:
    """Yield the diameters of all graphs of one group: y1 and y2 decide nothing."""
    for t1, t2 in combinations_with_replacement(range(k), 2):
        try:
            yield summary(Borel(p=p, a=a, A=(t1, 1), B=(t2, 0)))[0]
        except ValueError:  # not connected, or not of degree 4
            continue


def _figure_2() -> Iterator[Ours]:
    for m, word in enumerate(_words(), 1):
        yield _multiple(m), "path", word


def _multiple(m: int) -> str:
    return f"{m}q" if m > 1 else "q"


def _words() -> list[str]:
    """Return the words of phase II in the example, for q, 2q, ... (p-1)q."""
    borel = _example()
    words = first_words(borel)[1:]
    return [" ".join(borel.port_names[port] for port in word) for word in words]


def _draw_figure_2(path: Path) -> None:
    """Draw the table, links along inverses of generators shaded."""
    texts = [[_multiple(m), *word.split()] for m, word in enumerate(_words(), 1)]
    rows = [row + [""] * (4 - len(row)) for row in texts]
    title = "Phase II routing table, p = 7"
    table(path, title, rows, lambda row, column: rows[row][column].endswith("^-1"))


def _averages(table: str, *, small: bool) -> Callable[[bool], Iterator[Cell]]:
    """Compare the averages in a figure of distributions: the print has no other numbers."""

    def cells(full: bool) -> Iterator[Cell]:
        for name, hops in _lengths(graph(table, 0), chordal_ring=small or full).items():
            yield Cell(name, "average", _average(table, name), float(hops.mean()))

    return cells


def _average(table: str, name: str) -> str:
    row = "avg" if name == "shortest" else f"{name} avg"
    return printed(f"{PAPER}/{table}").row(row)[0]


def _distribution(of: str) -> Draw:
    """Return what draws how many nodes are at which path length, with the printed averages."""

    def draw(path: Path) -> None:
        borel = graph(of, 0)
        title = f"Path length distribution, p = {borel.p}, n = {borel.nodes}"
        with charts(path, title, "path length (hops)", "nodes at this path length") as (axes,):
            for (name, hops), colour in zip(_lengths(borel).items(), COLOURS, strict=True):
                count = np.append(np.bincount(hops), 0)
                axes.plot(count, color=colour, linewidth=2, label=name)
                x = float(_average(of, name))
                as_printed(axes, x, np.interp(x, np.arange(len(count)), count), colour)
            as_printed(axes, [], [], INK, "average as printed")
            axes.set_xlim(left=0)

    return draw


ITEMS: tuple[Item, ...] = (
    item(f"{PAPER}/section-2", _claims),
    item(f"{PAPER}/table-1", _table_1),
    item(f"{PAPER}/example", _route),
    item(f"{PAPER}/figure-2", _figure_2, _draw_figure_2),
    item(f"{PAPER}/section-5", _sizes),
    item(f"{PAPER}/table-3", _table("table-3", small=True)),
    item(f"{PAPER}/table-4", _table("table-4", small=False)),
    item(f"{PAPER}/figure-3", _averages("table-3", small=True), _distribution("table-3")),
    item(f"{PAPER}/figure-4", _averages("table-4", small=False), _distribution("table-4")),
)
