"""Routers alone in lock-step with the model: what they go through, and what is found of them.

Lines and toggles of their Verilog, too, as Verilator counts them.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.router_script import ALL_TURNS, RouterBench
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.lines import modules
from fingerpost.testbench.cosim import run
from fingerpost.testbench.write import write
from tests.networks import BOREL, PETERSEN, built, only

pytestmark = pytest.mark.usefixtures("hasty")

IRREGULAR = {"family": "edge-list", "nodes": 4, "links": [(0, 1), (1, 2), (2, 3), (1, 3)]}


def of(topology: dict[str, Any], algorithm: str, **router: Any) -> dict[str, Any]:
    return {
        "name": "alone", "topology": topology, "routing": {"algorithm": algorithm},
        "router": router,
    }  # fmt: skip


CASES = {
    "depth-1": of(PETERSEN, "table", buffer_depth=1, flit_width=64),
    "depth-2-lanes": of(BOREL, "two-phase", virtual_channels=4, bypass_limit=2, buffer_depth=2),
    "depth-3-register": of(
        {"family": "grid", "sizes": [4, 4], "wrap": True}, "dimension-order",
        buffer_depth=3, flit_width=16, bypass_limit=1, routing_register=True,
    ),
    "depth-4-directed": of({"family": "rotator", "n": 3}, "rotator", buffer_depth=4, flit_width=8),
    "depth-5-random": of({"family": "scc", "n": 3}, "random", buffer_depth=5, flit_width=24),
    "depth-8-adaptive": of(BOREL, "adaptive", buffer_depth=8, flit_width=40),
    "8-channels": of(IRREGULAR, "table", virtual_channels=8, buffer_depth=2, flit_width=66),
    "irregular": of({"family": "kyklos", "m": 2, "r": 2, "n": 2}, "m", flit_width=48),
}  # fmt: skip
"""Depths 1 to 8, flits of 8 to 66 bits, 1 to 8 channels, kinds of nodes."""


def cycles(name: str) -> int:
    """Return as many cycles as all takes that is possible."""
    return ALL_TURNS * (4 if name == "8-channels" else 1)


def unreachable(name: str, missing: Sequence[str]) -> bool:
    """Return whether what is missing cannot be.

    In a queue of one flit there is no room before it has gone; only a terminal may send without.
    """
    return name == "depth-1" and all("push while pop" in key for key in missing)


@pytest.mark.parametrize("name", only(["depth-1"], CASES))
def test_routers_go_through_all_that_is_possible(name: str) -> None:
    script = RouterBench(build(CASES[name]), engine="compiled", cycles=cycles(name)).script()
    seen = dict.fromkeys(dict(script.layout.given), 0)
    for turn in script.turns():
        while (chunk := turn.chunk(256)).cycles:
            for field, column in chunk.given.items():
                seen[field] |= int(np.bitwise_or.reduce(column, axis=None))
    missing = script.facts()["missing"]
    assert not missing or unreachable(name, missing), missing
    # Every bit occurs: all channels, head, tail, and all data that the model has, 63 bits of more.
    used = {field: width if width <= 64 else 63 for field, width in script.layout.given}
    assert {x: value & (1 << 64) - 1 for x, value in seen.items()} == {
        field: (1 << width) - 1 for field, width in used.items()
    }


@pytest.mark.regress
@pytest.mark.parametrize("name", CASES)
def test_routers_alone_are_as_the_model(name: str, tmp_path: Path) -> None:
    bench = make(build(CASES[name]), "router", engine="compiled", cycles=cycles(name))
    result = run(bench, simulator="verilator", directory=tmp_path)
    assert (result.mismatches, result.message, result.count) == (0, "", cycles(name))
    facts = result.details
    assert facts["flits"] > ALL_TURNS
    assert facts["errors"] > 255
    assert facts["overruns"] > 0
    assert facts["covered"] == facts["coverable"] or unreachable(name, facts["missing"])
    # A router that has the constants of another goes another way.
    sources = write(bench, tmp_path / "planted")
    network = tmp_path / "planted" / "network.v"
    nodes = re.split(r"(?<=\.straps\()([^)]*)", network.read_text())
    other = next(place for place in range(1, len(nodes), 2) if nodes[place] != nodes[1])
    nodes[other] = nodes[1]
    network.write_text("".join(nodes))
    found = run(bench, simulator="verilator", directory=tmp_path, sources=sources)
    assert found.mismatches == 1
    where = rf"cycle \d+, node {other // 2}, (port \d|terminal): expected \w+ 0x\w+, seen 0x\w+"
    assert re.fullmatch(rf"(after \d+ resets, )?{where}", found.message)


def point(page: str, what: str, count: int, *, line: int = 4) -> str:
    fields = {"f": "node.v", "l": line, "n": 5, "page": page, "o": what, "h": "node.a"}
    keys = "".join(f"\1{key}\2{value}" for key, value in fields.items())
    return f"C '{keys}' {count}\n"


def test_reads_what_verilator_writes() -> None:
    bits = [
        *(("x:0->1", 3), ("x:1->0", 2), ("crossing___05F1__02479__02ehead[2]:0->1", 0)),
        *(("crossing___05F1__02479__02ehead[2]:1->0", 0), ("c[10]:1->0", 0), ("c[10]:0->1", 1)),
        *(("clk:0->1", 9), ("clk:1->0", 0), ("b:0->1", 0), ("b:1->0", 1)),
    ]
    text = "# SystemC::Coverage-3\n" + "".join(
        [
            *(point("v_toggle/a", name, count) for name, count in bits),
            point("v_branch/a", "if", 0), point("v_line/a", "block", 7, line=2),
            point("v_toggle/compiled_node", "held_straps:0->1", 1),
            point("v_toggle/a.b", "q:0->1", 1),
        ]
    )  # fmt: skip
    first, second = modules([text])
    assert first == {
        "module": "a", "lines": 2, "lines_seen": 1, "toggles": 8, "toggles_seen": 4,
        "missing": ["line 4, 5: if", "b rises", "c[10] falls", "crossing__1$79.head[2]"],
    }  # fmt: skip
    assert second == {
        "module": "a.b", "lines": 0, "lines_seen": 0, "toggles": 1, "toggles_seen": 1,
        "missing": [],
    }  # fmt: skip


def test_adds_up_what_several_have_seen() -> None:
    texts = [point("v_toggle/a", "x:0->1", count) for count in (0, 2)]
    (row,) = modules(texts)
    assert (row["toggles"], row["toggles_seen"], row["missing"]) == (1, 1, [])


@pytest.mark.regress
@pytest.mark.parametrize("level", ["router", "network"])
def test_routers_go_through_all_lines(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "OPTIMISE", "-O0")
    network = built({"family": "rotator", "n": 3}, "rotator", name="lines", flit_width=8)
    cycles = ALL_TURNS if level == "router" else 200
    bench = make(network, level, engine="compiled", cycles=cycles, lines=True)
    result = run(bench, simulator="verilator", directory=tmp_path)
    assert result.mismatches == 0
    rows = result.details["lines"]
    total, seen = (sum(row[key] for row in rows) for key in ("lines", "lines_seen"))
    toggles, toggled = (sum(row[key] for row in rows) for key in ("toggles", "toggles_seen"))
    if level == "router":  # each of the three letters is one of 0, 1, 2: no arm is for a fourth
        assert seen == total - 3 > 100
        (arms,) = (row["missing"] for row in rows if row["lines"] > row["lines_seen"])
        assert sum("cond_else" in each for each in arms) == 3
        # The others are constants, of nodes and of ports.
        assert 0.9 * toggles < toggled < toggles
    else:  # without malformed packets
        assert seen < total
