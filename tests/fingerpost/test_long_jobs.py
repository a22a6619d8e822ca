import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.measure.soak import Soak, SoakError, Totals
from fingerpost.golden.network.network import Network, build
from fingerpost.jobs.runner import Row
from fingerpost.netfile.source import load, read
from fingerpost.soak import Piece, Pieces, added
from fingerpost.soak import facts as soak
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
from tests.fingerpost.common import NETWORKS, Run, drawn

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


def test_known_networks_have_names_of_their_own_and_name_the_search() -> None:
    entries = known()
    names = [(each.description["name"], str(each.description["routing"])) for each in entries]
    assert len(set(names)) == len(names)
    assert {each.kind for each in entries} == {"dense", "other"}
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
        "saturation": 0.9, "algorithm": "greedy", "virtual_channels": 2, "table_bits": 0,
        "sites": None, **given,
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
    figure([shown("pair", 2, degree=1, mean_distance=1.0)])  # of two nodes
    row = shown("x", 7, saturation=None, virtual_channels=None)
    head, line, *_ = render(facts([row])).splitlines()
    assert head.split()[:3] == ["network", "nodes", "degree"]
    assert line.split() == ["x", "7", "3", "9", "2.700", "1.000", "greedy", "-", "-", "0", "-"]


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


GIVEN: dict[str, Any] = {"flits": 3000, "arrivals": "bernoulli", "packet_length": "1..3"}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 400)


def test_command(run: Run, borel21: Path, tmp_path: Path) -> None:
    state = tmp_path / "soak.jsonl"
    arguments = ("soak", borel21, "--flits", 500, "--seed", 2, "--malformed", 0.1)
    answer = run(*arguments, "--state", state, "--json").json
    (row,) = answer["networks"]
    assert row["flits"] == answer["flits"] >= 500
    assert row["flits"] == row["delivered"] + row["drained"]
    assert (row["pieces"], row["engine"], row["load"], answer["rtl"]) == (1, "compiled", 1, False)
    assert answer["message"] == ""
    shown = run(*arguments, "--state", state).out.splitlines()
    assert shown[0] == (
        f"model, seed 2: {row['flits']:,} flits, none lost, duplicated or misdelivered"
    )
    assert shown[4].split()[:3] == ["borel-21", "compiled", f"{row['flits']:,}"]


def test_state_serves_other_networks_seeds_and_more_flits(
    network: Network, cluster: str, state: Path
) -> None:
    other = load(NETWORKS / "scc-4.yaml")
    soak([network], **GIVEN | {"flits": 1}, state=state)
    told: list[tuple[int, int]] = []
    several = soak(
        [other, network], **GIVEN, state=state, cluster=cluster, progress=lambda *x: told.append(x)
    )
    assert told[-1] == (6000, 6000)
    kept = [json.loads(line) for line in state.read_text().splitlines()[1:]]
    assert [(line["network"], line["piece"]) for line in kept[:1]] == [("borel-21", 0)]
    assert len(kept) == sum(row["pieces"] for row in several["networks"])
    assert several["flits"] == sum(row["flits"] for row in several["networks"])
    assert all(row["flits"] >= 3000 for row in several["networks"])
    deeper = build({**network.description, "router": {"buffer_depth": 5}})
    for others, seed in (([network], 1), ([deeper], 0)):  # of whom it has nothing
        soak(others, **GIVEN | {"flits": 1}, seed=seed, state=state)
        kept.append({})
        assert len(state.read_text().splitlines()) == 1 + len(kept)


def test_what_is_wrong_is_told_with_status_1_and_not_kept(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Soak, number: int) -> None:
        raise SoakError(f"piece {number}: 3 flits came out at node 2, not 4")

    monkeypatch.setattr(Soak, "piece", fail)
    state = tmp_path / "soak.jsonl"
    ended = run("soak", borel21, "--flits", 100, "--state", state)
    assert ended.status == 1
    lines = ended.out.splitlines()
    assert lines[0] == "model, seed 0: 0 flits, errors found"
    assert lines[-1] == "piece 0: 3 flits came out at node 2, not 4"
    assert len(state.read_text().splitlines()) == 1


def row(flits: int) -> Row:
    return asdict(Totals(flits=flits, longest_time=flits)) | {"cpu_seconds": 1.0}


def test_as_many_pieces_as_it_takes_whatever_their_order() -> None:
    def done(order: Callable[[Sequence[Piece]], Sequence[Piece]]) -> Pieces:
        pieces = Pieces(1000, [100.0])
        while units := pieces.ready(3):
            for piece in order(units):
                pieces.finish(piece, row(90))
        return pieces

    for pieces in (done(lambda units: units), done(lambda units: units[::-1])):
        assert pieces.planned == [12]  # 1080 flits
        assert added(pieces.done[0].values()) == row(90) | {"flits": 1080, "cpu_seconds": 12.0}
        assert pieces.counts() == (1000, 1000)


def test_network_that_fails_gets_no_more_pieces_and_others_do() -> None:
    pieces = Pieces(1000, [100.0, 500.0])
    assert pieces.ready(2) == [(0, 0), (0, 1)]
    pieces.finish((0, 1), {"message": "a"})
    pieces.finish((0, 0), row(100))
    pieces.finish((0, 2), {"message": "b"})
    assert pieces.messages == ["a", ""]
    assert pieces.ready(9) == [(1, 0), (1, 1)]
