"""The wheel and the sdist: complete, at home in folders that have rooms of that name, and able to
run what docs/howto/install.md promises of each extra where only that extra is installed."""

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from importlib import import_module
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import fingerpost
from fingerpost.cli.app import TASKS
from fingerpost.cli.failure import EXTRAS
from tests.fingerpost.common import NETWORKS, NOWHERE, python, scheduler

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
    python("-c", BUILD, folder, cwd=folder / "source", check=True)
    return Built(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


@pytest.fixture(scope="module")
def installed(built: Built) -> Path:
    folder = built.wheel.parent / "installed"
    with zipfile.ZipFile(built.wheel) as wheel:
        wheel.extractall(folder)
    return folder


def files(folder: str, pattern: str = "*.py") -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern)}


def packaged(pattern: str) -> set[str]:
    """Return the files of the package, each below fingerpost/."""
    own = {file for file in files("fingerpost", pattern) if file.split("/")[1] not in LINKED}
    return own.union(*({f"fingerpost/{file}" for file in files(room, pattern)} for room in LINKED))


def test_wheel_has_all_that_runs(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    kinds = "*.py", "py.typed", "*.css", "*.js", "*.cpp", "*.h", "*.yaml", "*.txt", "*.ys", "*.j2"
    assert names == set().union(*(packaged(kind) for kind in kinds))
    assert len([name for name in names if name.startswith("fingerpost/networks/")]) > 25


def test_metadata(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())
        found = Parser().parsestr(wheel.read(name).decode())
    assert found["License-Expression"] == "BSD-2-Clause"
    assert found["Description-Content-Type"] == "text/markdown"
    assert found.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"rtl", "cost", "cluster", "all"} <= set(found.get_all("Provides-Extra", []))
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", text, flags=re.M) == [PROJECT["version"]]


def test_sdist_has_all_that_make_needs(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    expected = packaged("*.py") | packaged("*.yaml") | packaged("*.j2")
    expected |= files("tests") | files("benchmarks")
    expected |= files("docs", "*.md") | {"scripts/setup", "Makefile"}
    expected |= {"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "requirements.lock"}
    assert expected - names == set()


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
    installed: Path, tmp_path: Path
) -> None:
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    here = tmp_path / "here"
    for name in ("golden", "hdl", "testbench", "tests", "formal", "networks"):
        (here / name).mkdir(parents=True)
        (here / name / "__init__.py").write_text(f"raise SystemExit('the wrong {name}')")

    def run(*arguments: str) -> str:
        path = {**os.environ, "PYTHONPATH": str(installed)}  # and the folder here is on it
        ended = python("-m", "fingerpost", *arguments, cwd=here, env=path)
        assert ended.returncode == 0, (arguments, ended.stderr)
        return ended.stdout

    assert python("-c", "import hdl", cwd=here).returncode == 1  # so it would be without precaution
    assert "borel-1081" in run("examples")
    run("new", "star", "-o", "net.yaml")
    (here / "net.yaml").write_text((here / "net.yaml").read_text().replace("n: 4", "n: 3"))
    assert " 0 mismatches in " in run("cosim", "net.yaml")


def test_a_cluster_needs_dask(tmp_path: Path) -> None:
    for name in ("dask", "distributed"):  # not there, for who looks here first
        text = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
        (tmp_path / f"{name}.py").write_text(text)
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    search = "-m", "fingerpost", "search", "--diameter", 3, "--p-max", 7, "--cluster", NOWHERE
    ended = python(*search, env=env)
    needs = "needs the Python package distributed: run `pip install 'fingerpost[cluster]'`"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"fingerpost: {needs}\n")


WITHOUT_GARBAGE = """
before, done = gc.get_threshold(), gc.get_stats()
main(["info", "networks/borel-21.yaml"])
assert gc.get_stats()[1:] == done[1:]
assert gc.get_threshold() == before
assert main(["--version"]) == 0
"""
"""Nearly all that there is when it starts is modules: they stay."""

NOT_FOR_HELP = "numpy yaml fingerpost.golden.network.network amaranth"


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("main(['--help'])", f"{NOT_FOR_HELP} pydantic importlib.metadata"),
        ("main(['cosim', '-h'])", NOT_FOR_HELP),
        (
            WITHOUT_GARBAGE,
            "scipy networkx matplotlib amaranth cocotb distributed",
        ),
        ("main(['loads', 'networks/borel-21.yaml'])", "numba networkx matplotlib amaranth"),
        ("main(['simulate', 'networks/borel-21.yaml'])", "rich.progress rich.table matplotlib"),
        ("import fingerpost.golden.measure", "scipy.stats"),  # half a second, for one quantile
    ],
)
def test_start_is_quick_and_looks_for_no_garbage(program: str, absent: str) -> None:
    start = "import gc, sys\nfrom fingerpost.cli.main import main"
    end = "print(*sys.modules, file=sys.stderr)"
    ended = python("-c", f"{start}\n{program}\n{end}", check=True)
    loaded = {*ended.stderr.split()}
    assert "--version" not in program or f"fingerpost {PROJECT['version']}\n" in ended.stdout
    assert "sys" in loaded
    assert {*absent.split()} & loaded == set()


def test_the_end_looks_for_no_garbage() -> None:
    told = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 1000))"
    ended = python("-c", f"{told}\nfrom fingerpost.cli.main import main\nmain(['--version'])")
    assert ended.stdout.splitlines()[1:] == ["True"]


def test_import_offers_what_it_says(tmp_path: Path) -> None:
    program = (
        "import sys, fingerpost; "
        "print('numpy' in sys.modules, fingerpost.__version__, *dir(fingerpost))"
    )
    first, version, *names = python("-c", program, check=True).stdout.split()
    assert (first, version) == ("False", PROJECT["version"])
    assert names == sorted([*fingerpost.__all__, "__version__"])
    for name in fingerpost.__all__:
        assert name in str(fingerpost.__doc__)
        assert not isinstance(getattr(fingerpost, name), ModuleType), name
        for module in (f"{name}.py", name):  # it would be in the way
            assert not (ROOT / "fingerpost" / module).exists()
    with pytest.raises(AttributeError, match=r"^module 'fingerpost' has no attribute 'loda'$"):
        import_module("fingerpost").__getattr__("loda")


NET = "name: tiny\ntopology: {family: star, n: 3}\n"
LOADS = "--loads 0.1 --cycles 100 --resolution 0"

TRIED = {
    "info": "info net.yaml",
    "route": "route net.yaml 0 3",
    "prove": "prove net.yaml -o certificate.json",
    "order": "order net.yaml",
    "generate": "generate net.yaml -o build",
    "port": "port -o port",
    "export": "export net.yaml -o net.graphml",
    "schema": "schema",
    "new": "new star -o new.yaml",
    "examples": "examples -o networks",
    "loads": "loads net.yaml",
    "simulate": "simulate net.yaml --cycles 3000",
    "survive": "survive net.yaml --link-failure 0.01",
    "sweep": f"sweep net.yaml {LOADS}",
    "soak": "soak net.yaml --flits 1000",
    "search": "search --diameter 3 --p-max 7 --score channels",
    "survey": "survey net.yaml",
    "--faults": "route net.yaml 0 3 --faults link:0-1",
    "draw": "draw net.yaml -o net.svg",
    "loads -o": "loads net.yaml -o loads.svg",
    "sweep -o": f"sweep net.yaml {LOADS} -o sweep",
    "survey -o": "survey net.yaml -o survey",
    "report": "report net.yaml -o report",
    "reproduce": "reproduce two-phase-1995 --quick --figures figures",
    "cosim": "cosim net.yaml --level network --cycles 50 --simulator verilator",
    "demo": "demo",
    "soak --rtl": "soak net.yaml --rtl --flits 1000",
    "prove --rtl": "prove net.yaml --rtl",
    "sweep --cluster": f"sweep net.yaml {LOADS} --cluster CLUSTER",
    "soak --cluster": "soak net.yaml --flits 1000 --cluster CLUSTER",
    "search --cluster": "search --diameter 3 --p-max 7 --cluster CLUSTER",
    "survey --cluster": "survey net.yaml --cluster CLUSTER",
    "sweep --table parquet": f"sweep net.yaml {LOADS} -o table --table parquet",
    "cost": "cost net.yaml",
    "board": "board net.yaml -o board --files",
    "cost -o": "cost net.yaml -o cost.svg",
}
"""How each command is tried, as the table names it."""


def promised() -> dict[str, list[str]]:
    """The commands of each row of the table, by its extras."""
    page = (ROOT / "docs/howto/install.md").read_text(encoding="utf-8")
    table = page.partition("| extras |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    return {row[0].strip("| `"): re.findall(r"`(.*?)`", row[1]) for row in rows}


def test_the_table_has_every_command_and_every_extra() -> None:
    rows = promised()
    named = [name for names in rows.values() for name in names]
    assert sorted(named) == sorted(TRIED)
    assert {name.split()[0] for name in named} - {"--faults"} == {*chain(*TASKS.values())}
    extras = {*PROJECT["optional-dependencies"], ""} - {"dev", "docs", "machine"}  # of a checkout
    assert {each for row in rows for each in row.split(",")} == extras


@pytest.mark.regress
@pytest.mark.parametrize("extras", [pytest.param(row, id=row or "none") for row in promised()])
def test_commands_run_where_only_their_extras_are_installed(
    built: Built, tmp_path: Path, extras: str
) -> None:
    place, here = tmp_path / "venv", tmp_path / "here"
    python("-m", "venv", "--without-pip", place, check=True)
    tools, wanted = place / "bin", f"{built.wheel}[{extras}]" if extras else built.wheel
    pip = "-m", "pip", "--python", tools / "python", "install", "-q", "--no-input"
    python(*pip, "--disable-pip-version-check", wanted, check=True)
    here.mkdir()
    (here / "net.yaml").write_text(NET, encoding="utf-8")
    failed = {}

    def run(command: str) -> None:
        ended = subprocess.run(
            [tools / "fingerpost", *command.split()],
            cwd=here, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ended.returncode:
            failed[command] = ended.stderr

    for name in promised()[extras]:
        if "CLUSTER" in TRIED[name]:
            with scheduler(tools, here) as address:
                run(TRIED[name].replace("CLUSTER", address))
        else:
            run(TRIED[name])
    shutil.rmtree(place)  # it is large
    assert failed == {}
