"""The wheel and the sdist: complete, and at home in folders that have rooms of that name."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import fingerpost
from fingerpost.cli.failure import EXTRAS
from fingerpost.cli.main import main
from fingerpost.netfile.scaffold import starting_file
from tests.fingerpost.common import NETWORKS

ROOT = NETWORKS.parent
LINKED = "golden", "hdl", "testbench", "formal", "checker", "networks"
"""Folders of the checkout that are sub-packages of `fingerpost`, by links in its folder."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EVERYTHING = shutil.ignore_patterns(
    *(".git", ".venv*", "build", "*.egg-info", "__pycache__", "*_cache", ".hypothesis")
)

BUILD = """
import sys
from setuptools import build_meta
folder = sys.argv[1]
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


class Built(NamedTuple):
    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT, folder / "source", ignore=EVERYTHING)
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, cwd=folder / "source", check=True, capture_output=True)
    return Built(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


def files(folder: str, pattern: str = "*.py") -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern)}


def packaged(pattern: str) -> set[str]:
    """Return the files of the package, each below fingerpost/."""
    own = {file for file in files("fingerpost", pattern) if file.split("/")[1] not in LINKED}
    return own.union(*({f"fingerpost/{file}" for file in files(room, pattern)} for room in LINKED))


@pytest.mark.regress
def test_wheel_has_all_that_runs(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    kinds = "*.py", "py.typed", "*.css", "*.js", "*.cpp", "*.h", "*.yaml", "*.txt", "*.j2"
    assert names == set().union(*(packaged(kind) for kind in kinds))
    assert len([name for name in names if name.startswith("fingerpost/networks/")]) > 25


def test_wheel_installs_one_package(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        top = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" not in name}
    assert top == {"fingerpost"}


def test_metadata(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())
        found = Parser().parsestr(wheel.read(name).decode())
    assert found["License-Expression"] == "BSD-2-Clause"
    assert found["Description-Content-Type"] == "text/markdown"
    assert found.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"rtl", "cost", "cluster", "all"} <= set(found.get_all("Provides-Extra", []))


def test_sdist_has_all_that_make_needs(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    expected = packaged("*.py") | packaged("*.yaml") | packaged("*.j2")
    expected |= files("tests") | files("benchmarks")
    expected |= files("docs", "*.md") | {"scripts/setup", "Makefile"}
    expected |= {"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "requirements.lock"}
    assert expected - names == set()


def test_citation_has_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", text, flags=re.M) == [PROJECT["version"]]


def test_extras_bring_what_is_missing() -> None:
    distributions = packages_distributions()
    for package, extra in EXTRAS.items():
        wanted = PROJECT["optional-dependencies"][extra]
        named = {re.match(r"[\w-]+", each)[0] for each in wanted}  # type: ignore[index]
        brought = {*distributions[package]} - {"dask"}  # distributed stands on it
        assert brought <= named, package
    every = re.findall(r"[\w-]+", PROJECT["optional-dependencies"]["all"][0])
    of_a_checkout = {"dev", "docs", "machine", "all"}
    assert set(every) == {*PROJECT["optional-dependencies"], "fingerpost"} - of_a_checkout


@pytest.mark.regress
def test_commands_run_from_the_wheel_beside_folders_of_that_name(
    built: Built, tmp_path: Path
) -> None:
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    with zipfile.ZipFile(built.wheel) as wheel:
        wheel.extractall(tmp_path / "installed")
    here = tmp_path / "here"
    for name in ("golden", "hdl", "testbench", "tests", "formal", "networks"):
        (here / name).mkdir(parents=True)
        (here / name / "__init__.py").write_text(f"raise SystemExit('the wrong {name}')")

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "fingerpost", *arguments],  # the folder here is on the path
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, (arguments, ended.stderr)
        return ended.stdout

    wrong = subprocess.run([sys.executable, "-c", "import hdl"], cwd=here, check=False)
    assert wrong.returncode == 1  # so it would be without precaution
    assert "borel-1081" in run("examples")
    run("new", "star", "-o", "net.yaml")
    (here / "net.yaml").write_text((here / "net.yaml").read_text().replace("n: 4", "n: 3"))
    assert " 0 mismatches in " in run("cosim", "net.yaml")


@pytest.mark.regress
@pytest.mark.parametrize("extra", ["all", "rtl"])
def test_demo_runs_from_the_wheel(built: Built, tmp_path: Path, extra: str) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        wheel.extractall(tmp_path / "installed")
    hide(absent(extra), tmp_path / "absent")
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "fingerpost", "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path / 'absent'}:{tmp_path / 'installed'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0
    assert ended.stdout.count("   ok: ") == 5
    assert "FAILED" not in ended.stdout
    assert (tmp_path / "build" / "demo" / "borel-21.svg").exists() == (extra == "all")


def absent(extra: str) -> set[str]:
    """Return the packages that an extra does not bring, of those that any brings."""
    wanted = " ".join(PROJECT["optional-dependencies"][extra])
    if extra == "all":
        return set()
    brought = packages_distributions()
    return {name for name in EXTRAS if not any(each in wanted for each in brought[name])}


def hide(packages: set[str], folder: Path) -> None:
    """Make packages that are not there, for tools that look for them in a folder first."""
    folder.mkdir()
    for name in packages:
        text = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
        (folder / f"{name}.py").write_text(text)


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (
            ("--help",),
            {
                "numpy",
                "pydantic",
                "yaml",
                "fingerpost.golden.network.network",
                "amaranth",
                "importlib.metadata",
            },
        ),
        (("cosim", "--help"), {"numpy", "yaml", "fingerpost.golden.network.network", "amaranth"}),
        (
            ("info", "networks/borel-21.yaml"),
            {"scipy", "networkx", "matplotlib", "amaranth", "cocotb", "distributed"},
        ),
        (("loads", "networks/borel-21.yaml"), {"numba", "networkx", "matplotlib", "amaranth"}),
    ],
)
def test_start_is_quick(arguments: tuple[str, ...], absent: set[str]) -> None:
    program = (
        "import sys; from fingerpost.cli.main import main; main(sys.argv[1:]); "
        "print(*sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ended.stderr.split())
    assert "rich.console" in loaded
    assert absent & loaded == set()


def test_start_looks_for_no_garbage() -> None:
    """Nearly all that there is then is modules: they stay."""
    program = (
        "import gc; from fingerpost.cli.main import main; "
        "before, done = gc.get_threshold(), gc.get_stats(); "
        "main(['info', 'networks/borel-21.yaml']); "
        "assert gc.get_stats()[1:] == done[1:]; assert gc.get_threshold() == before"
    )
    subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"fingerpost {PROJECT['version']}\n", "")


@pytest.mark.parametrize("arguments", [["-h"], ["simulate", "-h"]])
def test_short_help(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 0
    assert "Usage: fingerpost" in capsys.readouterr().out


def test_import_offers_what_it_says(tmp_path: Path) -> None:
    program = (
        "import sys, fingerpost; "
        "print('numpy' in sys.modules, fingerpost.__version__, *dir(fingerpost))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    first, version, *names = ended.stdout.split()
    assert (first, version) == ("False", PROJECT["version"])
    assert names == sorted([*fingerpost.__all__, "__version__"])
    for name in fingerpost.__all__:
        assert name in str(fingerpost.__doc__)
        assert not isinstance(getattr(fingerpost, name), ModuleType), name
        for module in (f"{name}.py", name):  # it would be in the way
            assert not (ROOT / "fingerpost" / module).exists()
    with pytest.raises(AttributeError, match=r"^module 'fingerpost' has no attribute 'loda'$"):
        import_module("fingerpost").__getattr__("loda")


@pytest.mark.regress
def test_a_network_through_the_interface(tmp_path: Path) -> None:
    path = tmp_path / "star.yaml"
    path.write_text(starting_file("star").replace("n: 4", "n: 3"))
    network = fingerpost.load(path)
    assert isinstance(network, fingerpost.Network)
    result = fingerpost.simulate(network, load=0.1, cycles=300, seed=1, packet_length=1)
    assert result.accepted.mean == pytest.approx(0.1, rel=0.2)
    files = fingerpost.generate(network, tmp_path)
    assert tmp_path / "star_network.v" in files
    found = fingerpost.cosim(network, "network", directory=tmp_path / "sim", cycles=50, seed=3)
    assert (found.mismatches, found.bench.seed) == (0, 3)
    assert found.count >= 50
