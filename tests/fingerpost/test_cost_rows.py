"""Several networks, algorithms, flit widths or depths: a row for each, and a picture of all."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fingerpost.cost.chart import figure, lines
from tests.fingerpost.common import NETWORKS, Run
from tests.fingerpost.cost_tools import RING


def test_each_width_and_depth_is_a_row(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    arguments = ("cost", borel21, "--flit-width", "16,64", "--depth", "2,4", "--seeds", 1)
    answer = run(*arguments, "--directory", tmp_path, "--json").json
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
    lines = run(*arguments, "--directory", tmp_path).out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [
        ["bits", "depth"],
        *([str(width), str(depth)] for width, depth in sizes),
    ]


def test_one_width_is_no_list(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    asked = ("cost", borel21, "--flit-width", "16", "--seeds", 1, "--directory", tmp_path)
    assert run(*asked, "--json").json["flit_width"] == 16


def test_what_was_done_is_not_done_again(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    def cost(*more: object, seeds: int = 2) -> int:
        """Return how often a tool ran."""
        before = len(tools.calls)
        asked = ("cost", borel21, "--directory", tmp_path, "--seeds", seeds, *more)
        answers.append(run(*asked, "--json").json)
        return len(tools.calls) - before

    answers: list[dict[str, object]] = []
    assert cost() == 5  # two syntheses, the part by itself, two placements
    assert cost() == 0
    assert answers[0] == answers[1]
    folder = Path(str(answers[0]["directory"]))
    (folder / "seed2.rpt.made-of").unlink()  # as if it was interrupted there
    assert cost() == 1
    assert cost(seeds=3) == 1
    assert cost("--depth", "4") == 5
    assert cost("--node", "3") == 5
    # What is made of something else in the same folder is made anew, as often as that changes.
    (folder / "harness.json").write_text('{"modules": {"top": {"cells": {}}}}')
    (folder / "harness.json.made-of").write_text("other")
    assert cost() == 1
    assert "harness" in (folder / "harness.json").read_text()
    (folder / "seed1.rpt.made-of").write_text("other")
    (folder / "bare.rpt").unlink()
    assert cost() == 2


def test_other_tools_are_asked_again(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("cost", borel21, "--directory", tmp_path, "--seeds", 1)
    for version, often in (("1.0", 4), ("1.0", 0), ("1.1", 4)):
        monkeypatch.setattr("fingerpost.jobs.tools._version", lambda _, version=version: version)
        tools.calls.clear()
        assert run(*asked).status == 0
        assert len(tools.calls) == often


@pytest.mark.regress
def test_networks_and_algorithms_are_rows_and_a_picture(
    run: Run, tmp_path: Path, tools: SimpleNamespace
) -> None:
    ring, picture = tmp_path / "ring.yaml", tmp_path / "cost.svg"
    ring.write_text(RING)
    petersen = NETWORKS / "petersen.yaml"
    nets = ("cost", ring, petersen, "--directory", tmp_path, "--seeds", 3)
    failed = run(*nets, "--routing", "table", "--routing", "dimension-order")
    assert (failed.status, failed.err.count("\n")) == (2, 1)  # petersen has no dimensions
    asked = (*nets, "--routing", "table", "--routing", "up-down")
    answer = run(*asked, "-o", picture, "--json")
    assert (answer.status, answer.err) == (0, f"fingerpost: wrote {picture}\n")
    assert answer.json["network"] is None
    rows = answer.json["rows"]
    assert [(row["network"], row["family"], row["nodes"], row["routing"]) for row in rows] == [
        ("ring", "grid", 4, "table"),
        ("ring", "grid", 4, "up-down"),
        ("petersen", "edge-list", 10, "table"),
        ("petersen", "edge-list", 10, "up-down"),
    ]
    assert len({row["directory"] for row in rows}) == 4
    title = "router on ECP5-25k, speed 6, CABGA381"
    assert f"<title>The {title}</title>" in picture.read_text()
    told = run(*asked).out.splitlines()
    assert told[0] == title
    assert [line.split("  ")[0] for line in told[2:]] == [
        f"{row['network']}, {row['routing']}" for row in rows
    ]


def test_lines_are_by_family_algorithm_and_size() -> None:
    common = {"family": "star", "routing": "greedy", "data_width": 32}
    rows = [
        {**common, "nodes": nodes, "buffer_depth": depth}
        for nodes, depth in ((120, 8), (24, 8), (24, 2))
    ]
    found = lines(rows)
    assert {name: [row["nodes"] for row in some] for name, some in found.items()} == {
        "star, greedy, 32 bits, depth 8": [24, 120],
        "star, greedy, 32 bits, depth 2": [24],
    }
    assert {*lines(rows[:2])} == {"star, greedy"}


def test_area_is_above_and_speed_below() -> None:
    rows = [
        {
            "family": "star",
            "routing": "greedy",
            "data_width": 32,
            "buffer_depth": 8,
            "nodes": nodes,
            "sites": sites,
            "fmax_mhz": {"min": mhz - 2, "median": mhz, "max": mhz + 5},
        }
        for nodes, sites, mhz in ((120, 900, 90), (24, 700, 100))
    ]
    made = figure(rows, "title")
    area, speed = made.axes
    (line,) = area.lines
    assert np.asarray(line.get_xdata()).tolist() == [24, 120]
    assert np.asarray(line.get_ydata()).tolist() == [700, 900]
    heights = [np.asarray(each.get_ydata()).tolist() for each in speed.lines]
    assert heights == [[100, 90], [98, 88], [105, 95]]  # with the ends of the bars
    assert [text.get_text() for text in made.legends[0].get_texts()] == ["star, greedy"]


def test_no_two_lines_look_alike() -> None:
    row = {
        "family": "star",
        "data_width": 32,
        "buffer_depth": 8,
        "nodes": 24,
        "sites": 700,
        "fmax_mhz": {"min": 100, "median": 100, "max": 100},
    }
    made = figure([{**row, "routing": str(number)} for number in range(20)], "title")
    area, _ = made.axes
    assert len({(line.get_color(), line.get_marker()) for line in area.lines}) == 20


def test_networks_of_one_name_share_no_folder(
    run: Run, tmp_path: Path, tools: SimpleNamespace
) -> None:
    folders = []
    for width in (8, 16):
        net = tmp_path / f"{width}.yaml"
        net.write_text(RING.replace("[4]", f"[{width}]"))
        arguments = ("cost", net, "--seeds", 1, "--node", 0, "--directory", tmp_path, "--json")
        folders.append(run(*arguments).json["directory"])
    assert len(set(folders)) == 2
