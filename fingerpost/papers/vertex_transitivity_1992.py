"""Tang and Arden 1992, "Vertex-Transitivity and Routing": the network of 21 nodes, p = 7, a = 2."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fingerpost.golden.algebra.gcr import GCR
from fingerpost.golden.algebra.group import BorelGroup
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.metacyclic import Borel
from fingerpost.papers.figures import table
from fingerpost.papers.items import Item, Ours, item, printed

LINKS = ("A", "B", "A^-1", "B^-1")
A, B, A_INVERSE, B_INVERSE = range(4)

PAPER = "vertex-transitivity-1992"


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


def _example() -> Iterator[Ours]:
    gcr, topology = _gcr(), _routing().topology
    yield "2.3.1", "k", topology.k
    yield "2.3.1", "n", topology.nodes
    yield "2.3.1", "diameter", summary(topology)[0]
    yield "2.3.1", "m", gcr.m
    yield "2.3.1", "q", gcr.q
    constants = gcr.constants([t + y * topology.k for t, y in topology.generators])
    signed = (constants + 10) % 21 - 10  # as printed, in -10..10
    for i, row in enumerate(signed.tolist()):
        for link in (A, A_INVERSE, B, B_INVERSE):
            yield f"class {i}", LINKS[link], row[link]


def _figure_2() -> Iterator[Ours]:
    for j in range(1, 21):
        ours = _row(j)
        for link, name in enumerate(LINKS):
            yield str(j), name, "1" if link in ours else ""


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


def _shortest_paths() -> Iterator[Ours]:
    ours = _paths(0, 16)
    yield "0 to 16", "shortest paths", len(ours)
    for i, path in enumerate(ours, start=1):
        yield "0 to 16", f"path {i}", path


def _iterations() -> Iterator[tuple[int, int, str]]:
    """Yield i, j and the link of every iteration of Table 2, from 0 to 16."""
    i, j = 0, 16
    while i != j:
        rest = int(_gcr().transfer(i, j, 0))  # step 1: j' by Eq. (1) to (4)
        link = _row(rest)[0]  # step 2
        yield i, j, LINKS[link]
        i, j = int(_routing().topology.neighbour[0, link]), rest  # steps 3 and 4
    yield i, j, "--"


def _table_3() -> Iterator[Ours]:
    for iteration, (i, j, link) in enumerate(_iterations()):
        yield f"iteration {iteration}", "i", i
        yield f"iteration {iteration}", "j", j
        yield f"iteration {iteration}", "link", link
    for name, end in zip(LINKS, _routing().topology.neighbour[0].tolist(), strict=True):
        yield "step 3 of Table 2", f"i' for {name}", end


def _draw_figure_2(path: Path) -> None:
    """Draw the table in two halves, as printed; our marks on the colour of the printed ones."""
    marks = printed(f"{PAPER}/figure-2").cells
    rows, shaded = [["", *LINKS] * 2], [[False] * 10]
    for above in range(1, 11):
        rows.append([])
        shaded.append([])
        for j in (above, above + 10):
            rows[-1] += [str(j), *("1" if link in _row(j) else "" for link in range(4))]
            shaded[-1] += [False, *(bool(marks[str(j), name]) for name in LINKS)]
    title = "Routing table from node 0 (p = 7, a = 2); shaded: printed in Fig. 2"
    table(path, title, rows, lambda row, column: shaded[row][column])


ITEMS: tuple[Item, ...] = (
    item(f"{PAPER}/example", _example),
    item(f"{PAPER}/figure-2", _figure_2, _draw_figure_2),
    item(f"{PAPER}/paths", _shortest_paths),
    item(f"{PAPER}/table-3", _table_3),
)
