"""What a survey found, as people read it, and the files that it is written to."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.hdl.emit.staged import staged
from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.files import write_text
from fingerpost.survey.row import Row
from fingerpost.sweeps import tables
from fingerpost.sweeps.facts import beside, called, check_files

__all__ = ["beside", "called", "check_files", "facts", "render", "save"]

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

WORDS = "network", "algorithm"
"""Those of text."""


def facts(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows as the answer of a command.

    Keys
    ----
    networks
        For each network and routing: `kind` (`dense`, `other`, `given`), `network`, `family`,
        `nodes`, `terminals`, `degree`, `diameter`, `mean_distance`, `algorithm`, `mean_hops`,
        `saturation`, `bound`, `virtual_channels`, `table_bits`, `header_width`, `found_by`
        (arguments of `fingerpost` that find a dense graph).
    """
    return {"networks": list(rows)}


def render(facts: Mapping[str, Any]) -> str:
    """Return the rows as a table, a line each."""
    rows = [list(COLUMNS.values())]
    rows += [[_shown(row[key]) for key in COLUMNS] for row in facts["networks"]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            text.ljust(width) if key in WORDS else text.rjust(width)
            for key, text, width in zip(COLUMNS, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(
        (
            *lines,
            "",
            "mean: mean distance in hops; bound and saturation in flits per terminal and cycle",
            "bits: tables of a router; -: too many routes to follow, or none (deflection)",
        )
    )


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def save(found: Mapping[str, Any], output: Path, *, table: str, picture: str) -> list[Path]:
    """Draw the picture, and write the rows as a table and as JSON; return the files."""
    from fingerpost.survey import chart

    names = [beside(output, suffix).name for suffix in (picture, table, "json")]
    with staged(output.parent) as folder:
        chart.draw(found["networks"], folder / names[0])
        tables.save(found["networks"], folder / names[1])
        text = json.dumps({"schema": SCHEMA, **found}, allow_nan=False, indent=1) + "\n"
        write_text(folder / names[2], text)
    return [output.with_name(name) for name in names]
