"""The formulas of kyklos-1988, evaluated as printed and as they hold, beside what is counted."""

from collections.abc import Iterator

from fingerpost.golden.analysis.kyklos import (
    h2_level_traffic,
    level_crossings,
    level_loads,
    level_traffic,
    loads,
)
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_y2 import Y2
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.papers.items import Cell, Ours


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
