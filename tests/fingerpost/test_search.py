import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from fingerpost.golden.analysis.dense import steps
from fingerpost.jobs.workers import cluster as cluster_module
from fingerpost.search import borel, facts
from tests.fingerpost.common import SMALL_SEARCH, Run, searched
from tests.golden.borel_group import Group


def brute_force(diameter: int, p_max: int) -> list[dict[str, Any]]:
    """Return every graph by networkx, most nodes first."""
    found = []
    for p in range(2, p_max + 1):
        for k in range(3, p):
            powers = [[pow(a, i, p) for i in range(1, k + 1)] for a in range(1, p)]
            of_order_k = [row[0] for row in powers if 1 in row and row.index(1) == k - 1]
            if any(p % d == 0 for d in range(2, p)) or not of_order_k:
                continue
            for t1, t2 in steps(k).tolist():
                near = Group(p, of_order_k[0], (t1, 1), (t2, 1)).neighbours
                graph = nx.Graph([(v, w) for v, row in enumerate(near) for w in row])
                away = nx.eccentricity(graph, 0)
                if away <= diameter:
                    topology = {"p": p, "a": of_order_k[0], "A": [t1, 1], "B": [t2, 1]}
                    found.append(
                        {
                            "nodes": p * k,
                            "k": k,
                            "diameter": away,
                            "topology": {"family": "borel", **topology},
                        }
                    )
    return sorted(found, key=lambda graph: -graph["nodes"])


ALL = brute_force(4, 20)


def test_finds_the_graphs_with_the_most_nodes(cluster: str) -> None:
    answer = facts(**SMALL_SEARCH, cluster=cluster)
    assert answer["found"] == [graph for graph in ALL if graph["nodes"] == ALL[0]["nodes"]]
    assert (answer["diameter"], answer["p_min"], answer["p_max"]) == (4, 2, 20)


def test_finds_all_graphs_with_enough_nodes(cluster: str, slices: None) -> None:
    answer = facts(**SMALL_SEARCH, min_nodes=55, cluster=cluster)
    assert answer["found"] == [graph for graph in ALL if graph["nodes"] >= 55]
    assert len({graph["nodes"] for graph in answer["found"]}) > 1


def test_stops_at_the_graphs_with_the_most_nodes(cluster: str, slices: None) -> None:
    whole = facts(**SMALL_SEARCH, min_nodes=1, cluster=cluster)
    first = facts(**SMALL_SEARCH, cluster=cluster)
    assert 0 < first["graphs"] < whole["graphs"]
    assert whole["found"] == ALL
    groups = [(p, k) for p in (5, 7, 11, 13, 17, 19) for k in range(3, p) if (p - 1) % k == 0]
    bound = 1 + 4 + 12 + 36 + 108
    assert whole["graphs"] == sum(len(steps(k)) for p, k in groups if p * k <= bound)


def test_finds_the_most_nodes_in_more_units_than_one(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(borel, "WORK", 1)  # graph by graph
    monkeypatch.setattr(cluster_module, "WAITING", 1)
    found = facts(diameter=6, p_max=19, cluster=cluster)["found"]
    every = brute_force(6, 19)
    assert found == [graph for graph in every if graph["nodes"] == every[0]["nodes"]]
    assert len(found) > 1


def test_searches_nothing_smaller_than_what_is_found(
    cluster: str, slices: None, state: Path
) -> None:
    facts(**SMALL_SEARCH, cluster=cluster, state=state)
    units = [json.loads(line) for line in state.read_text().splitlines()[1:]]
    ahead = cluster_module.WAITING - 1
    assert sum(unit["p"] * unit["k"] < ALL[0]["nodes"] for unit in units) <= ahead


@pytest.mark.parametrize("ahead", [1, 5, 1000])
def test_counts_the_same_graphs_however_far_workers_are_ahead(
    monkeypatch: pytest.MonkeyPatch, slices: None, ahead: int
) -> None:
    def results(
        work: Any, ready: Any, arguments: Any, *_: Any, job: str
    ) -> Generator[Any, None, None]:
        while units := ready(ahead):
            for unit in reversed(units):  # those begun last are finished first
                yield unit, work(*arguments(unit))

    monkeypatch.setattr("fingerpost.search.results", lambda *a, **kw: closing(results(*a, **kw)))
    answer = facts(**SMALL_SEARCH)
    groups = [(p, k) for p in (5, 7, 11, 13, 17, 19) for k in range(3, p) if (p - 1) % k == 0]
    most, bound = ALL[0]["nodes"], 1 + 4 + 12 + 36 + 108
    assert answer["graphs"] == sum(len(steps(k)) for p, k in groups if most <= p * k <= bound)
    assert answer["found"] == [graph for graph in ALL if graph["nodes"] == most]


@pytest.mark.regress
def test_finds_the_densest_graph_of_table_3(cluster: str) -> None:
    found = facts(diameter=7, cluster=cluster)["found"]
    assert {graph["nodes"] for graph in found} == {1081}
    assert {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]} in [
        graph["topology"] for graph in found
    ]


@pytest.mark.regress
def test_finds_the_densest_graphs_of_diameter_11() -> None:
    found = facts(diameter=11)["found"]
    assert [(graph["nodes"], graph["topology"]["p"]) for graph in found] == [(44_595, 991)] * 2
    assert [(graph["topology"]["A"], graph["topology"]["B"]) for graph in found] == [
        ([3, 1], [22, 1]),
        ([6, 1], [7, 1]),
    ]


@pytest.mark.regress
def test_cores_of_this_machine_find_the_same(cluster: str) -> None:
    assert facts(**SMALL_SEARCH)["found"] == facts(**SMALL_SEARCH, cluster=cluster)["found"]


def test_tells_progress(cluster: str, slices: None) -> None:
    told: list[tuple[int, int]] = []
    answer = facts(
        **SMALL_SEARCH, min_nodes=1, cluster=cluster, progress=lambda *done: told.append(done)
    )
    assert told[0][0] == 0
    assert told[-1] == (answer["graphs"], answer["graphs"])
    assert told == sorted(told)
    assert len(told) > 10


# What people see


def test_render_shows_the_graphs_and_a_line_for_a_network_file(cluster: str) -> None:
    answer = facts(diameter=3, p_max=7, cluster=cluster)
    shown = searched({**answer, "seconds": 1.4}).splitlines()
    assert shown[0].split() == ["nodes", "p", "k", "a", "A", "B", "diameter"]
    assert shown[1].split() == ["21", "7", "3", "2", "0,1", "1,1", "3"]
    assert shown[-1] == "topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}"
    assert shown[-3] == f"{answer['graphs']} graphs in 1 s"


def test_render_says_that_there_is_none(cluster: str) -> None:
    answer = facts(diameter=3, p_min=13, p_max=13, min_nodes=50, cluster=cluster)
    assert answer["found"] == []
    assert (
        searched({**answer, "seconds": 0.2}) == "no graph of diameter 3 or less (2 graphs in 0 s)\n"
    )


def test_command(run: Run, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    arguments = ("--diameter", 3, "--p-max", 13, "--state", state, "--json")
    ended = run("search", *arguments)
    assert (ended.status, ended.err) == (0, "")
    assert {graph["nodes"] for graph in ended.json["found"]} == {21}
    assert run("search", *arguments).json["found"] == ended.json["found"]
