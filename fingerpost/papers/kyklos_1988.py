"""Tables, examples and formulas of kyklos-1988, beside what golden computes and counts."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.analysis.kyklos import (
    h2_level_traffic,
    join_level,
    level_crossings,
    level_loads,
    level_traffic,
    link_crossings,
    loads,
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
from fingerpost.papers.figures import KYKLOS
from fingerpost.papers.items import Cell, Item, Ours, item


def _formula(
    row: str, column: str, printed: float, ours: float, corrected: float, reason: str
) -> Cell:
    """Return the cell of a formula that is wrong for some arguments; reals to six digits."""
    if printed == corrected:
        return Cell(row, column, f"{printed:.6f}", ours)
    return Cell(row, column, f"{printed:.6f}", ours, f"{corrected:.6f}", reason)


def section_2() -> Iterator[Cell]:
    """Tell the load of Section II for <2, 2, 6>, where it prints m^v for m^(n-v)."""
    topology = Kyklos(m=2, r=2, n=6)
    joins = loads(Y2(topology))
    branch = topology.level > 0
    yield Cell("average joins per IB-node", "(mN - N)/r", "32", float(joins[branch].mean()))
    why = "level v has m^(n-v) nodes, not m^v"
    for v in range(1, 7):
        nodes = topology.level == v
        each = int(joins[nodes].sum()) / topology.leaves
        column = "S fragment assignments per L-node"
        yield _formula(f"level {v}", "IB-nodes", 2 * 2**v, int(nodes.sum()), 2 * 2 ** (6 - v), why)
        yield _formula(f"level {v}", column, 2**v, each, 2 ** (6 - v), why)


def section_6() -> Iterator[Cell]:
    """Tell the three theorems on the traffic of H-2."""
    for m, r, n in ((2, 2, 6), (2, 3, 6), (2, 4, 8), (3, 2, 4)):
        topology = Kyklos(m=m, r=r, n=n)
        h, N = n // r, m**n
        crossings, traffic = level_crossings(H2(topology)), level_traffic(H2(topology))
        why = "the links of one tree must not be divided by r again"
        for v in range(1, n + 1):
            row = f"<{m},{r},{n}> level {v}"
            printed = f"{h2_level_traffic(m, r, n, v):.6f}"
            yield Cell(row, "traffic of a tree", printed, float(crossings[0, v - 1]))
            link = 2 * m**v * N * (m * m**h - m**v) / m ** (h + 2) if v <= h else 0.0
            yield _formula(row, "traffic per link", link / r, float(traffic[v - 1]), link, why)
        most = 2 * (m - 1) / m**2 * N * m**h
        column, ours = "maximum traffic density per link", float(traffic.max())
        yield _formula(f"<{m},{r},{n}>", column, most / r, ours, most, why)


def section_7() -> Iterator[Ours]:
    """Tell the theoretically achievable loadings, for N = 64."""
    topology = Kyklos(m=2, r=2, n=6)
    for name, strategy in (("H-2", H2), ("Y-2", Y2)):
        for v, mean in enumerate(level_loads(strategy(topology)).tolist()):
            yield f"{name} routing", f"load at v = {v}", mean


def appendix_c() -> Iterator[Cell]:
    """Tell the traffic densities, of which all but the last of H-2 count one way only."""
    why = "counts one way only; Table 3 and the theorems count both"
    for n in (4, 6, 8):
        h, N = n // 2, 2**n
        h2, y2 = (level_traffic(strategy(Kyklos(m=2, r=2, n=n))) for strategy in (H2, Y2))
        for v in range(1, h + 1):
            row, one_way = f"<2,2,{n}> v = {v}", 2**v * N * (2 * 2**h - 2**v) / 2 ** (h + 2)
            yield _formula(row, "T_h2", one_way, float(h2[v - 1]), 2 * one_way, why)
            yield Cell(row, "T_h2, maximum traffic", f"{2 * one_way:.6f}", float(h2[v - 1]))
        # Below level h-2 there is but an upper bound.
        for v in range(max(1, h - 2), n + 1):
            one_way = N * 2**h * (1 / 8 if v > h else (3 / 16, 5 / 32, 25 / 256)[h - v])
            ours = float(y2[v - 1])
            yield _formula(f"<2,2,{n}> v = {v}", "T_y2", one_way, ours, 2 * one_way, why)


PAPER = "kyklos-1988"


def _text(word: NDArray[Any]) -> str:
    """Return a word of digits as it is printed, highest first."""
    return "".join(str(int(digit)) for digit in word[::-1])


def _table_1() -> Iterator[Ours]:
    for r in (3, 2):
        topology = Kyklos(m=2, r=r, n=6)
        for v in range(1, 7):
            for t in range(r):
                z = int(topology.z[t, v - 1])
                yield f"<2,{r},6> level {v}", f"z_tv, tree {t}", z
                yield f"<2,{r},6> level {v}", f"span_tv, tree {t}", 2**z


def _table_2() -> Iterator[Ours]:
    # Start tree s = 0, so that t = 1 and Y_s = X_t' cnc X_s is X as the network has it.
    topology = Kyklos(m=2, r=2, n=6)
    y2 = Y2(topology)
    for low, high in product(range(8), repeat=2):
        x = np.zeros(6, bool)
        x[topology.z[0]] = (low | high << 3) >> np.arange(6) & 1
        s = np.array(0)
        level, tree = join_level(y2, x, s), y2.last(x, s, y2.levels(x, s))
        name = "0" if level == 0 else "st"[int(tree)]
        yield f"X_s = {low:03b}", f"X_t' = {high:03b}", f"{level},{name}"


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


def _table_3() -> Iterator[Ours]:
    for n in range(2, 13, 2):
        for name, routing in _networks(n).items():
            traffic = float(level_traffic(routing).max())
            yield f"N = {2**n}", f"{name}, maximum link traffic density", traffic
    for n in range(2, 11, 2):
        networks = _networks(n)
        for name in ("K-1", "P-2", "H-2", "Y-2"):
            mean = mid_point_loads if name in ("K-1", "P-2") else level_loads
            load = float(mean(networks[name])[1:].max())
            yield f"N = {2**n}", f"{name}, maximum IB-node processing load", load


def _table_b_1() -> Iterator[Ours]:
    networks = {
        "original <2,2,6>": Kyklos(m=2, r=2, n=6, variant="original"),
        "proposed <2,2,6>": Kyklos(m=2, r=2, n=6),
        "proposed <2,3,6>": Kyklos(m=2, r=3, n=6),
    }
    columns = [f"{name}, tree {t}" for name, net in networks.items() for t in range(net.r)]
    d = np.concatenate([network.d for network in networks.values()])
    crossings = np.array([[link_crossings(6, v, row[v - 1]) for v in range(1, 7)] for row in d])
    ours = {"d": d, "r-span - 1": 2**d - 1, "crossings": crossings}
    for block, rows in ours.items():
        for v in range(6, 0, -1):
            for column, row in zip(columns, rows, strict=True):
                yield f"{block}, level {v}", column, int(row[v - 1])
    for column, row in zip(columns, crossings, strict=True):
        yield "crossings, tree total", column, int(row.sum())
    ends = np.cumsum([network.r for network in networks.values()])
    totals = [int(part.sum()) for part in np.split(crossings, ends[:-1])]
    for name, total in zip(networks, totals, strict=True):
        yield "crossings, network total", name, total


def _section_4() -> Iterator[Ours]:
    topology = Kyklos(m=2, r=3, n=6)
    for t, v in ((0, 2), (0, 3), (1, 3), (2, 6)):
        yield f"<2,3,6> t={t}, v={v}", "z_tv", int(topology.z[t, v - 1])
        yield f"<2,3,6> t={t}, v={v}", "span_tv", 2 ** int(topology.z[t, v - 1])


def section_5() -> Iterator[Ours]:
    """Tell the ways from 15 to 37 in the original <2, 2, 6>."""
    topology = Kyklos(m=2, r=2, n=6, variant="original")
    x = differences(topology, np.array(15), np.array(37))
    upper, lower = (2 * bit_length(strings(topology, x))).tolist()
    yield "15 to 37", "X", _text(x)
    yield "15 to 37", "hops by the upper tree", upper
    yield "15 to 37", "hops by the lower tree", lower
    wanted = set(np.flatnonzero(x).tolist())
    ways = [
        levels
        for levels in product(range(7), repeat=2)
        if wanted <= {int(z) for t in range(2) for z in topology.z[t, : levels[t]]}
    ]
    least = min(map(sum, ways))
    orders = [factorial(np.count_nonzero(levels)) for levels in ways if sum(levels) == least]
    yield "15 to 37", "hops of a minimal path", 2 * least
    yield "15 to 37", "minimal paths", sum(orders)


EXAMPLES = {"example-1": (24, 62), "example-2": (20, 14)}
"""Source and destination."""


def example(name: str) -> Iterator[Ours]:
    """Tell the words of an example. The text of the second says 60 where the words have 20."""
    i, j = EXAMPLES[name]
    topology = Kyklos(m=2, r=2, n=6)
    x = differences(topology, np.array(i), np.array(j))
    y, d = strings(topology, x), strings(topology, topology.digits(np.array(j)))
    ours: list[str | int] = [_text(word) for word in (x, *y, *d)]
    ours += (2 * bit_length(y)).tolist()
    columns = ("X", "Y0", "Y1", "D0", "D1", "hops in tree 0", "hops in tree 1")
    for column, value in zip(columns, ours, strict=True):
        yield f"{i} to {j}", column, value
    if name == "example-2":
        s = np.array(0)
        yield "20 to 14", "shortest path", int(2 * P2(topology).levels(x, s).sum())
        depth = H2(topology).levels(x, s).tolist()
        yield "20 to 14", "levels of tree 0, tree 1", str(depth)
        parts = " ".join(_text(word) for word in slices(topology, x))
        yield "20 to 14", "X0 X1", parts


def _sequence(topology: Kyklos, tree: int) -> list[int]:
    """Return the leaves of a tree from left to right if it is drawn without crossings."""
    row = topology.first[tree, -1:]
    for _ in range(topology.n):
        row = topology.neighbour[row, : topology.m].ravel()
    return [int(leaf) for leaf in row]


def _labels(variant: Variant) -> Iterator[Ours]:
    topology = Kyklos(m=2, r=2, n=4, variant=variant)
    for t, side in enumerate(("upper", "lower")):
        yield "labelling sequence", f"{side} tree", " ".join(map(str, _sequence(topology, t)))


def figure_4() -> Iterator[Ours]:
    """Rename the leaves so that the upper tree of Figure 3 reads 0..15: the lower is Gamma."""
    topology = Kyklos(m=2, r=2, n=4)
    upper, lower = (_sequence(topology, t) for t in range(2))
    yield "labelling sequence", "L*", " ".join(str(upper.index(leaf)) for leaf in lower)


def _figure_1() -> Iterator[Ours]:
    topology = Kyklos(m=2, r=1, n=4)
    for v in range(1, 5):
        yield f"level {v}", "span", 2 ** int(topology.z[0, v - 1])


OURS: dict[str, Callable[[], Iterator[Ours | Cell]]] = {
    "table-1": _table_1,
    "table-2": _table_2,
    "table-3": _table_3,
    "table-b-1": _table_b_1,
    "section-2": section_2,
    "section-4": _section_4,
    "section-5": section_5,
    **{name: partial(example, name) for name in EXAMPLES},
    "section-6": section_6,
    "section-7": section_7,
    "appendix-c": appendix_c,
    "figure-1": _figure_1,
    "figure-2": partial(_labels, "original"),
    "figure-3": partial(_labels, "proposed"),
    "figure-4": figure_4,
}

ITEMS: tuple[Item, ...] = tuple(
    item(f"{PAPER}/{name}", ours, KYKLOS.get(name)) for name, ours in OURS.items()
)
