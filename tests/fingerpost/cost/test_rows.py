"""Several networks, algorithms, widths or depths: a row for each, a picture, and the manifest."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingerpost.cli.saved_answers import by_network
from fingerpost.cost.chart import figure, lines
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS, Run
from tests.fingerpost.cost.tools import RING

Cost = Callable[..., Any]


def test_each_width_and_depth_is_a_row(cost: Cost, tmp_path: Path) -> None:
    asked = "--flit-width", "16,64", "--depth", "2,4"
    answer = cost(*asked, "--json")
    assert answer["network"] == "borel-21"
    sizes = [(row["flit_width"], row["buffer_depth"]) for row in answer["rows"]]
    assert sizes == [(16, 2), (16, 4), (64, 2), (64, 4)]
    assert len({row["directory"] for row in answer["rows"]}) == 4
    assert len({row["description_sha256"] for row in answer["rows"]}) == 4
    for (width, depth), row in zip(sizes, answer["rows"], strict=True):
        folder = Path(row["directory"])
        assert folder.parent == tmp_path / "borel-21" / "ecp5"
        assert folder.name.startswith(f"node-10-two-phase-w{width}-d{depth}-")
        assert f"+: {width + 2}]" in (folder / "harness.v").read_text()  # a flit
    assert [line.split()[:2] for line in cost(*asked)[1:]] == [
        ["bits", "depth"],
        *([str(width), str(depth)] for width, depth in sizes),
    ]
    assert cost("--flit-width", "16", "--json")["flit_width"] == 16  # one is no list


def test_what_was_done_is_not_done_again(
    cost: Cost, tools: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calls(*more: object, seeds: int = 2) -> int:
        """Return how often a tool ran."""
        before = len(tools.calls)
        answers.append(cost(*more, "--json", seeds=seeds))
        return len(tools.calls) - before

    answers: list[dict[str, object]] = []
    assert calls() == 5  # two syntheses, the part by itself, two placements
    assert calls() == 0
    assert answers[0] == answers[1]
    folder = Path(str(answers[0]["directory"]))
    (folder / "seed2.rpt.made-of").unlink()  # as if it was interrupted there
    assert calls() == 1
    assert calls(seeds=3) == 1
    assert calls("--depth", "4") == 5
    assert calls("--node", "3") == 5
    # What is made of something else in the same folder is made anew, as often as that changes.
    (folder / "harness.json").write_text('{"modules": {"top": {"cells": {}}}}')
    (folder / "harness.json.made-of").write_text("other")
    assert calls() == 1
    assert "harness" in (folder / "harness.json").read_text()
    (folder / "seed1.rpt.made-of").write_text("other")
    (folder / "bare.rpt").unlink()
    assert calls() == 2
    # Other tools are asked again.
    monkeypatch.setattr("fingerpost.jobs.tools._version", lambda _: "1.1")
    assert calls() == 5
    assert calls() == 0


@pytest.mark.regress
def test_networks_and_algorithms_are_rows_and_a_picture(
    run: Run, cost: Cost, ring: Path, tmp_path: Path
) -> None:
    nets, picture = (ring, NETWORKS / "petersen.yaml"), tmp_path / "cost.svg"
    failed = run("cost", *nets, "--routing", "table", "--routing", "dimension-order")
    assert (failed.status, failed.err.count("\n")) == (2, 1)  # petersen has no dimensions
    asked = "--routing", "table", "--routing", "up-down"
    answer = cost(*asked, "--json", nets=nets, seeds=3)
    assert answer["network"] is None
    assert [(x["network"], x["family"], x["nodes"], x["routing"]) for x in answer["rows"]] == [
        ("ring", "grid", 4, "table"),
        ("ring", "grid", 4, "up-down"),
        ("petersen", "edge-list", 10, "table"),
        ("petersen", "edge-list", 10, "up-down"),
    ]
    assert len({row["directory"] for row in answer["rows"]}) == 4
    told = cost(*asked, nets=nets, seeds=3)
    assert told[0] == "router on ECP5-25k, speed 6, CABGA381"
    assert [line.split("  ")[0] for line in told[2:]] == [
        f"{row['network']}, {row['routing']}" for row in answer["rows"]
    ]
    drawn = run("cost", *nets, *asked, "--directory", tmp_path, "--seeds", 3, "-o", picture)
    assert (drawn.status, drawn.err) == (0, f"fingerpost: wrote {picture}\n")
    assert f"<title>The {told[0]}</title>" in picture.read_text()


def test_networks_of_one_name_share_no_folder(cost: Cost, ring: Path) -> None:
    folders = set()
    for size in (8, 16):
        ring.write_text(RING.replace("[4]", f"[{size}]"))
        folders.add(cost("--node", 0, "--json", nets=(ring,))["directory"])
    assert len(folders) == 2


ROW: dict[str, Any] = {
    "network": "s", "family": "star", "routing": "greedy", "data_width": 32, "buffer_depth": 8,
    "nodes": 24, "sites": 700, "fmax_mhz": {"min": 98, "median": 100, "max": 105},
}  # fmt: skip


def test_lines_are_by_family_algorithm_and_size() -> None:
    rows = [ROW | {"nodes": 120}, ROW, ROW | {"buffer_depth": 2}]
    found = lines(rows)
    assert {name: [row["nodes"] for row in some] for name, some in found.items()} == {
        "star, greedy, 32 bits, depth 8": [24, 120],
        "star, greedy, 32 bits, depth 2": [24],
    }
    assert {*lines(rows[:2])} == {"star, greedy"}


def test_area_is_above_and_speed_below() -> None:
    speed = {"min": 88, "median": 90, "max": 95}
    made = figure([ROW | {"nodes": 120, "sites": 900, "fmax_mhz": speed}, ROW], "title")
    upper, lower = made.axes
    (line,) = upper.lines
    assert np.asarray(line.get_xdata()).tolist() == [24, 120]
    assert np.asarray(line.get_ydata()).tolist() == [700, 900]
    heights = [np.asarray(each.get_ydata()).tolist() for each in lower.lines]
    assert heights == [[100, 90], [98, 88], [105, 95]]  # with the ends of the bars
    assert [text.get_text() for text in made.legends[0].get_texts()] == ["star, greedy"]


@pytest.fixture
def stored(ring: Path, tmp_path: Path) -> Path:
    """What `cost --json` prints of three depths, of which the second is that of the file."""
    common = {
        "network": "ring", "part": "router", "device": "ECP5-25k, speed 6, CABGA381", "sites": 243,
        "fmax_mhz": {"min": 150.0, "median": 160.0, "max": 170.0},
        "parts": {"buffers": {"lut4": 39}}, "directory": "/home/user/build",
    }  # fmt: skip
    rows = []
    for depth in (4, 2, 8):
        digest = description_hash(read(ring).with_router(buffer_depth=depth).network())
        rows.append(common | {"buffer_depth": depth, "description_sha256": digest})
    path = tmp_path / "cost.json"
    path.write_text(json.dumps({"schema": 1, "network": "ring", "rows": rows}))
    return path


def test_the_manifest_has_what_this_network_costs(
    run: Run, ring: Path, stored: Path, tmp_path: Path
) -> None:
    ended = run("generate", ring, "-o", tmp_path / "out", "--cost", stored, "--cost", stored)
    assert (ended.status, ended.err) == (0, "")
    assert {*ended.out.splitlines()} == {*map(str, (tmp_path / "out").iterdir())}
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


def test_all_rows_are_for_the_page_of_a_network(stored: Path) -> None:
    found = by_network("cost", [stored], ["ring"])["ring"]
    assert [row["buffer_depth"] for row in found] == [4, 2, 8]
