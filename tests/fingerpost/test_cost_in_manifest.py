import json
from pathlib import Path
from typing import Any

import pytest

from fingerpost.answers.saved_answers import by_network
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.netfile.source import read
from tests.fingerpost.common import Run
from tests.fingerpost.cost_tools import RING

COST = {
    "network": "ring",
    "part": "router",
    "device": "ECP5-25k, speed 6, CABGA381",
    "sites": 243,
    "fmax_mhz": {"min": 150.0, "median": 160.0, "max": 170.0},
    "parts": {"buffers": {"lut4": 39}},
    "directory": "/home/user/build",
}


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.yaml"
    path.write_text(RING)
    return path


@pytest.fixture
def stored(ring: Path, tmp_path: Path) -> Path:
    """What `cost --json` prints of three depths, of which the second is that of the file."""
    rows = []
    for depth in (4, 2, 8):
        digest = description_hash(read(ring).with_router(buffer_depth=depth).network())
        rows.append(COST | {"buffer_depth": depth, "description_sha256": digest})
    path = tmp_path / "cost.json"
    path.write_text(json.dumps({"schema": 1, "network": "ring", "rows": rows}))
    return path


def test_the_manifest_has_what_this_network_costs(
    run: Run, ring: Path, stored: Path, tmp_path: Path
) -> None:
    ended = run("generate", ring, "-o", tmp_path / "out", "--cost", stored, "--cost", stored)
    assert (ended.status, ended.err) == (0, "")
    manifest: dict[str, Any] = json.loads((tmp_path / "out/ring.json").read_text())
    row = json.loads(stored.read_text())["rows"][1]
    assert row["buffer_depth"] == 2
    elsewhere = ("network", "description_sha256", "directory")
    assert manifest["cost"] == [{key: row[key] for key in row if key not in elsewhere}] * 2
    assert "/home/user" not in (tmp_path / "out/ring.json").read_text()


@pytest.mark.parametrize(
    "changed",
    [("routing: {algorithm: dimension-order}", "routing: {algorithm: table}"), ("8,", "9,")],
)
def test_the_cost_of_another_network_is_refused(
    run: Run, ring: Path, stored: Path, tmp_path: Path, changed: tuple[str, str]
) -> None:
    ring.write_text(RING.replace(*changed))
    ended = run("generate", ring, "-o", tmp_path / "out", "--cost", stored)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(
        f"fingerpost: --cost {stored}: needs what `fingerpost cost` found of ring as it is here, "
        "with the SHA-256 "
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not what is no JSON"),
        ('{"schema": 2}', "of schema 1, not 2"),
        ('{"schema": 1, "rows": []}', "not one without rows"),
        ('{"schema": 1, "network": "ring"}', "not one without fmax_mhz"),
        (
            '{"schema": 1, "network": "ring", "fmax_mhz": {}, "parts": {}, "device": ""}',
            "not of ring with None...",
        ),
    ],
)
def test_what_is_no_cost_is_refused(
    run: Run, ring: Path, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "cost.json"
    path.write_text(content)
    ended = run("generate", ring, "-o", tmp_path / "out", "--cost", path)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.endswith(f"{message}\n")


def test_all_rows_are_for_the_page_of_a_network(stored: Path) -> None:
    found = by_network("cost", [stored], ["ring"])["ring"]
    assert [row["buffer_depth"] for row in found] == [4, 2, 8]
