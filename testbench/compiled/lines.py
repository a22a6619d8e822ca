"""Lines of Verilog that nodes go through, and bits that change, as Verilator counts them."""

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fingerpost.testbench.compiled.hardware import Hardware
from fingerpost.testbench.compiled.node import TOP

POINT = re.compile(r"^C '(.*)' (\d+)$", re.M)

ESCAPED = re.compile(r"__0([0-9A-Fa-f]{2})")
"""What Verilator makes of a character that is none of C's."""

TOGGLE = "v_toggle"

CHANGES = {"0->1": "rises", "1->0": "falls"}

CLOCK = "clk"
"""It has no falling edge: nothing happens at it."""


def counted(hardware: Hardware) -> dict[str, Any]:
    """Return what all kinds of nodes have counted, by module: `lines` of a report.

    The hardware is built to count.
    """
    with tempfile.TemporaryDirectory() as scratch:
        files = hardware.cover(Path(scratch))
        return {"lines": modules(file.read_text(encoding="latin-1") for file in files)}


def modules(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return a row for each module, by name.

    Parameters
    ----------
    texts : iterable of str
        What Verilator writes.

    Returns
    -------
    list of dict
        ``module``; ``lines`` and ``toggles``, blocks and branches, and bits in each direction;
        ``lines_seen`` and ``toggles_seen``, how many of them have been; ``missing``, the names of
        the others.
    """
    hits: dict[tuple[str, bool, str], int] = defaultdict(int)
    for text in texts:
        for keys, count in POINT.findall(text):
            point = dict(field.split("\2", 1) for field in keys.split("\1") if field)
            page, _, module = point["page"].partition("/")
            toggle = page == TOGGLE
            name = _name(point, toggle=toggle)
            if module != TOP and not (toggle and name.split()[0] == CLOCK):
                hits[module, toggle, name] += int(count)
    rows: dict[str, dict[str, Any]] = {}
    for (module, toggle, name), count in sorted(hits.items(), key=lambda item: _order(item[0])):
        row = rows.setdefault(
            module,
            {
                "module": module,
                "lines": 0,
                "lines_seen": 0,
                "toggles": 0,
                "toggles_seen": 0,
                "missing": [],
            },
        )
        what = "toggles" if toggle else "lines"
        row[what] += 1
        if count:
            row[f"{what}_seen"] += 1
        else:
            _miss(row["missing"], name)
    return list(rows.values())


def _miss(missing: list[str], name: str) -> None:
    """Note a name; that of a bit that neither rises nor falls once."""
    bit, _, change = name.rpartition(" ")
    if change == CHANGES["1->0"] and missing and missing[-1] == f"{bit} {CHANGES['0->1']}":
        missing[-1] = bit
    else:
        missing.append(name)


def _name(point: Mapping[str, str], *, toggle: bool) -> str:
    """Return a bit and how it changes, or a place in the text and what is there."""
    what = ESCAPED.sub(lambda found: chr(int(found[1], 16)), point["o"])
    if not toggle:
        return f"line {point['l']}, {point['n']}: {what}"
    bit, _, change = what.rpartition(":")
    return f"{bit} {CHANGES[change]}"


def _order(key: tuple[str, bool, str]) -> tuple[str, bool, str]:
    """Return where a point comes: by module, lines before toggles."""
    module, toggle, name = key
    bit, _, change = name.rpartition(" ")
    return module, toggle, f"{bit} {change != CHANGES['0->1']}"
