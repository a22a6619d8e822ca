"""What a survey found, as people read it, and the files of it; the largest graphs published.

Sources: the table of the largest known graphs of a diameter and maximal degree, at Wikipedia, as of
June 2024, and F. Comellas, *Table of large graphs with given degree and diameter*,
arXiv:2406.18994; for Cayley graphs *The Degree Diameter Problem for Cayley Graphs*, Combinatorics
Wiki (combinatoricswiki.org), from memory: look it up before you rely on it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fingerpost.jobs.console import aligned
from fingerpost.survey.survey import Row
from fingerpost.sweeps.output import Output

__all__ = ["CAYLEY", "GENERAL", "facts", "records", "render", "save"]

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

COLUMNS = {
    "network": "network",
    "nodes": "nodes",
    "degree": "degree",
    "diameter": "diameter",
    "mean_distance": "mean",
    "bound": "bound",
    "algorithm": "routing",
    "saturation": "saturation",
    "virtual_channels": "channels",
    "table_bits": "bits",
}
"""The columns that people are shown, by their keys."""

RECORDS = {
    "degree": "degree",
    "diameter": "diameter",
    "nodes": "nodes",
    "network": "network",
    "largest_known_cayley": "published Cayley",
    "largest_known": "published",
}
"""The columns of the records."""

WORDS = "network", "algorithm"
"""Those of text."""


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


def facts(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows as the answer of a command.

    Keys
    ----
    networks
        For each network and routing: `kind` (`dense`, `other`, `given`), `network`, `family`,
        `nodes`, `terminals`, `degree`, `directed`, `diameter`, `mean_distance`, `algorithm`,
        `mean_hops`, `saturation`, `bound`, `virtual_channels`, `table_bits`, `header_width`,
        `found_by` (arguments of `fingerpost` that find a dense graph).
    records
        For degrees 3 and 4 and diameters 2 to 10: `degree`, `diameter`, `largest_known`,
        `largest_known_cayley` (nodes of published graphs), and of the largest undirected network
        of the survey `network`, `nodes`, `cayley` (`null`: not known to be one).
    """
    return {"networks": list(rows), "records": records(rows)}


def render(facts: Mapping[str, Any]) -> str:
    """Return the rows as a table, a line each, and the records that they come near."""
    lines = _table(COLUMNS, facts["networks"])
    lines += [
        "",
        "mean: mean distance in hops; bound and saturation in flits per terminal and cycle",
        "bits: tables of a router; -: too many routes to follow, or none (deflection)",
    ]
    near = [row for row in facts["records"] if row["network"] is not None]
    if near:
        lines += ["", *_table(RECORDS, near), "", "published: nodes of the largest graphs known"]
    return "\n".join(lines)


def _table(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line with the names of the columns, and one for each row."""
    cells = [list(columns.values())]
    cells += [[_shown(row[key]) for key in columns] for row in rows]
    return aligned(cells, left=[place for place, key in enumerate(columns) if key in WORDS])


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def save(found: Mapping[str, Any], output: Output) -> list[Path]:
    """Draw the picture, and write the rows as a table and as JSON; return the files."""
    from fingerpost.survey import chart

    return output.save(partial(chart.draw, found["networks"]), found["networks"], found)
