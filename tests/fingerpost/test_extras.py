"""What docs/howto/install.md promises of each extra runs where only that extra is installed."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fingerpost.cli.commands.app import app
from fingerpost.cli.main import main
from tests.fingerpost.common import NETWORKS
from tests.fingerpost.test_package import EVERYTHING

ROOT = NETWORKS.parent

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
    "simulate": "simulate net.yaml --cycles 100",
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
    main(["--help"])  # which imports all commands
    rows = promised()
    named = [name for names in rows.values() for name in names]
    assert sorted(named) == sorted(TRIED)
    assert {name.split()[0] for name in named} - {"--faults"} == {
        command.name or command.callback.__name__  # type: ignore[union-attr]
        for command in app.registered_commands
    }
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r"^(\w+) = \[", pyproject.partition("-dependencies]\n")[2], flags=re.M)
    extras = extras[: extras.index("all") + 1]
    of_a_checkout = {"dev", "docs", "machine"}
    assert {each for row in rows for each in row.split(",")} == {*extras, ""} - of_a_checkout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # two builds at once in one folder disturb each other
    shutil.copytree(ROOT, source, ignore=EVERYTHING, symlinks=True)
    pip("wheel", "--no-deps", "--wheel-dir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments), "-q", "--no-input"]
    subprocess.run([*command, "--disable-pip-version-check"], check=True)


@contextmanager
def scheduler(tools: Path, folder: Path) -> Iterator[str]:
    """Start a Dask cluster of what is installed."""
    file, running = folder / "scheduler.json", []
    file.unlink(missing_ok=True)  # a scheduler that was killed leaves its address there
    for kind in ("scheduler", "worker"):
        options = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file)]
        options += ["--port", "0"] if kind == "scheduler" else ["--no-nanny"]
        running.append(subprocess.Popen([tools / "dask", kind, *options], cwd=folder))
    try:
        end = time.monotonic() + 60
        while not (found := re.search(r"tcp://[\d.:]+", file.read_text() if file.exists() else "")):
            assert time.monotonic() < end
            time.sleep(0.1)
        yield found[0]
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.regress
@pytest.mark.parametrize("extras", [pytest.param(row, id=row or "none") for row in promised()])
def test_commands_run_where_only_their_extras_are_installed(
    wheel: Path, tmp_path: Path, extras: str
) -> None:
    place, here = tmp_path / "venv", tmp_path / "here"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    tools = place / "bin"
    pip("--python", tools / "python", "install", f"{wheel}[{extras}]" if extras else wheel)
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
