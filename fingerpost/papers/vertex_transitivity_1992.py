"""Tang and Arden 1992, "Vertex-Transitivity and Routing": the network of 21 nodes, p = 7, a = 2."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fingerpost.drawing.picture import CLASSES, INK, LINK, PAPER, save
from fingerpost.golden.algebra.gcr import GCR
from fingerpost.golden.algebra.group import BorelGroup
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.metacyclic import Borel
from fingerpost.papers.cells import Cell, Item

LINKS = ("A", "B", "A^-1", "B^-1")
A, B, A_INVERSE, B_INVERSE = range(4)

# Section 2.3.1: the GCR constants of each class, in the order A, A^-1, B, B^-1.
CONSTANTS = (("3", "-3", "4", "-10"), ("6", "-6", "7", "-4"), ("-9", "9", "10", "-7"))

# Fig. 2, rows 1 to 20: the links that lead to shortest paths from 0, inverses in small letters.
ROWS = "a b A B ABa A A a Ab B b ab ABb A a Bab ABa a B b"
FIGURE_2 = {j: tuple(map("ABab".index, row)) for j, row in enumerate(ROWS.split(), start=1)}

# Section 5.1: the shortest paths from 0 to 16.
PATHS = (
    "0 -B-> 4 -A-> 10 -A-> 16",
    "0 -A^-1-> 18 -B-> 1 -A^-1-> 16",
    "0 -B^-1-> 11 -A-> 2 -B^-1-> 16",
)

# Table 3: i, j and the link of every iteration.
TABLE_3 = (("0", "16", "B"), ("4", "16", "A"), ("3", "6", "A"), ("3", "3", "--"))

# Section 5.1: the values of i' in step 3 of Table 2.
STEP_3 = ("3", "4", "18", "11")


@cache
def _routing() -> VertexTransitive:
    # The first links: of three choices in iteration 0 the paper "arbitrarily" takes B.
    return VertexTransitive(Borel(p=7, a=2, A=(0, 1), B=(1, 1)), table="first")


def _gcr() -> GCR:
    """Return the representation with T = (1, 1; 0, 1) and a_i = (a^i, 0; 0, 1)."""
    group = BorelGroup(7, 2)
    return GCR(group, T=group.k, representatives=range(group.k))  # (t, y) is element y*k + t


def _row(label: int) -> list[int]:
    """Return the links of a row of Fig. 2."""
    c, x = _routing().locate(label)
    return [link for link in range(4) if _routing().mask[c, x] >> link & 1]


def _example(full: bool) -> Iterator[Cell]:
    del full
    gcr, topology = _gcr(), _routing().topology
    yield Cell("2.3.1", "k", "3", topology.k)
    yield Cell("2.3.1", "n", "21", topology.nodes)
    yield Cell("2.3.1", "diameter", "3", summary(topology)[0])
    yield Cell("2.3.1", "m", "7", gcr.m)
    yield Cell("2.3.1", "q", "3", gcr.q)
    constants = gcr.constants([t + y * topology.k for t, y in topology.generators])
    signed = (constants + 10) % 21 - 10  # as printed, in -10..10
    for i, printed in enumerate(CONSTANTS):
        for link, text in zip((A, A_INVERSE, B, B_INVERSE), printed, strict=True):
            yield Cell(f"class {i}", LINKS[link], text, int(signed[i, link]))


def _figure_2(full: bool) -> Iterator[Cell]:
    del full
    for j, links in FIGURE_2.items():
        ours = _row(j)
        for link, name in enumerate(LINKS):
            yield Cell(str(j), name, "1" if link in links else "", "1" if link in ours else "")


def _paths(node: int, destination: int) -> list[str]:
    """Return all shortest paths, by the links that the rows of the table mark."""
    if node == destination:
        return [str(node)]
    neighbour = _routing().topology.neighbour[node].tolist()
    row = _row(int(_gcr().transfer(node, destination, 0)))
    return [
        f"{node} -{LINKS[link]}-> {onward}"
        for link in row
        for onward in _paths(neighbour[link], destination)
    ]


def _shortest_paths(full: bool) -> Iterator[Cell]:
    del full
    ours = _paths(0, 16)
    yield Cell("0 to 16", "shortest paths", "3", len(ours))
    for i, (printed, path) in enumerate(zip(PATHS, ours, strict=False), start=1):
        yield Cell("0 to 16", f"path {i}", printed, path)


def _iterations() -> Iterator[tuple[int, int, str]]:
    """Yield i, j and the link of every iteration of Table 2, from 0 to 16."""
    i, j = 0, 16
    while i != j:
        rest = int(_gcr().transfer(i, j, 0))  # step 1: j' by Eq. (1) to (4)
        link = _row(rest)[0]  # step 2
        yield i, j, LINKS[link]
        i, j = int(_routing().topology.neighbour[0, link]), rest  # steps 3 and 4
    yield i, j, "--"


def _table_3(full: bool) -> Iterator[Cell]:
    del full
    for iteration, (printed, (i, j, link)) in enumerate(zip(TABLE_3, _iterations(), strict=True)):
        yield Cell(f"iteration {iteration}", "i", printed[0], i)
        yield Cell(f"iteration {iteration}", "j", printed[1], j)
        yield Cell(f"iteration {iteration}", "link", printed[2], link)
    ends = _routing().topology.neighbour[0].tolist()
    for name, text, end in zip(LINKS, STEP_3, ends, strict=True):
        yield Cell("step 3 of Table 2", f"i' for {name}", text, end)


def _draw_figure_2(path: Path) -> None:
    """Draw the table in two halves, as printed; our marks on the colour of the printed ones."""
    figure = Figure(figsize=(7.2, 4.0), facecolor=PAPER)
    for half, axes in enumerate(figure.subplots(1, 2)):
        _half(axes, range(10 * half + 1, 10 * half + 11))
    figure.suptitle("Routing table from node 0 (p = 7, a = 2)", color=INK, weight="bold")
    figure.text(
        0.5,
        0.03,
        "1: a shortest path begins with this link; shaded: printed in Fig. 2",
        ha="center",
        color=INK,
        fontsize=10,
    )
    save(figure, path, title="vertex-transitivity-1992, Fig. 2")


def _half(axes: Axes, rows: range) -> None:
    axes.set_axis_off()
    table = axes.table(
        cellText=[["1" if link in _row(j) else "" for link in range(4)] for j in rows],
        cellColours=[
            [CLASSES[0] if link in FIGURE_2[j] else PAPER for link in range(4)] for j in rows
        ],
        rowLabels=[str(j) for j in rows],
        colLabels=["A", "B", "A$^{-1}$", "B$^{-1}$"],
        cellLoc="center",
        rowLoc="right",
        loc="center",
    )
    table.scale(0.9, 1.5)
    for cell in table.get_celld().values():
        cell.set_edgecolor(LINK)
        cell.get_text().set_color(INK)


ITEMS = (
    Item(
        "vertex-transitivity-1992/example",
        "GCR representation of the Borel Cayley graph of 21 nodes (Section 2.3.1)",
        _example,
    ),
    Item(
        "vertex-transitivity-1992/figure-2",
        "Routing table of the shortest paths from node 0",
        _figure_2,
        _draw_figure_2,
    ),
    Item(
        "vertex-transitivity-1992/paths",
        "The shortest paths from 0 to 16 (Section 5.1)",
        _shortest_paths,
    ),
    Item(
        "vertex-transitivity-1992/table-3",
        "The iterations of Table 2 from 0 to 16",
        _table_3,
    ),
)
