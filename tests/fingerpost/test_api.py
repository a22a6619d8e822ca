"""What programs see: `import fingerpost`, and every key of every answer, each documented."""

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from venv import EnvBuilder

import pytest

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
