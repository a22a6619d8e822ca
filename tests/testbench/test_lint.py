import os
import subprocess
import sys
from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.network import network_ports
from fingerpost.hdl.emit.routers import router_names
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import identifier
from fingerpost.netfile.source import load_any
from fingerpost.testbench.toolchain import environment
from tests.hdl.corpus import write
from tests.hdl.simulators import listed, said
from tests.networks import only, smallest
from tests.testbench.faults.networks import RING_8

NETWORKS = Path(__file__).parents[2] / "networks"


def lint(name: str, top: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["verilator", "--lint-only", "-Wall", "-f", f"{name}.f", "--top-module", top],
        cwd=folder,
        env=os.environ | environment("verilator"),
        capture_output=True,
        text=True,
        check=False,
    )


def says_nothing(name: str, top: str, folder: Path) -> None:
    ended = lint(name, top, folder)
    assert (ended.returncode, ended.stderr) == (0, "")


def slang(*sources: Path, flags: str = "") -> str:
    """Return what slang, by Verilog-2005, says against Verilog, and does not say at its end."""
    command = f"slang --std 1364-2005 {flags} {' '.join(map(str, sources))}"
    ended = subprocess.run(
        [sys.executable, "-c", SLANG, command], capture_output=True, text=True, check=False
    )
    assert (ended.returncode == 0) == (" error: " not in ended.stderr)
    return ended.stderr


def slang_says_nothing(folder: Path) -> None:
    """Read what is generated with all warnings of widths, then benches too."""
    sources = listed(folder)
    others = [
        *folder.glob("*_template.v"),
        *folder.glob("*_board.v"),
        *folder.glob("*_exerciser.v"),
    ]
    assert not slang(*sources, *others, flags=STRICT)
    assert not slang(*sources, *others, *folder.glob("*_testbench.v"))


@pytest.mark.parametrize(
    "network", only(["petersen"], sorted({*smallest(), "borel-21-deflection"}))
)
def test_lint_has_nothing_to_say(network: str, tmp_path: Path) -> None:
    generate(load_any(NETWORKS / f"{network}.yaml"), tmp_path)
    name = identifier(network)
    says_nothing(name, f"{name}_network", tmp_path)
    slang_says_nothing(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", ""),
        ("wire planted = missing;", "undeclared identifier 'missing'"),
        ("wire [1:0] planted = rst ? 3'd5 : 3'd4;", "truncates from 3 to 2 bits"),
        ("wire [1:0] planted = rst;", "expands from 1 to 2 bits"),
    ],
)
def test_slang_finds_faults(line: str, message: str, tmp_path: Path) -> None:
    generate(build(RING_8), tmp_path)
    router = tmp_path / "ring_router.v"
    before, end, after = router.read_text().rpartition("endmodule")
    router.write_text(f"{before}{line}\n{end}{after}")
    said = slang(*listed(tmp_path), flags=STRICT)
    assert message in said
    assert bool(message) == bool(said)


def test_nothing_stands_where_a_node_is_lost(tmp_path: Path) -> None:
    # The ring falls apart: 4 to 0 stay, 1 and 2 are cut off.
    damaged = build(RING_8 | {"faults": "link:0-1,node:3"})
    assert damaged.topology.lost.tolist() == [1, 2, 3]
    generate(damaged, tmp_path)
    names, kinds = router_names(damaged), damaged.topology.node_type
    texts = [(tmp_path / f"{names[kinds[v]]}.v").read_text(encoding="utf-8") for v in (3, 4, 5)]
    assert ["input_port" in text for text in texts] == [False, True, True]
    assert lint("ring", names[kinds[3]], tmp_path).returncode == 0
    ports = {port.name for port in network_ports(damaged)}
    assert "node_7_inject_valid" in ports  # nodes keep their numbers
    assert "node_3_inject_valid" not in ports


STRICT = "-Wextra -Wpedantic -Wconversion"

SLANG = """
import os, sys
from pyslang.driver import Driver

driver = Driver()
driver.addStandardArgs()
assert driver.parseCommandLine(sys.argv[1]) and driver.processOptions()
read = driver.parseAllSources() and driver.runFullCompilation(True)
os._exit(not read)  # otherwise pyslang speaks of leaks at its end
"""
"""A front end apart from the simulators and Yosys, in a process of its own."""

OLD = Path("/usr/bin/verilator")
"""The Verilator of the system's packages: 5.006 in Debian 12."""

TOPS = {
    "torus-0": "torus_0_network",
    "torus-1": "torus_1_network",
    "torus-2": "torus_2_network",
    "torus-3": "torus_3_network",
    "torus-4": "torus_4_streams",
    "torus-5": "torus_5_streams",
    "torus-6": "torus_6_links",
    "torus-8": "torus_8_node",
    "torus-10": "torus_10_mailboxes",
    "torus-11": "torus_11_endpoints",
    "torus-12": "torus_12_mailboxes",
    "torus-14": "torus_14_streams",
    "torus-15": "torus_15_network",
    "torus-21": "torus_21_board0",
    "port-1": "os_link_port",
    "port-2": "os_link_port",
    "board": "board_board",
}


@pytest.mark.regress
@pytest.mark.parametrize("name", TOPS)
def test_slang_reads_every_kind_without_a_warning(name: str, tmp_path: Path) -> None:
    write(tmp_path, [name])
    slang_says_nothing(tmp_path / name)


@pytest.mark.regress
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("name", TOPS)
def test_every_kind_is_read_without_a_warning(name: str, old: bool, tmp_path: Path) -> None:
    assert not old or OLD.exists(), (
        "the system's Verilator is missing: run `scripts/setup verilator`"
    )
    write(tmp_path, [name])
    (files,) = (tmp_path / name).glob("*.f")
    board = [file.name for file in (tmp_path / name).glob("*_board.v")]
    board += [file.name for file in (tmp_path / name).glob("*_exerciser.v")]
    command = ["--lint-only", "-Wall", "-f", files.name, *board, "--top-module", TOPS[name]]
    env = os.environ | ({} if old else environment("verilator"))
    said(OLD if old else "verilator", *command, folder=tmp_path / name, env=env)
