"""Several networks, algorithms, widths or depths: a row for each, a picture, and the manifest."""

import json
import re
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
from tests.fingerpost.common import NETWORKS, Run, like
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


def test_each_number_of_cycles_of_a_hop_is_a_row(cost: Cost) -> None:
    rows = cost("--hop-cycles", "2,3", "--json")["rows"]
    assert [row["hop_cycles"] for row in rows] == [2, 3]
    assert len({row["description_sha256"] for row in rows}) == 2
    assert [row["hop_ns"] for row in rows] == [
        pytest.approx(1000 * row["hop_cycles"] / row["fmax_mhz"]["median"]) for row in rows
    ]
    assert "hop           3 cycles, 30.0 ns" in cost("--hop-cycles", "3", seeds=3)
    assert (
        cost("--part", "terminal", "--json", nets=(NETWORKS / "borel-21-axi.yaml",))["hop_ns"]
        is None
    )


def test_each_service_is_a_row(cost: Cost) -> None:
    rows = cost("--service", "bounded,local", "--json")["rows"]
    assert [row["service"] for row in rows] == ["bounded", "local"]
    assert len({row["description_sha256"] for row in rows}) == 2
    told = cost("--service", "bounded,local")
    assert [line.split()[2] for line in told[1:]] == ["service", "bounded", "local"]


def test_what_was_done_is_not_done_again(
    cost: Cost, tools: SimpleNamespace, borel21: Path, ring: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calls(*more: object, seeds: int = 2, net: Path = borel21) -> int:
        """Return how often a tool ran."""
        before = len(tools.calls)
        answers.append(cost(*more, "--json", seeds=seeds, nets=(net,)))
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
    for size in (8, 16):  # networks of one name share no folder
        ring.write_text(RING.replace("[4]", f"[{size}]"))
        assert calls(net=ring) == 5
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
    expected = [(net, kind) for net in ("ring", "petersen") for kind in ("table", "up-down")]
    assert [(x["network"], x["routing"]) for x in answer["rows"]] == expected
    assert len({row["directory"] for row in answer["rows"]}) == 4
    told = cost(*asked, nets=nets, seeds=3)
    assert told[0] == "router on ECP5-25k, speed 6, CABGA381"
    rows = [re.split("  | of node", line)[0] for line in told[2:]]
    assert rows == [", ".join(each) for each in expected]
    drawn = run("cost", *nets, *asked, "--directory", tmp_path, "--seeds", 3, "-o", picture)
    assert (drawn.status, drawn.err) == (0, f"fingerpost: wrote {picture}\n")
    assert f"<title>The {told[0]}: sites and Fmax against nodes; " in picture.read_text()


ROW: dict[str, Any] = {
    "network": "s", "family": "star", "routing": "greedy", "data_width": 32, "buffer_depth": 8,
    "nodes": 24, "sites": 700, "fmax_mhz": {"min": 98, "median": 100, "max": 105}, "hop_cycles": 2,
    "service": "bounded",
}  # fmt: skip


def test_area_is_above_and_speed_below() -> None:
    rows = [ROW | {"nodes": 120}, ROW, ROW | {"buffer_depth": 2}]
    found = lines(rows)
    assert {name: [row["nodes"] for row in some] for name, some in found.items()} == {
        "star, greedy, 32 bits, depth 8": [24, 120],
        "star, greedy, 32 bits, depth 2": [24],
    }
    assert [*lines([ROW, ROW | {"hop_cycles": 3}])] == [
        f"star, greedy, {cycles} cycles a hop" for cycles in (2, 3)
    ]
    assert [*lines([ROW, ROW | {"service": "local"}])] == [
        f"star, greedy, {kind} service" for kind in ("bounded", "local")
    ]
    speed = {"min": 88, "median": 90, "max": 95}
    made = figure([ROW | {"nodes": 120, "sites": 900, "fmax_mhz": speed}, ROW], "title")
    upper, lower = made.axes
    (line,) = upper.lines
    assert np.asarray(line.get_xdata()).tolist() == [24, 120]
    assert np.asarray(line.get_ydata()).tolist() == [700, 900]
    heights = [np.asarray(each.get_ydata()).tolist() for each in lower.lines]
    assert heights == [[100, 90], [98, 88], [105, 95]]  # with the ends of the bars
    assert [text.get_text() for text in made.legends[0].get_texts()] == ["star, greedy"]


def test_the_manifest_has_what_this_network_costs(run: Run, ring: Path, tmp_path: Path) -> None:
    """Of what `cost --json` prints of three depths, the second of which is that of the file."""
    row = {"network": "ring", "part": "router", "device": "ECP5-25k, speed 6, CABGA381",
           "sites": 243, "fmax_mhz": {"min": 150.0, "median": 160.0, "max": 170.0},
           "parts": {"buffers": {"lut4": 39}}}  # fmt: skip
    rows = [
        row | {"buffer_depth": depth, "directory": "/home/user/build", "description_sha256": digest}
        for depth in (4, 2, 8)
        for digest in [description_hash(read(ring).with_router(buffer_depth=depth).network())]
    ]
    stored, out = tmp_path / "cost.json", tmp_path / "out"
    stored.write_text(json.dumps({"schema": 1, "network": "ring", "rows": rows}))
    found = by_network("cost", [stored], ["ring"])["ring"]
    assert [each["buffer_depth"] for each in found] == [4, 2, 8]
    refused = (
        f"fingerpost: --cost {stored}: needs what `fingerpost cost` found of ring as it is here, "
        "with the SHA-256 ...\n"
    )
    for old, new in (("algorithm: dimension-order", "algorithm: table"), ("8,", "9,")):
        ring.write_text(RING.replace(old, new))
        ended = run("generate", ring, "-o", out, "--cost", stored)
        assert (ended.status, ended.out, out.exists()) == (2, "", False)
        assert like(refused, ended.err)
    ring.write_text(RING)
    ended = run("generate", ring, "-o", out, "--cost", stored, "--cost", stored)
    assert (ended.status, ended.err) == (0, "")
    assert {*ended.out.splitlines()} == {*map(str, out.iterdir())}
    text = (out / "ring.json").read_text()
    assert (
        json.loads(text)["cost"]
        == [{key: value for key, value in (row | {"buffer_depth": 2}).items() if key != "network"}]
        * 2
    )
    assert "/home/user" not in text
