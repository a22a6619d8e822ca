"""Networks of which one node is not like the others."""

import re
from collections.abc import Callable
from pathlib import Path

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches import make
from fingerpost.testbench.write import write
from tests.testbench.faults.networks import ROTATOR_6

ROTATOR = ROTATOR_6 | {"name": "rotator"}
FLIPPED = 3
"""The node with a planted fault."""


def planted(folder: Path, change: Callable[[str], str]) -> list[Path]:
    """Return sources in which one node has something else around its router."""
    sources = write(make(build(ROTATOR), "network"), folder)
    texts = {path.name: path.read_text() for path in sources}
    module = texts["rotator_router.v"]
    header = module[module.index("module rotator_router(") :]
    names = re.findall(r"\w+", header[header.index("(") : header.index(")")])
    ports = [re.search(rf"(in|out)put (\[\d+:0\] )?{name};", header) for name in names]
    declared = "".join(f"  {port[0]}\n" for port in ports if port)
    inner = ", ".join(f".{name}({name})" for name in names)
    other = (
        f"module other({', '.join(names)});\n{declared}  reg [15:0] count;\n"
        "  always @(posedge clk) count <= rst ? 0 : count + 1;\n"
        f"  rotator_router wrapped({inner});\nendmodule\n"
    )
    renamed = re.sub(r"\brotator_router\b", "inner_router", f"{change(other)}\n{module}")
    (folder / "other.v").write_text(renamed)
    text = texts["network.v"]
    changed = text.replace(f"rotator_router node_{FLIPPED}(", f"other node_{FLIPPED}(")
    assert changed != text
    (folder / "network.v").write_text(changed)
    return [*sources, folder / "other.v"]
