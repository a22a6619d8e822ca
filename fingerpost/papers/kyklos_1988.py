"""Tables, examples and formulas of kyklos-1988 beside what golden computes.

Numbers are printed here without the commas of the paper.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.analysis.kyklos import (
    join_level,
    level_loads,
    level_traffic,
    link_crossings,
    mid_point_loads,
)
from fingerpost.golden.routing.kyklos import (
    H2,
    Y2,
    KyklosRouting,
    M,
    bit_length,
    differences,
    slices,
    strings,
)
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.topology.kyklos import Kyklos, Variant
from fingerpost.papers import kyklos_1988_figures as figures
from fingerpost.papers import kyklos_1988_formulas as formulas
from fingerpost.papers.cells import Cell, Item

PAPER = "kyklos-1988"

# Level, then z_tv of every tree, then span_tv.
TABLE_1 = {
    3: """1 0 2 4 1 4 16
          2 1 3 5 2 8 32
          3 3 5 1 8 32 2
          4 2 4 0 4 16 1
          5 5 1 3 32 2 8
          6 4 0 2 16 1 4""",
    2: """1 0 3 1 8
          2 1 4 2 16
          3 2 5 4 32
          4 5 2 32 4
          5 4 1 16 2
          6 3 0 8 1""",
}

# Rows X_s = 000..111, columns X_t' = 000..111: level and tree.
TABLE_2 = """0,0 1,t 1,t 1,t 1,t 1,t 1,t 1,t
             1,s 1,s 1,s 1,s 1,s 1,s 1,s 1,s
             2,s 2,s 2,s 2,s 2,s 2,s 2,s 2,s
             2,s 2,s 2,s 2,s 2,s 2,s 2,s 2,s
             1,s 1,s 1,s 1,s 1,s 1,s 1,s 1,s
             1,s 1,s 1,s 1,s 1,s 1,s 1,s 1,s
             3,s 4,s 3,s 5,s 3,s 4,s 3,s 1,s
             3,s 4,s 3,s 5,s 3,s 4,s 3,s 6,s"""

# N, then K-1, M-2, H-2, P-2, Y-2.
TRAFFIC = """4 4 3 4 3 3
             16 64 36 32 26 24
             64 1024 576 256 196 192
             256 16384 9216 2048 1616 1536
             1024 262144 147456 16384 15808 12288
             4096 4194304 2359296 131072 173568 98304"""

# N, then K-1, P-2, H-2, Y-2.
LOADS = """4 4 2 3 2
           16 64 12 11 8
           64 1024 88 39 32
           256 16384 928 143 128
           1024 262144 9728 543 512"""

# Level, then original <2, 2, 6> tree 0, 1; proposed <2, 2, 6> 0, 1; proposed <2, 3, 6> 0, 1, 2.
# In the scan the second and third block have a column too many: tree 1 of the proposed <2, 2, 6>
# comes twice.
TABLE_B_1 = {
    "d": """6 0 0 0 0 0 0 0
            5 0 1 1 1 1 1 1
            4 0 2 2 2 0 2 0
            3 0 3 0 3 1 3 1
            2 0 4 0 3 0 2 4
            1 0 5 0 3 0 2 4""",
    "r-span - 1": """6 0 0 0 0 0 0 0
                     5 0 1 1 1 1 1 1
                     4 0 3 3 3 0 3 0
                     3 0 7 0 7 1 7 1
                     2 0 15 0 7 0 3 15
                     1 0 31 0 7 0 3 15""",
    "crossings": """6 0 0 0 0 0 0 0
                    5 0 1 1 1 1 1 1
                    4 0 6 6 6 0 6 0
                    3 0 28 0 28 4 28 4
                    2 0 120 0 56 0 24 120
                    1 0 496 0 112 0 48 240""",
}
TREE_TOTALS, NETWORK_TOTALS = "0 651 7 203 5 107 365", "651 210 477"


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def _text(word: NDArray[Any]) -> str:
    """Return a word of digits as it is printed, highest first."""
    return "".join(str(int(digit)) for digit in word[::-1])


def _table_1() -> Iterator[Cell]:
    for r, text in TABLE_1.items():
        topology = Kyklos(m=2, r=r, n=6)
        for v, *printed in _rows(text):
            for t in range(r):
                z = int(topology.z[t, int(v) - 1])
                row, tree = f"<2,{r},6> level {v}", f"tree {t}"
                yield Cell(row, f"z_tv, {tree}", printed[t], z)
                yield Cell(row, f"span_tv, {tree}", printed[r + t], 2**z)


def _table_2() -> Iterator[Cell]:
    # Start tree s = 0, so that t = 1 and Y_s = X_t' cnc X_s is X as the network has it.
    topology = Kyklos(m=2, r=2, n=6)
    y2 = Y2(topology)
    for low, row in enumerate(_rows(TABLE_2)):
        for high, printed in enumerate(row):
            x = np.zeros(6, bool)
            x[topology.z[0]] = (low | high << 3) >> np.arange(6) & 1
            s = np.array(0)
            level, tree = join_level(y2, x, s), y2.last(x, s, y2.levels(x, s))
            name = "0" if level == 0 else "st"[int(tree)]
            yield Cell(f"X_s = {low:03b}", f"X_t' = {high:03b}", printed, f"{level},{name}")


def _networks(n: int) -> dict[str, KyklosRouting]:
    """Return what the columns of Table 3 stand for.

    What is called P-2 there is modified P-2 from N = 16 on. Strictly P-2 has more traffic: how
    much depends on how ties are broken that the paper leaves open.
    """
    topology = Kyklos(m=2, r=2, n=n)
    return {
        "K-1": M(Kyklos(m=2, r=2, n=n, variant="I")),
        "M-2": M(topology),
        "H-2": H2(topology),
        "P-2": P2(topology) if n == 2 else ModifiedP2(topology),
        "Y-2": Y2(topology),
    }


def _table_3() -> Iterator[Cell]:
    for N, *printed in _rows(TRAFFIC):
        networks = _networks(int(N).bit_length() - 1)
        for (name, routing), value in zip(networks.items(), printed, strict=True):
            traffic = float(level_traffic(routing).max())
            yield Cell(f"N = {N}", f"{name}, maximum link traffic density", value, traffic)
    for N, *printed in _rows(LOADS):
        networks = _networks(int(N).bit_length() - 1)
        for name, value in zip(("K-1", "P-2", "H-2", "Y-2"), printed, strict=True):
            mean = mid_point_loads if name in ("K-1", "P-2") else level_loads
            load = float(mean(networks[name])[1:].max())
            yield Cell(f"N = {N}", f"{name}, maximum IB-node processing load", value, load)


def _table_b_1() -> Iterator[Cell]:
    networks = {
        "original <2,2,6>": Kyklos(m=2, r=2, n=6, variant="original"),
        "proposed <2,2,6>": Kyklos(m=2, r=2, n=6),
        "proposed <2,3,6>": Kyklos(m=2, r=3, n=6),
    }
    columns = [f"{name}, tree {t}" for name, net in networks.items() for t in range(net.r)]
    d = np.concatenate([network.d for network in networks.values()])
    crossings = np.array([[link_crossings(6, v, row[v - 1]) for v in range(1, 7)] for row in d])
    ours = {"d": d, "r-span - 1": 2**d - 1, "crossings": crossings}
    for block, text in TABLE_B_1.items():
        for v, *printed in _rows(text):
            for column, value, row in zip(columns, printed, ours[block], strict=True):
                yield Cell(f"{block}, level {v}", column, value, int(row[int(v) - 1]))
    for column, value, row in zip(columns, TREE_TOTALS.split(), crossings, strict=True):
        yield Cell("crossings, tree total", column, value, int(row.sum()))
    ends = np.cumsum([network.r for network in networks.values()])
    totals = [int(part.sum()) for part in np.split(crossings, ends[:-1])]
    for name, value, total in zip(networks, NETWORK_TOTALS.split(), totals, strict=True):
        yield Cell("crossings, network total", name, value, total)


def _section_4() -> Iterator[Cell]:
    topology = Kyklos(m=2, r=3, n=6)
    for t, v, z, span in ((0, 2, "1", "2"), (0, 3, "3", "8"), (1, 3, "5", "32"), (2, 6, "2", "4")):
        yield Cell(f"<2,3,6> t={t}, v={v}", "z_tv", z, int(topology.z[t, v - 1]))
        yield Cell(f"<2,3,6> t={t}, v={v}", "span_tv", span, 2 ** int(topology.z[t, v - 1]))


def section_5() -> Iterator[Cell]:
    """Tell the ways from 15 to 37 in the original <2, 2, 6>."""
    topology = Kyklos(m=2, r=2, n=6, variant="original")
    x = differences(topology, np.array(15), np.array(37))
    upper, lower = (2 * bit_length(strings(topology, x))).tolist()
    yield Cell("15 to 37", "X", "101010", _text(x))
    yield Cell("15 to 37", "hops by the upper tree", "12", upper)
    yield Cell("15 to 37", "hops by the lower tree", "10", lower)
    wanted = set(np.flatnonzero(x).tolist())
    ways = [
        levels
        for levels in product(range(7), repeat=2)
        if wanted <= {int(z) for t in range(2) for z in topology.z[t, : levels[t]]}
    ]
    least = min(map(sum, ways))
    orders = [factorial(np.count_nonzero(levels)) for levels in ways if sum(levels) == least]
    yield Cell("15 to 37", "hops of a minimal path", "10", 2 * least)
    yield Cell("15 to 37", "minimal paths", "5", sum(orders))


# S, D, then X, Y0, Y1, D0, D1, hops in tree 0 and in tree 1 alone.
EXAMPLES = {
    "example-1": (24, 62, "100110 001110 011100 111110 011111 8 10"),
    "example-2": (20, 14, "011010 110010 010011 100110 011001 12 10"),
}


def example(name: str) -> Iterator[Cell]:
    """Tell the words of an example. The text of the second says 60 where the words have 20."""
    i, j, text = EXAMPLES[name]
    topology = Kyklos(m=2, r=2, n=6)
    x = differences(topology, np.array(i), np.array(j))
    y, d = strings(topology, x), strings(topology, topology.digits(np.array(j)))
    ours: list[str | int] = [_text(word) for word in (x, *y, *d)]
    ours += (2 * bit_length(y)).tolist()
    columns = ("X", "Y0", "Y1", "D0", "D1", "hops in tree 0", "hops in tree 1")
    for column, printed, value in zip(columns, text.split(), ours, strict=True):
        yield Cell(f"{i} to {j}", column, printed, value)
    if name == "example-2":
        s = np.array(0)
        yield Cell("20 to 14", "shortest path", "8", int(2 * P2(topology).levels(x, s).sum()))
        depth = H2(topology).levels(x, s).tolist()
        yield Cell("20 to 14", "levels of tree 0, tree 1", "[2, 2]", str(depth))
        parts = " ".join(_text(word) for word in slices(topology, x))
        yield Cell("20 to 14", "X0 X1", "010 011", parts)


# The leaves of a tree from left to right if it is drawn without crossings.
SEQUENCES: dict[str, tuple[Variant, tuple[str, str]]] = {
    "figure-2": (
        "original",
        ("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15"),
    ),
    "figure-3": (
        "proposed",
        ("0 1 2 3 8 9 10 11 4 5 6 7 12 13 14 15", "0 4 8 12 2 6 10 14 1 5 9 13 3 7 11 15"),
    ),
}


def _sequence(topology: Kyklos, tree: int) -> list[int]:
    """Return the leaves of a tree from left to right."""
    row = topology.first[tree, -1:]
    for _ in range(topology.n):
        row = topology.neighbour[row, : topology.m].ravel()
    return [int(leaf) for leaf in row]


def _labels(name: str) -> Iterator[Cell]:
    variant, printed = SEQUENCES[name]
    topology = Kyklos(m=2, r=2, n=4, variant=variant)
    for t, side in enumerate(("upper", "lower")):
        ours = " ".join(map(str, _sequence(topology, t)))
        yield Cell("labelling sequence", f"{side} tree", printed[t], ours)


def figure_4() -> Iterator[Cell]:
    """Rename the leaves so that the upper tree of Figure 3 reads 0..15: the lower is Gamma."""
    topology = Kyklos(m=2, r=2, n=4)
    upper, lower = (_sequence(topology, t) for t in range(2))
    renamed = " ".join(str(upper.index(leaf)) for leaf in lower)
    yield Cell("labelling sequence", "L*", SEQUENCES["figure-2"][1][1], renamed)


def _figure_1() -> Iterator[Cell]:
    topology = Kyklos(m=2, r=1, n=4)
    for v, span in enumerate("1248", 1):
        yield Cell(f"level {v}", "span", span, 2 ** int(topology.z[0, v - 1]))


def _item(name: str, title: str, cells: Callable[[], Iterator[Cell]]) -> Item:
    return Item(f"{PAPER}/{name}", title, lambda full: cells(), figures.DRAW.get(name))


ITEMS: tuple[Item, ...] = (
    _item("table-1", "Spans and dimensions of the proposed topology", _table_1),
    _item("table-2", "Level and tree of the join in <2,2,6>", _table_2),
    _item("table-3", "Comparison of various routing strategies", _table_3),
    _item("table-b-1", "Link crossings", _table_b_1),
    _item("section-2", "Loads of processors", formulas.section_2),
    _item("section-4", "Examples of dimensions", _section_4),
    _item("section-5", "Routes from 15 to 37", section_5),
    *(_item(name, "Words of a route", partial(example, name)) for name in EXAMPLES),
    _item("section-6", "Theorems on the traffic of H-2", formulas.section_6),
    _item("section-7", "Theoretically achievable loadings", formulas.section_7),
    _item("appendix-c", "Link traffic by level", formulas.appendix_c),
    _item("figure-1", "One tree with its spans", _figure_1),
    _item("figure-2", "Original KYKLOS-II, N = 16", partial(_labels, "figure-2")),
    _item("figure-3", "Proposed KYKLOS-II, N = 16", partial(_labels, "figure-3")),
    _item("figure-4", "The proposed topology is a KYKLOS-II", figure_4),
)
