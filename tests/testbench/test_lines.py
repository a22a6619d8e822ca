"""Lines and toggles that Verilator counts: what is read from its file, and what a bench sees."""

from pathlib import Path

import pytest

from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.coverage import modules
from fingerpost.testbench.compiled.routers import ALL_TURNS
from fingerpost.testbench.cosim import run
from tests.golden.model.networks import built

VERILOG = "module a;\n  always @* begin\n    if (\\$start ) begin end\n    if (x) y = 1;\n  end\n"


def point(page: str, what: str, count: int, *, line: int = 4) -> str:
    fields = {"f": "node.v", "l": line, "n": 5, "page": page, "o": what, "h": "node.a"}
    keys = "".join(f"\1{key}\2{value}" for key, value in fields.items())
    return f"C '{keys}' {count}\n"


def test_reads_what_verilator_writes() -> None:
    bits = [
        *(("x:0->1", 3), ("x:1->0", 2), ("crossing___05F1__02479__02ehead[2]:0->1", 0)),
        *(("crossing___05F1__02479__02ehead[2]:1->0", 0), ("c[10]:1->0", 0), ("c[10]:0->1", 1)),
        *(("clk:0->1", 9), ("clk:1->0", 0), ("__024start:0->1", 0), ("b:0->1", 0), ("b:1->0", 1)),
    ]
    text = "# SystemC::Coverage-3\n" + "".join(
        [
            *(point("v_toggle/a", name, count) for name, count in bits),
            point("v_branch/a", "if", 0), point("v_line/a", "block", 7, line=2),
            point("v_branch/a", "if", 0, line=3),  # never true, and none of the hardware's
            point("v_toggle/compiled_node", "held_straps:0->1", 1),
            point("v_toggle/a.b", "q:0->1", 1),
        ]
    )  # fmt: skip
    first, second = modules([(text, VERILOG)])
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
    (row,) = modules((text, VERILOG) for text in texts)
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
    if level == "router":
        assert seen == total > 100
        # The others are constants, of nodes and of ports.
        assert 0.9 * toggles < toggled < toggles
    else:  # without malformed packets
        assert seen < total
