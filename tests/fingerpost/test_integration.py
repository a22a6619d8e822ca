"""Generated networks in designs of others, and networks of deflection routers in all commands."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.parameters import example
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.hdl.emit.network import clocks, vectors
from fingerpost.hdl.export.benches import verilog_bench
from fingerpost.hdl.export.generate import generate
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS, Run, written
from tests.hdl.simulators import said

DOCS = Path(__file__).parents[2] / "docs/howto"
PAGE = (DOCS / "integrate.md").read_text(encoding="utf-8")
EXAMPLES = (DOCS.parent / "design/networks.md").read_text(encoding="utf-8")

BENCH = Path(__file__).with_name("integration.v").read_text()


def table(heading: str) -> list[list[str]]:
    """The rows below the first table of the page whose heading begins so."""
    after = f"{PAGE}{EXAMPLES}".partition(f"\n| {heading}")[2].split("\n")[2:]
    rows = after[: next(i for i, line in enumerate(after) if not line.startswith("|"))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def described(topology: Any, routing: dict[str, Any]) -> dict[str, Any]:
    return {"name": "a", "topology": topology, "routing": routing}


def credits(algorithm: str, options: dict[str, str]) -> int:
    families = ALGORITHMS[algorithm].families
    topology = dict(load(NETWORKS / "petersen.yaml").description["topology"])
    if families:
        topology = {"family": families[0], **example(FAMILIES[families[0]])}
    return build(described(topology, {"algorithm": algorithm, **options})).terminal_depth


@pytest.mark.regress
def test_credits_of_every_algorithm() -> None:
    seen = set()
    *rows, (others, rest) = table("`algorithm`")
    for algorithms, number in rows:
        words = re.findall(r"[\w-]+(?:: \w+)?", algorithms.replace("`", ""))
        options = dict(word.split(": ") for word in words if ": " in word)
        for algorithm in (word for word in words if ": " not in word):
            assert credits(algorithm, options) == int(number), algorithm
            seen.add(algorithm)
    assert others == "all others"
    for algorithm in set(ALGORITHMS) - seen:
        assert credits(algorithm, {}) == int(rest), algorithm


def test_ports_are_those_of_the_module() -> None:
    rows = [
        (name, direction)
        for names, direction, *_ in table("port | direction")
        for name in re.findall(r"`(\w+)`", names)
    ]
    network = load(NETWORKS / "borel-21-os-link.yaml")
    ports = [*clocks(network), *vectors(network)]
    assert rows == [(port.name, port.direction.removesuffix("put")) for port in ports]


def test_names_of_nodes() -> None:
    for network, *names in table("network | node 0"):
        topology = load(NETWORKS / f"{network.split()[0]}.yaml").topology
        last, _, name = names.pop().partition(": ")
        assert [topology.name(v) for v in range(3)] == [x.strip("`") for x in names]
        assert int(last) == topology.nodes - 1
        assert topology.name(int(last)) == name.strip("`")


def test_commands_of_the_bench_are_those_in_the_file() -> None:
    text = verilog_bench(load(NETWORKS / "borel-21.yaml"))
    assert text is not None
    commands = re.findall(r"^// In (?:Icarus|Verilator): (.*)", text, flags=re.M)
    assert len(commands) == 2
    for command in commands:
        assert f"\n{command}\n" in PAGE


@pytest.mark.regress
@pytest.mark.parametrize(
    ("name", "file", "least"),
    [
        ("borel-21", "example.v", 35),
        ("borel-21-axi", "example_axi.v", 22),
    ],  # of 50, and of 33: flits a cycle
)
def test_example_delivers_its_packets(name: str, file: str, least: int, tmp_path: Path) -> None:
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    generate(load(NETWORKS / f"{name}.yaml"), tmp_path)
    example = (DOCS / file).read_text(encoding="utf-8")
    module = re.findall(r"module (\w+)", example)[0]
    (tmp_path / "example.v").write_text(example)
    (tmp_path / "bench.v").write_text(BENCH.replace("EXAMPLE", module))
    files = f"{name.replace('-', '_')}.f"
    sources = "-f", files, "example.v", "bench.v"
    said("iverilog", "-o", "bench", "-s", "bench", *sources, folder=tmp_path)
    told = said("vvp", "-n", "bench", folder=tmp_path)
    found = re.fullmatch(r"(\d+) packets, errors 0\n", told.partition("bench.v")[0])
    assert found, told
    assert int(found[1]) > least


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
