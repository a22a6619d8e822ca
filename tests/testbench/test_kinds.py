"""Kinds of links and terminals: each has its twin, and what is outside of them serves any."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.link import LINKS
from fingerpost.golden.network.network import build
from fingerpost.golden.terminal import TERMINALS
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.link import LINK_ENDS
from fingerpost.hdl.node import additions
from fingerpost.hdl.terminal import TERMINAL_ENDS
from fingerpost.netfile.schema import LINK_PARTS, TERMINAL_PARTS
from fingerpost.testbench.benches import make
from fingerpost.testbench.runner import cosimulate
from fingerpost.testbench.write import write
from tests.testbench.late_kinds import registered

LINE: dict[str, Any] = {
    "name": "line",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2)]},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 24},
}
LATE = {"kind": "late"}


@pytest.mark.parametrize(
    ("kinds", "ends", "parts"),
    [(LINKS, LINK_ENDS, LINK_PARTS), (TERMINALS, TERMINAL_ENDS, TERMINAL_PARTS)],
    ids=["links", "terminals"],
)
def test_every_kind_has_its_twin_and_its_keys(
    kinds: dict[str, Any], ends: dict[str, Any], parts: tuple[Any, ...]
) -> None:
    assert [*ends] == [*kinds, "single-flit"]  # that of deflection routers
    known = [part.model_json_schema()["properties"]["kind"]["const"] for part in parts]
    assert known == [*kinds]


def test_refuses_an_unknown_kind() -> None:
    message = r"^Terminal needs a kind that is credit, axi-stream, os-link or mailbox, not 'late'$"
    with pytest.raises(ValueError, match=message):
        build(LINE | {"terminal": LATE})


@pytest.mark.regress
@pytest.mark.parametrize(
    "kinds",
    [{"link": LATE, "terminal": LATE}, {"link": LATE}, {"terminal": LATE}],
    ids=" ".join,
)
def test_lock_step_with_other_kinds(kinds: dict[str, Any], tmp_path: Path) -> None:
    with registered():
        network = build(LINE | kinds)
        assert additions(network) == ["registers" for _ in kinds]
        assert manifest(network, {})["modules"]["node"] == "line_node_0"
        bench = make(network, "network", seed=3, cycles=300, load=0.4, malformed=0.1)
        report = cosimulate(
            "tests.testbench.late_kinds",
            sources=write(bench, tmp_path / "sources"),
            toplevel=bench.top,
            simulator="icarus",
            folder=tmp_path,
            cache=tmp_path / "built",
            parameters=bench.parameters(),
        ).report
    assert (report["mismatches"], report["message"]) == (0, "")
    assert report["delivered"] == report["packets"] > 50
