"""What programs see: `import fingerpost`, and every key of every answer, each documented."""

import re
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from venv import EnvBuilder

import networkx as nx
import numpy as np
import pytest
import yaml

import fingerpost
from fingerpost.formal.hardware import FINDINGS
from fingerpost.golden.network.network import Network
from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.runner import Job, Points
from fingerpost.netfile.source import read
from scripts.answers import ANSWERS, COMMON, entries, page
from tests.fingerpost.commands import test_hardware
from tests.fingerpost.common import NETWORKS, InProcess, Run, drawn, python, words

ROOT = NETWORKS.parent


@pytest.fixture(scope="module")
def network() -> Network:
    return fingerpost.load(NETWORKS / "borel-21.yaml")  # as in a notebook, where it has a picture


def test_a_network_is_a_line(network: Network) -> None:
    routed = read(NETWORKS / "torus-8x8.yaml").routed()
    assert repr(network) == (
        "<Network borel-21: borel, 21 nodes of degree 4, two-phase routing, 2 virtual channels>"
    )
    assert repr(routed) == (
        "<Routed torus-8x8: grid, 64 nodes of degree 4, dimension-order routing>"
    )


def test_without_matplotlib_there_is_no_picture(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fingerpost.drawing.draw", None)
    assert network._repr_svg_() is None


def test_draw_is_that_of_the_command(network: Network, run: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    options = ("--route", "0:16", "--loads")
    assert run("draw", NETWORKS / "borel-21.yaml", "-o", one, *options).status == 0
    assert fingerpost.draw(network, str(other), route=(0, 16), loads="uniform") == other
    assert drawn(one) == drawn(other)
    assert run("draw", NETWORKS / "borel-21.yaml", "-o", one).status == 0
    assert drawn(one) == drawn(network._repr_svg_() or "")  # in a notebook


def test_proof_and_route_are_those_of_the_commands(
    network: Network, run: Run, tmp_path: Path
) -> None:
    found, path = fingerpost.prove(network), tmp_path / "certificate.json"
    answer = run("prove", NETWORKS / "borel-21.yaml", "-o", tmp_path, "--json").json
    assert (found.channels, found.dependencies) == (answer["channels"], answer["dependencies"])
    assert found.certificate["wiring_sha256"] in path.read_text(encoding="utf-8")
    way = fingerpost.route(network, "0,0", 16)
    answer = run("route", NETWORKS / "borel-21.yaml", 0, 16, "--json").json
    assert list(way.nodes) == answer["nodes"] == [0, 4, 10, 16]
    assert (way.hops, way.distance) == (answer["hops"], answer["distance"])


def test_sweep_takes_one_network_or_several(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Any, Any]] = []

    def run(job: Job[Any], points: Points[Any], **_: Any) -> None:
        given.append((job.settings, [job.arguments(point) for point in points.ready(9)]))
        raise KeyboardInterrupt

    monkeypatch.setattr("fingerpost.sweeps.sweep.run", run)
    for networks in (network, [network]):
        with pytest.raises(KeyboardInterrupt):
            fingerpost.sweep(networks, loads=[0.1], packet_length="1..4")
    assert given[0] == given[1]
    settings, points = given[0]
    assert [settings[key] for key in ("traffic", "arrivals", "packet_length")] == [
        "uniform", "bernoulli", "1..4",
    ]  # fmt: skip
    assert points


WRONG = """
import fingerpost

network = fingerpost.load("net.yaml")
reveal_type(fingerpost.simulate(network, load=0.2, cycles=100).accepted.mean)
reveal_type(fingerpost.route(network, 0, 16).nodes)
fingerpost.simulate(network, lod=0.2)
fingerpost.lod("net.yaml")
fingerpost.prove(network).need
"""


@pytest.mark.regress
def test_a_users_mypy_sees_what_is_wrong(tmp_path: Path) -> None:
    EnvBuilder().create(tmp_path / "venv")
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "installed.pth").write_text("\n".join([str(ROOT), *packages]))
    (tmp_path / "program.py").write_text(WRONG)
    options = "--strict", "--python-executable", tmp_path / "venv" / "bin" / "python"
    ended = python("-m", "mypy", *options, "program.py", cwd=tmp_path)
    lines = ended.stdout.splitlines()
    for number, message in (
        (5, 'Revealed type is "float"'),
        (6, 'Revealed type is "tuple[int, ...]"'),
        (7, 'Unexpected keyword argument "lod" for "simulate"'),
        (8, 'Module has no attribute "lod"'),
        (9, '"Proof" has no attribute "need"'),
    ):
        found = [line for line in lines if line.startswith(f"program.py:{number}: ")]
        assert any(message in line for line in found), ended.stdout


EVERY = """
examples
examples petersen -o copies
info borel-21.yaml
info borel-21-os-link.yaml
info borel-21.yaml FAULTS
info borel-21-deflection.yaml
info borel-21.yaml borel-21-deflection.yaml --compare
route borel-21.yaml 0 16
route borel-21.yaml 0 16 FAULTS
loads borel-21.yaml
loads borel-21.yaml --traffic hotspot:nodes=3
loads borel-21.yaml FAULTS
survive borel-21.yaml --samples 64 --link-failure 0
survive borel-21.yaml --samples 64 --link-failure 0.1 --copies 1
survive braided-ring-16.yaml --node-failure 0
simulate borel-21.yaml --cycles 50 --traffic shuffle --by hops --by flow --by class --classes 1
simulate mesh-4x4-axi4.yaml --cycles 50 --outstanding 4
simulate borel-21.yaml --cycles 50 FAULTS
simulate borel-21-deflection.yaml --cycles 50
sweep borel-21.yaml --cycles 20 --loads 0.1 --resolution 0.5 --latency-limit 3 --classes 1
sweep mesh-4x4-axi4.yaml --cycles 50 --loads 0.1 --resolution 0 --outstanding 4
soak borel-21.yaml --flits 10 --packet-length 1
cosim borel-21.yaml --level unit
cosim borel-21.yaml --level path
cosim borel-21.yaml --level network
cosim borel-21.yaml FAULTS
cosim borel-21-os-link.yaml --level clocks
cosim borel-21-deflection.yaml --level network
cosim borel-21.yaml --level network --simulator verilator --engine compiled
cosim borel-21.yaml --level router --simulator verilator --engine compiled
cost borel-21.yaml --seeds 1
cost borel-21.yaml --seeds 1 --depth 2,4
cost borel-21-deflection.yaml --seeds 1
board small.yaml -o board
board linked.yaml -o node --part node --node 1 --files
order borel-21.yaml --steps 0
prove borel-21.yaml --output certificate.json --rtl
prove borel-21-deflection.yaml
reproduce two-phase-1995/table-1
search --diameter 3 --p-max 13
search --diameter 3 --family metacyclic --max-nodes 30
search --diameter 2 --family circulant
survey borel-21.yaml
"""
UNDECIDED = 5
EVERYWHERE = {"schema", "provenance"}
FAULTS = "--faults links=1 --routing up-down"
CASES = [line.replace("FAULTS", FAULTS) for line in EVERY.strip().splitlines()]
COMMANDS = dict.fromkeys(case.split()[0] for case in CASES)
WITH_NETWORK = {*COMMANDS} - {"examples", "reproduce", "search", "soak", "survey", "sweep"}


def keys(*makers: Any) -> set[str]:
    """The keys that docstrings describe, without those of objects in the answer."""
    return {
        name
        for maker in makers
        for entry in entries(maker)
        for name in entry.names
        if "." not in name
    }


@pytest.fixture
def stand_ins(
    plain: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tools: SimpleNamespace,
    bench: SimpleNamespace,
) -> None:
    bench.details = lambda asked: dict.fromkeys((asked.counted, *asked.facts), 1)
    monkeypatch.setattr("fingerpost.commands.cosim.versions", lambda *_, **__: {})
    monkeypatch.setattr("fingerpost.jobs.runner.pool", lambda *_: nullcontext(InProcess()))
    monkeypatch.setitem(FINDINGS, "wormhole", lambda *_: [])
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 300)
    monkeypatch.setattr("fingerpost.commands.board.run_tool", test_hardware.tools)
    monkeypatch.setattr("fingerpost.commands.board.find_tool", lambda name: name)
    (tmp_path / "small.yaml").write_text(test_hardware.SMALL)
    (tmp_path / "linked.yaml").write_text(test_hardware.LINKED)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("stand_ins")
def test_every_key_is_documented(run: Run, command: str) -> None:
    found: set[str] = set()
    for case in (case for case in CASES if case.split()[0] == command):
        ended = run(*words(case), "--json")
        assert ended.status == (UNDECIDED if command == "simulate" else 0)  # 50 cycles are few
        assert ended.json["schema"] == SCHEMA
        assert ("network" in ended.json) == (command in WITH_NETWORK)
        found |= set(ended.json)
        made = ended.json["provenance"]
        assert made["command"] == shlex.join(("fingerpost", *words(case), "--json"))
        assert bool(made["networks"]) == any(".yaml" in word for word in words(case)[:2])
    assert found == keys(*ANSWERS[command]) | EVERYWHERE
    for entry in (entry for maker in ANSWERS[command] for entry in entries(maker)):
        assert entry.meaning or {*entry.names} <= keys(COMMON), entry.names
    assert f"\n## {command}\n" in page()


def test_common_keys_are_those_of_more_than_one_command() -> None:
    assert [*ANSWERS] == [*COMMANDS]
    sections = [keys(*makers) for makers in ANSWERS.values()]
    for key in keys(COMMON) - EVERYWHERE:
        assert sum(key in section for section in sections) > 1, key


def test_arguments_make_the_network_of_the_file(here: None) -> None:
    """As if they stood in a file, and of a graph as if it had been written to one."""
    text: dict[str, Any] = {
        "name": "x",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
        "routing": {"algorithm": "up-down"},
        "router": {"buffer_depth": 4},
        "terminal": {"kind": "axi4"},
        "memory_map": [{"base": 0, "size": 4096, "nodes": "all"}],
        "faults": "link:0-4",
    }
    Path("x.yaml").write_text(yaml.safe_dump(text))
    loaded = fingerpost.load("x.yaml")
    assert fingerpost.network(**text).description == loaded.description
    arrays = text | {
        "topology": text["topology"] | {"p": np.int64(7), "A": (0, 1), "B": np.array([1, 1])},
        "routing": "up-down",
        "faults": ["link:0-4"],
    }
    assert fingerpost.network(**arrays).description == loaded.description
    graph = nx.grid_2d_graph(3, 2)
    nx.set_node_attributes(graph, {(1, 1): False}, "terminal")
    nx.write_graphml(nx.relabel_nodes(graph, lambda node: f"{node[0]},{node[1]}"), "g.graphml")
    of_file = {"family": "edge-list", "file": "g.graphml"}
    description = fingerpost.network(topology=of_file).description["topology"]
    assert fingerpost.network(topology=graph).description["topology"] == description
    assert description["names"] == ["0,0", "0,1", "1,0", "1,1", "2,0", "2,1"]
    assert description["terminals"] == [0, 1, 2, 4, 5]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"topology": nx.petersen_graph()}, "petersen-graph"),
        ({"topology": nx.Graph([("a", "b")])}, "graph"),
        ({"topology": {"family": "star", "n": 3}}, "star"),
        ({"topology": {"family": "star", "n": 3}, "name": "mine"}, "mine"),
    ],
)
def test_networks_of_arguments_have_names(given: dict[str, Any], name: str) -> None:
    assert fingerpost.network(**given).name == name


STAR = {"family": "star", "n": 3}
BOREL = "{family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}"
WAY = "Edge-list needs a way from every node to every other"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topology": STAR | {"n": 2}}, "topology.n: Star needs n in 3..9, not 2"),
        ({"topology": STAR | {"m": 2}}, "topology.m: unknown key; the keys here are family, n"),
        ({"topology": "star"}, f"topology: needs keys, as in topology: {BOREL}, not 'star'"),
        ({"topology": STAR, "router": {"vcs": 2}},
         "router.vcs: unknown key; did you mean virtual_channels?"),
        ({"topology": STAR, "routing": "chordal-ring"},
         "routing.algorithm: Chordal-ring routing needs a borel network, not star"),
        ({"topology": STAR, "routing": "table:choice"},
         "routing table:choice: needs KEY=VALUE behind the colon, not 'choice'"),
        ({"topology": STAR, "faults": "node:9"}, "faults: Faults need nodes that are there: "),
        ({"topology": STAR, "name": "My"}, "name: needs 1 to 64 of the characters a-z 0-9 _ -, a "),
        ({"topology": nx.star_graph(33)},
         "topology: Edge-list needs at most 32 links at a node, not 33 at 0"),
        ({"topology": nx.DiGraph([("a", "b")])}, f"topology: {WAY}, not none from b to a; links"),
        ({"topology": nx.Graph([("a", "b"), ("c", "d")])},
         "topology: a network needs a way between all nodes, and none joins a and c"),
        ({"topology": nx.Graph([(1, "1")])},
         "topology: a node needs a name of its own, and '1' is that of two"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_told_by_their_names(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=rf"^network\(\): {re.escape(message)}") as caught:
        fingerpost.network(**given)
    assert "\n" not in str(caught.value)


def test_load_takes_another_routing_and_faults() -> None:
    path = NETWORKS / "borel-21.yaml"
    given = {"routing": "vertex-transitive:path=hop", "faults": "link:0-4"}
    source = read(path).changed(**given | {"routing": "up-down"})
    changed = fingerpost.load(path, routing={"algorithm": "up-down"}, faults=["link:0-4"])
    assert changed.description == source.network().description
    assert fingerpost.load_any(path, routing=given["routing"]).algorithm == "vertex-transitive"
    with pytest.raises(ValueError, match=r"^load\(\): routing needs one of two-phase, .* not 'x'$"):
        fingerpost.load(path, routing="x")
    with pytest.raises(ValueError, match=r"^load\(\): faults: Faults need links that are there"):
        fingerpost.load(path, faults="link:0-2")


NETWORK = "as fingerpost.load and fingerpost.network return it"


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("simulate", {"network": "x"}, f"network: a network, {NETWORK}, not 'x'"),
        ("simulate", {"load": "0.2"}, "load: a number, not '0.2'"),
        ("simulate", {"load": True}, "load: a number, not True"),
        ("simulate", {"cycles": 0.5}, "cycles: a whole number, not 0.5"),
        ("simulate", {"seed": None}, "seed: a whole number, not None"),
        ("simulate", {"pattern": 3}, "pattern: Pattern or a text, not 3"),
        ("sweep", {"networks": "x"}, f"networks: a network, {NETWORK} or a list of such, not 'x'"),
        ("sweep", {"loads": 0.1}, "loads: a list, each a number or a text, not 0.1"),
        ("sweep", {"seeds": 3}, "seeds: a list, each a whole number, not 3"),
        ("route", {"source": 0.5, "destination": 1}, "source: a whole number or a text, not 0.5"),
        ("draw", {"path": 5}, "path: a path or a text, not 5"),
        ("draw", {"path": "x.svg", "route": 5},
         "route: (a whole number or a text, a whole number or a text), not 5"),
        ("prove", {"network": 0}, f"network: a network of wormhole routers, {NETWORK}, not 0"),
        ("component", {"network": 1}, f"network: a network of wormhole routers, {NETWORK}, not 1"),
        ("cosim", {"network": 1}, f"network: a network, {NETWORK}, not 1"),
        ("generate", {"directory": 1}, "directory: a path or a text, not 1"),
        ("watch", {"packet": "x"}, "packet: a whole number, not 'x'"),
        ("load", {"path": 5}, "path: a path or a text, not 5"),
    ],
)  # fmt: skip
def test_wrong_types_are_one_line(
    network: Network, function: str, arguments: dict[str, Any], message: str
) -> None:
    first = {"load": {}, "sweep": {"networks": network}}.get(function, {"network": network})
    with pytest.raises(TypeError, match=rf"^{function} needs {re.escape(message)}$"):
        getattr(fingerpost, function)(**first | arguments)


def test_arguments_are_taken_as_plain_numbers(network: Network) -> None:
    numbers: dict[str, Any] = {"load": np.float64(0.2), "cycles": 5e2, "seed": np.int64(3)}
    given = fingerpost.simulate(network, **numbers)
    plain = fingerpost.simulate(network, load=0.2, cycles=500, seed=3)
    assert repr(given) == repr(plain)
    with pytest.raises(TypeError, match=r"^simulate\(\) takes 1 positional argument but 2 were"):
        fingerpost.simulate(network, 0.2)  # type: ignore[call-arg]


def test_simulate_and_sweep_agree_without_arguments(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of a sweep is a simulation, of the loads that the commands take."""
    monkeypatch.setattr("fingerpost.jobs.runner.pool", lambda *_: nullcontext(InProcess()))
    swept = fingerpost.sweep(network, resolution=0)
    assert [row["load"] for row in swept.rows] == [round(0.1 * step, 1) for step in range(1, 11)]
    found, row = fingerpost.simulate(network), swept.rows[0]
    assert found.latency is not None
    assert (row["latency_mean"], row["latency_low"]) == found.latency[:2]
    assert (row["accepted"], row["measured"]) == (found.accepted.mean, found.cycles)
    assert (row["outcome"], row["seed"]) == (found.outcome, 0)


def test_results_are_a_line(
    network: Network, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("fingerpost.jobs.runner.pool", lambda *_: nullcontext(InProcess()))
    found = fingerpost.simulate(network, load=0.2, cycles=500)
    line = (
        r"<Simulation stable: accepted 0\.\d{4} \u00b1 0\.\d{4} of 0\.\d{4} flits/terminal/cycle, "
    )
    assert re.fullmatch(rf"{line}mean latency \d\.\d \u00b1 0\.\d cycles>", repr(found))
    assert len(repr(fingerpost.prove(network))) < 200
    assert repr(network.topology) == "<Borel: 21 nodes of degree 4>"
    swept = fingerpost.sweep(network, loads=[0.1], cycles=200, resolution=0)
    assert repr(swept) == "<Swept borel-21, two-phase: saturation not seen; 1 simulation>"
    html = swept._repr_html_()
    assert "<svg" in html
    assert "<tr><td>borel-21, two-phase</td><td>21</td><td>2</td>" in html
    monkeypatch.setitem(sys.modules, "fingerpost.sweeps.chart", None)
    assert swept._repr_html_() == html[html.index("<table>") :]
    # A row is a record of a table, as pandas takes it: found again in the row of a sweep.
    (row,) = swept.rows
    found = fingerpost.simulate(network, load=0.1, cycles=200)
    assert found.row.items() <= row.items()
    assert found.row["accepted"] == found.accepted.mean
    assert {type(value) for value in row.values()} <= {str, int, float, bool, type(None)}
    monkeypatch.undo()
    saved = swept.save(tmp_path / "curves")
    assert [path.name for path in saved] == ["curves.svg", "curves.csv", "curves.json"]


def test_help_begins_with_what_one_needs_first() -> None:
    text = fingerpost.__doc__ or ""
    places = [text.index(f"fingerpost.{name}(") for name in ("load", "network", "simulate")]
    assert places == sorted(places)
    assert places[-1] < min(
        text.index(f"fingerpost.{name}(") for name in ("route", "sweep", "draw", "prove")
    )
    assert {*fingerpost.__all__} <= {*dir(fingerpost)}
