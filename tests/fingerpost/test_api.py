"""What `import fingerpost` offers to programs, notebooks and type checkers."""

import sys
from pathlib import Path
from venv import EnvBuilder

import pytest

import fingerpost
from fingerpost.golden.network.network import Network
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS, Run, drawn, python

ROOT = NETWORKS.parent
ROOMS = "golden", "hdl", "testbench", "formal", "checker", "fingerpost"


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


def test_a_notebook_shows_a_picture(run: Run, tmp_path: Path) -> None:
    file, path = NETWORKS / "borel-21.yaml", tmp_path / "net.svg"
    assert run("draw", file, "-o", path).status == 0
    assert drawn(fingerpost.load(file)._repr_svg_() or "") == drawn(path)


def test_without_matplotlib_there_is_no_picture(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fingerpost.drawing.draw", None)
    assert network._repr_svg_() is None


def test_route_is_that_of_the_command(network: Network, run: Run) -> None:
    found = fingerpost.route(network, "0,0", 16)
    answer = run("route", NETWORKS / "borel-21.yaml", 0, 16, "--json").json
    assert list(found.nodes) == answer["nodes"] == [0, 4, 10, 16]
    assert (found.hops, found.distance) == (answer["hops"], answer["distance"])


def test_draw_is_that_of_the_command(network: Network, run: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    options = ("--route", "0:16", "--loads")
    assert run("draw", NETWORKS / "borel-21.yaml", "-o", one, *options).status == 0
    assert fingerpost.draw(network, str(other), route=(0, 16), loads="uniform") == other
    assert drawn(one) == drawn(other)


def test_prove_has_the_certificate_of_the_command(
    network: Network, run: Run, tmp_path: Path
) -> None:
    found, path = fingerpost.prove(network), tmp_path / "certificate.json"
    answer = run("prove", NETWORKS / "borel-21.yaml", "-o", path, "--json").json
    assert (found.channels, found.dependencies) == (answer["channels"], answer["dependencies"])
    assert found.certificate["wiring_sha256"] in path.read_text(encoding="utf-8")


def test_sweep_takes_one_network_or_several(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr("fingerpost.sweeps.sweep.sweep", lambda *x, **_: given.append(x))
    fingerpost.sweep(network, loads=[0.1], packet_length="1..4")
    fingerpost.sweep([network], loads=[0.1], packet_length="1..4")
    assert given[0] == given[1]
    assert [str(each) for each in given[0][1]] == ["uniform", "bernoulli", "1..4"]  # type: ignore[index]


def test_all_that_is_installed_has_types() -> None:
    assert [room for room in ROOMS if not (ROOT / room / "py.typed").is_file()] == []


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
