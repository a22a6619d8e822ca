"""The largest graphs of degrees 3 and 4 that are published, and the largest of a survey.

Sources: the table of the largest known graphs of a diameter and maximal degree, at Wikipedia, as of
June 2024, and F. Comellas, *Table of large graphs with given degree and diameter*,
arXiv:2406.18994; for Cayley graphs *The Degree Diameter Problem for Cayley Graphs*, Combinatorics
Wiki (combinatoricswiki.org), from memory: look it up before you rely on it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["CAYLEY", "GENERAL", "records"]

GENERAL: dict[int, tuple[int, ...]] = {
    3: (10, 20, 38, 70, 132, 196, 360, 600, 1250),
    4: (15, 41, 98, 364, 740, 1320, 3243, 7575, 17703),
}
"""Nodes of the largest known graphs of each degree, of diameters 2 to 10."""

CAYLEY: dict[int, tuple[int, ...]] = {
    3: (8, 14, 24, 60, 72, 168, 300, 506, 882),
    4: (13, 30, 84, 216, 513, 1155, 3080, 7550, 17604),
}
"""Nodes of the largest known Cayley graphs. If they are right, no graph of `GENERAL` is one."""

CAYLEY_FAMILIES = frozenset({"borel", "metacyclic", "metacyclic-cubic", "star", "twisted-torus"})
"""Families all of whose graphs are Cayley graphs, made from a group."""


def records(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what is known of each degree and diameter beside the largest graph of the rows.

    Directed networks and those with nodes without a terminal do not count.
    """
    found = []
    for degree, nodes in GENERAL.items():
        for diameter, (known, cayley) in enumerate(zip(nodes, CAYLEY[degree], strict=True), 2):
            here = [
                row
                for row in rows
                if (row["degree"], row["diameter"]) == (degree, diameter)
                and row["terminals"] == row["nodes"]
                and not row["directed"]
            ]
            largest = max(here, key=lambda row: row["nodes"], default=None)
            found.append(
                {
                    "degree": degree,
                    "diameter": diameter,
                    "largest_known": known,
                    "largest_known_cayley": cayley,
                    "nodes": largest and largest["nodes"],
                    "network": largest and largest["network"],
                    "cayley": True if largest and largest["family"] in CAYLEY_FAMILIES else None,
                }
            )
    return found
