"""Two generated networks in one design: no name clashes, and packets cross."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.hdl.export.generate import generate
from fingerpost.testbench.toolchain import environment
from tests.hdl.simulators import icarus, listed, said

HERE = Path(__file__).parent

SLIM: dict[str, Any] = {
    "name": "slim",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 16},
    "terminal": {"kind": "axi-stream"},
}
BROAD: dict[str, Any] = {
    "name": "broad",
    "topology": {"family": "star", "n": 3},
    "routing": {"algorithm": "greedy"},
    "terminal": {"kind": "axi-stream", "timeout": 100},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The two networks, each in a folder of its own."""
    both = [tmp_path_factory.mktemp(str(each["name"])) for each in (SLIM, BROAD)]
    for folder, description in zip(both, (SLIM, BROAD), strict=True):
        generate(build(description), folder)
    return both


def simulated(folders: list[Path], folder: Path, text: str) -> str:
    (folder / "joined.v").write_text(text)
    sources = [file for each in folders for file in listed(each)]
    sources += [folder / "joined.v", HERE / "two_networks_bench.v"]
    return icarus(folder, "bench", sources, "-g2012")[0]


@pytest.mark.regress
def test_packets_cross(folders: list[Path], tmp_path: Path) -> None:
    text = (HERE / "two_networks.v").read_text()
    assert simulated(folders, tmp_path, text) == "PASS: 60 packets up, 100 down"


@pytest.mark.regress
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{s_tdata, low} : {16'd0", "{low, s_tdata} : {16'd0"),
        ("more <= s_tkeep[2];", "more <= 1;"),
        ("{down_dest, 6'o77}", "{down_dest, 6'o57}"),
    ],
)
def test_bench_finds_faults(old: str, new: str, folders: list[Path], tmp_path: Path) -> None:
    text = (HERE / "two_networks.v").read_text()
    assert text.count(old) == 1
    assert simulated(folders, tmp_path, text.replace(old, new)).startswith("FAIL: ")


@pytest.mark.regress
def test_lint_has_nothing_to_say(folders: list[Path], tmp_path: Path) -> None:
    sources = [file for folder in folders for file in listed(folder)]
    options = ["--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDSIGNAL"]
    sources.append(HERE / "two_networks.v")
    env = os.environ | environment("verilator")
    said("verilator", *options, "--top-module", "joined", *sources, folder=tmp_path, env=env)


WORDS = "counters", "router", "node", "network", "streams", "headers", "template", "header"
"""Parts of a network, of which each has names of its own."""


@pytest.mark.regress
def test_names_are_of_one_network_alone(tmp_path: Path) -> None:
    """Modules, packages, C names and files; also of a network that is named like a part of one."""
    known: dict[str, str] = {}
    for name in ("net", *(f"net-{word}" for word in WORDS)):
        folder = tmp_path / name
        more = {"name": name, "counters": {"kind": "axi-lite"}}
        files = generate(build(SLIM | more), folder)
        prefix = name.replace("-", "_")
        names = {file.name for file in files}
        for file in files:
            if file.suffix in {".v", ".sv"}:
                declared = r"^(?:module|package) \\?([\w.]+)"
                names |= {*re.findall(declared, file.read_text(), flags=re.MULTILINE)}
            if file.suffix == ".h":
                defined = r"^(?:#define|static inline \w+) (\w+)"
                names |= {*re.findall(defined, file.read_text(), flags=re.MULTILINE)}
        assert len(names) > 50
        for each in names:
            assert each.lower().startswith(prefix), each
            assert each not in known, f"{each} is of {known[each]} and {name}"
            known[each] = name
