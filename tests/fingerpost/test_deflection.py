"""Deflection routers on the command line."""

import json
import re
from pathlib import Path

import pytest

from tests.fingerpost.common import NETWORKS, Run, written

pytestmark = pytest.mark.usefixtures("here")

NET = NETWORKS / "borel-21-deflection.yaml"
TOPOLOGY = "topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}\n"
START = f"name: x\n{TOPOLOGY}router: {{kind: deflection}}\n"


def test_a_report(run: Run) -> None:
    """Bounds instead of a proof by channels; no loads, no waves, and a table of its own."""
    assert run("report", NET, "-o", ".").status == 0
    text = Path("borel-21-deflection.html").read_text(encoding="utf-8")
    assert "because any free link may take a flit of a deflection router.</p>" in text
    told = re.sub("<[^>]+>", " ", text)
    for name, value in (("time of a flit", "2,048"), ("wait for injection", "4,224")):
        assert re.search(rf"{name}[^\[]*\[cycles\]\s+{value}\s", told)
    assert re.search(r"productive ports and distance\s+192\s+5\s", told)  # 32 entries of 6 bits
    assert "<h2>Loads" not in text
    assert "Waves" not in told


def test_files_of_a_board(run: Run) -> None:
    """Its terminals become AXI4-Stream with flow control."""
    assert run("board", NET, "--files", "-o", "board").status == 0
    top = Path("board/borel_21_deflection_board.v").read_text(encoding="utf-8")
    assert ".node_1_m_axis_tdata(m_axis_tdata[" in top
    assert "errors" in top.partition("wire trouble = ")[2].partition(";")[0]


@pytest.mark.usefixtures("plain")
def test_throughput_that_failed_links_leave(run: Run) -> None:
    """Each copy has two links fewer of 42, and the tables that go with it."""
    arguments = "--link-failure", 0.04, "--copies", 1, "--cycles", 200, "--samples", 100
    left = run("survive", NET, *arguments, "--json").json["left"]
    (copy,) = left["copies"]
    assert copy["faults"] == "links=4%,seed=0"
    assert left["whole"]["saturation"] is None
    assert 0.6 < copy["accepted"] < left["whole"]["accepted"] - 0.02


def test_a_network_whose_links_may_fail(run: Run) -> None:
    """The outputs of what writes tables are inputs of the network, of the same widths."""
    net = written(Path(), START.replace("deflection}", "deflection, link_up: true}"))
    assert run("generate", net, "-o", "out").status == 0
    found = json.loads(Path("out/x.json").read_text(encoding="utf-8"))
    ports = {port["name"]: port["bits"] for port in found["network_ports"]}
    assert ports["node_{v}_link_up"] == 4
    tables = found["router"]["tables"]
    assert [row["offset"] for row in tables["registers"]] == [0, 4, 8]
    (module,) = Path("out").glob(f"**/{tables['module']}.v")
    text = module.read_text(encoding="utf-8")
    for name in ("table_write", "table_destination", "table_entry"):
        bits = 21 * ports[f"node_{{v}}_{name}"]
        assert re.search(rf"^  output( reg)? +\[{bits - 1}:0\] +{name}\b", text, re.M)
    (fields,) = tables["entry"].values()
    assert [field["name"] for field in fields] == ["productive", "distance"]
