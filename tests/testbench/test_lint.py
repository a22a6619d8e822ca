import os
import subprocess
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
from tests.networks import smallest
from tests.quick import only
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


@pytest.mark.parametrize(
    "network", only(["petersen"], sorted({*smallest(), "borel-21-deflection"}))
)
def test_lint_has_nothing_to_say(network: str, tmp_path: Path) -> None:
    generate(load_any(NETWORKS / f"{network}.yaml"), tmp_path)
    name = identifier(network)
    says_nothing(name, f"{name}_network", tmp_path)


def test_nothing_stands_where_a_node_is_lost(tmp_path: Path) -> None:
    # The ring falls apart: 4 to 0 stay, 1 and 2 are cut off.
    damaged = build(RING_8 | {"faults": "link:0-1,node:3"})
    assert damaged.topology.lost.tolist() == [1, 2, 3]
    generate(damaged, tmp_path)
    names, kinds = router_names(damaged), damaged.topology.node_type
    texts = [(tmp_path / f"{names[kinds[v]]}.v").read_text(encoding="utf-8") for v in (3, 4, 5)]
    assert ["vc_buffer" in text for text in texts] == [False, True, True]
    assert lint("ring", names[kinds[3]], tmp_path).returncode == 0
    ports = {port.name for port in network_ports(damaged)}
    assert "node_7_inject_valid" in ports  # nodes keep their numbers
    assert "node_3_inject_valid" not in ports


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
    "port-1": "os_link_port",
    "port-2": "os_link_port",
    "board": "board_board",
}


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
    ended = subprocess.run(
        [str(OLD) if old else "verilator", *command],
        cwd=tmp_path / name, env=os.environ | ({} if old else environment("verilator")),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
