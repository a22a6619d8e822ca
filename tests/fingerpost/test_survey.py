import csv
import json
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from fingerpost.netfile.source import read
from fingerpost.survey.chart import draw, figure, least_mean_distance, title
from fingerpost.survey.survey import (
    Entry,
    command,
    facts,
    given,
    known,
    records,
    render,
    survey,
)
from tests.fingerpost.common import NETWORKS, NOWHERE, Run, drawn

MESH = Entry(
    "other",
    {
        "name": "mesh-4x4",
        "topology": {"family": "grid", "sizes": [4, 4], "wrap": False},
        "routing": {"algorithm": "dimension-order"},
    },
)
ENTRIES = [
    MESH,
    *(given(read(NETWORKS / f"{name}.yaml")) for name in ("borel-21", "kyklos-2-2-4")),
]


KYKLOS = 4.625 * 16 / 15
"""Mean distance among its leaves; 4.625 over all N^2 pairs, in kyklos-1988, Table 3."""


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["network"]: each for each in rows}


def test_rows_are_what_is_known_of_the_networks(cluster: str) -> None:
    told: list[tuple[int, int]] = []
    rows = survey(ENTRIES, cluster=cluster, progress=lambda *done: told.append(done))
    assert [each["nodes"] for each in rows] == [16, 21, 46]
    found = by_name(rows)
    borel, mesh, kyklos = (found[name] for name in ("borel-21", "mesh-4x4", "kyklos-2-2-4"))
    # Table I of two-phase-1995: its mean distance, D = 3; two words of 1 + 2 * 3 bits and a table.
    assert (borel["kind"], borel["family"], borel["degree"]) == ("given", "borel", 4)
    assert (borel["mean_distance"], borel["diameter"]) == (2.1, 3)
    assert isclose(borel["bound"], 4 / 2.1)
    assert (borel["virtual_channels"], borel["table_bits"], borel["header_width"]) == (2, 55, 10)
    # A link in the middle of a row has 2 senders to its left and 8 receivers to its right.
    assert isclose(mesh["saturation"], 15 / 16)
    assert isclose(mesh["mean_distance"], 8 / 3)
    assert isclose(mesh["bound"], 48 / 16 / (8 / 3))
    assert (mesh["virtual_channels"], mesh["table_bits"]) == (1, 0)
    # Leaves and interior nodes have 2 * (16 + 14) links a tree: up and down, in two trees.
    assert (kyklos["nodes"], kyklos["terminals"]) == (46, 16)
    assert isclose(kyklos["bound"], 2 * 2 * 30 / 16 / KYKLOS)
    assert told == [(done, 3) for done in range(4)]


def test_a_state_serves_other_networks(cluster: str, state: Path) -> None:
    for entry in ENTRIES[:2]:
        [found] = survey([entry], cluster=cluster, state=state)
        assert found["network"] == entry.description["name"]
    assert len(survey(ENTRIES[:2], cluster=NOWHERE, state=state)) == 2


def test_what_has_too_many_routes_is_left_open(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.survey.survey.ROUTES", 10)
    monkeypatch.setattr("fingerpost.survey.survey.SEARCHED", 10)
    star = {"topology": {"family": "star", "n": 4}, "routing": {"algorithm": "greedy"}}
    [found] = survey([Entry("other", {"name": "star-4", **star})], cluster=cluster)
    assert (found["saturation"], found["mean_hops"]) == (None, None)
    assert found["virtual_channels"] is None
    assert (found["diameter"], found["bound"]) == (4, 3 / found["mean_distance"])


def test_known_networks_have_names_of_their_own() -> None:
    entries = known()
    names = [(each.description["name"], str(each.description["routing"])) for each in entries]
    assert len(set(names)) == len(names)
    assert {each.kind for each in entries} == {"dense", "other"}


def test_commands_name_the_search() -> None:
    metacyclic = {"family": "metacyclic", "m": 77, "k": 15}
    assert command(metacyclic, 1155, 7) == (
        "search --family metacyclic --diameter 7 --min-nodes 1155 --max-nodes 1155 --score load"
    )
    assert command({"family": "borel", "p": 47}, 1081, 7) == (
        "search --diameter 7 --min-nodes 1081 --p-max 47"
    )


def test_least_mean_distance_is_that_of_known_graphs() -> None:
    assert least_mean_distance(5) == 1  # complete
    # Petersen's graph has as many nodes as a graph of degree 3 and diameter 2 can have.
    assert isclose(least_mean_distance(10, 3), 15 / 9)
    # 4 neighbours have 3 more each; the other one is farther.
    assert isclose(least_mean_distance(18), (4 + 12 * 2 + 3) / 17)


def test_command_writes_files(run: Run, cluster: str, tmp_path: Path, borel21: Path) -> None:
    output = tmp_path / "out"
    ended = run("survey", borel21, "-o", output, "--cluster", cluster, "--json")
    assert ended.status == 0
    [told] = ended.json["networks"]
    assert told["network"] == "borel-21"
    assert told["found_by"] is None
    with output.with_suffix(".csv").open() as file:
        next(file)  # how it was made
        [kept] = csv.DictReader(file)
    assert kept["mean_distance"] == "2.1"
    assert json.loads(output.with_suffix(".json").read_text()) == ended.json
    by_command = drawn(output.with_suffix(".svg"))
    draw(ended.json["networks"], output.with_suffix(".svg"))
    assert drawn(output.with_suffix(".svg")) == by_command


def shown(network: str, nodes: int, family: str = "star", **given: Any) -> dict[str, Any]:
    return {
        "network": network, "kind": "given", "family": family, "nodes": nodes, "terminals": nodes,
        "degree": 3, "directed": False, "diameter": 9, "mean_distance": 2.7, "bound": 1.0,
        "saturation": 0.9, "algorithm": "greedy", "virtual_channels": 2, "table_bits": 0, **given,
    }  # fmt: skip


def test_the_picture_is_of_what_was_asked() -> None:
    rows = [shown("star-4", 24), shown("scc-4", 72, saturation=0.37)]
    made = figure(rows)
    upper, middle, lower = made.axes
    assert upper.get_title() == title(rows) == "star-4, scc-4"
    for axis in (middle.yaxis, lower.yaxis, lower.xaxis):
        assert len([text for text in axis.get_ticklabels() if text.get_text()]) >= 3
    [legend] = made.legends
    said = {text.get_text() for text in legend.get_texts()}
    assert "bound of any graph of degree 3" in said
    assert "two-phase routing" not in said
    many = [shown(f"network-{nodes}", nodes) for nodes in range(10, 1020, 10)]
    assert title(many) == "101 networks of 10 to 1,010 nodes"
    assert title([shown("borel-57", 57, kind="dense")]).startswith("Dense networks")


def test_the_picture_of_one_pair_of_nodes() -> None:
    figure([shown("pair", 2, degree=1, mean_distance=1.0)])


def test_people_see_a_line_each() -> None:
    row = shown("x", 7, saturation=None, virtual_channels=None)
    head, line, *_ = render(facts([row])).splitlines()
    assert head.split()[:3] == ["network", "nodes", "degree"]
    assert line.split() == ["x", "7", "3", "9", "2.700", "1.000", "greedy", "-", "-", "0"]


def test_records_stand_beside_the_largest_of_a_diameter() -> None:
    rows = [
        shown("x", 506, "metacyclic-cubic"),
        shown("y", 400, "scc"),
        shown("one-way", 600, "rotator", directed=True),
        shown("tree", 700, "kyklos", terminals=100),
        shown("mine", 590, "edge-list", diameter=10),
        shown("five", 900, "star", degree=5),
    ]
    found = {(row["degree"], row["diameter"]): row for row in records(rows)}
    assert sorted(found) == [(degree, diameter) for degree in (3, 4) for diameter in range(2, 11)]
    assert found[3, 9] == {
        "degree": 3, "diameter": 9, "largest_known": 600, "largest_known_cayley": 506,
        "network": "x", "nodes": 506, "cayley": True,
    }  # fmt: skip
    assert (found[3, 10]["network"], found[3, 10]["cayley"]) == ("mine", None)
    assert found[4, 2]["network"] is None
    # The Moore bound, of which Petersen's graph has all; Cayley graphs are graphs.
    for (degree, diameter), each in found.items():
        moore = 1 + degree * sum((degree - 1) ** hops for hops in range(diameter))
        assert each["largest_known_cayley"] < each["largest_known"] <= moore
