"""Verilog of every kind that the generator writes: all routings, terminals, links, extras."""

import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.board.files import board_verilog, node_board_verilog
from fingerpost.hdl.emit.files import write_files
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.port import generate_port
from tests.networks import CASES

Description = dict[str, Any]

TORUS: Description = {"family": "grid", "sizes": [3, 3], "wrap": True}
TABLE: Description = {"topology": TORUS, "routing": {"algorithm": "table"}}
OS_LINK: Description = {"kind": "os-link", "timeout": 1000}
AXI: Description = {"kind": "axi-stream", "timeout": 100}
SHALLOW: Description = {"router": {"buffer_depth": 1}}
"""Amaranth's queues then have an address without bits."""

MAP: Description = {"memory_map": [{"base": 0, "size": 4096, "nodes": "all"}]}

OTHERS: tuple[Description, ...] = (
    {},
    {
        "router": {
            "buffer_depth": 1,
            "routing_register": True,
            "bypass_limit": 3,
            "turn_bypass_limit": 2,
        }
    },
    {"router": {"virtual_channels": 5, "flit_width": 40}, "faults": "node:1"},
    {"counters": {"kind": "axi-lite"}},
    {"terminal": AXI, "counters": {"kind": "axi-lite", "of": "terminals"}, **SHALLOW},
    {"terminal": {"kind": "axi-stream", "clock": "own"}},
    {"terminal": OS_LINK | {"acknowledge": "late", "stop": "ignored", "fifo": 1}, **SHALLOW},
    {"link": {"kind": "os-link", "fifo": 4}},
    {"link": {"kind": "os-link", "fifo": 1}, "terminal": AXI, **SHALLOW},
    {"link": {"kind": "os-link", "clocks_per_bit": 4}, "terminal": OS_LINK},
    {"terminal": {"kind": "mailbox"}, "router": {"classes": 2}},
    {"terminal": AXI | {"endpoints": 4, "clock": "own"}, "router": {"classes": 2}},
    {"terminal": {"kind": "mailbox", "endpoints": 2, "clock": "own", "memory_words": 256}},
    {"terminal": {"kind": "axi-stream", "store": 64}},
    {"terminal": {"kind": "axi-stream", "flow_control": "end-to-end"}},
    {"router": {"hop_cycles": 3, "buffer_depth": 4}},
    {"router": {"service": "local"}},
    {"terminal": {"kind": "axi4", "lite": [1], "managers": [0, 1]}, **MAP},
    {"terminal": {"kind": "axi4", "data_width": 64, "clock": "own"}, **MAP},
    {"topology": TORUS | {"terminals": {0: 3, 1: 1, 4: 2}}, "router": {"virtual_channels": 3}},
    {"link": {"kind": "flit", "cycles": "auto", "reach": 1}, "router": {"buffer_depth": "auto"}},
    {"link": {"kind": "stream", "between": "boards"}, "boards": [[0, 1, 2], [3, 4, 5], [6, 7, 8]]},
)

PORTS: tuple[tuple[OsLinkParameters, bool], ...] = (
    (OsLinkParameters(), False),
    (OsLinkParameters(fifo=1, timeout=100, slot=12, breaks=True), False),
    (OsLinkParameters(acknowledge="late", stop="ignored"), True),
)
"""Ports on their own, and whether they stand behind registers."""


def descriptions() -> Iterator[Description]:
    """Yield each algorithm on each family, and networks with each kind of what stands around."""
    for name, case in CASES.items():
        if len(case["routing"]) == 1:  # choices of an algorithm are left out
            yield case | {"name": name}
    for place, other in enumerate(OTHERS):
        yield {"name": f"torus-{place}", **TABLE, **other}


def _write(modules: dict[str, str], folder: Path) -> None:
    write_files({f"{module}.v": text for module, text in modules.items()}, folder)


def write(folder: Path, names: Collection[str] = ()) -> list[str]:
    """Write the Verilog of everything, or of what is named, each to a folder; return the names."""
    written = []

    def wanted(name: str) -> bool:
        if not names or name in names:
            written.append(name)
            print(name, flush=True)
        return bool(written) and written[-1] == name

    for description in descriptions():
        name = description["name"]
        if wanted(name):
            generate(build(description), folder / name)
    for place, (parameters, registers) in enumerate(PORTS):
        if wanted(f"port-{place}"):
            generate_port(parameters, folder / f"port-{place}", registers=registers)
    pace = {"divisor": 16, "interval": 16}
    if wanted("board"):
        network = build({"name": "board", **TABLE, "terminal": AXI})
        generate(network, folder / "board")
        _write(board_verilog(network, **pace), folder / "board")
    if wanted("node-board"):
        network = build({"name": "node-board", **TABLE, "terminal": AXI, "link": OS_LINK})
        generate(network, folder / "node-board")
        _write(node_board_verilog(network, 1, **pace), folder / "node-board")
    return written


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2:])
