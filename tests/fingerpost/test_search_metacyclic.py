import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from fingerpost.search import facts
from golden.topology import FAMILIES, Topology
from tests.fingerpost.common import NOWHERE, Run, searched

PAIRS = sum((2 * 3**12 - 1) // k for k in range(2, 2 * 12 * 13 + 2))
"""Orders m*k up to the Moore bound of diameter 12, with as many classes as a circulant can have."""

REMEDY = "ask for fewer nodes by --max-nodes and --min-nodes"


def made(topology: dict[str, Any]) -> Topology:
    keys = dict(topology)
    return FAMILIES[keys.pop("family")](**keys)


def test_metacyclic_graphs_are_what_they_are_said_to_be(cluster: str, tmp_path: Path) -> None:
    state = tmp_path / "search.jsonl"
    where: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "max_nodes": 90}
    answer = facts(**where, cluster=cluster, state=state)
    assert {graph["nodes"] for graph in answer["found"]} == {84}
    for graph in answer["found"]:
        topology = made(graph["topology"])
        edges = [(v, int(w)) for v, row in enumerate(topology.neighbour) for w in row]
        assert nx.diameter(nx.Graph(edges)) == graph["diameter"] == 4
    again = facts(**where, cluster=NOWHERE, state=state)
    assert (again["found"], again["graphs"]) == (answer["found"], answer["graphs"])
    shown = searched({**answer, "seconds": 1.0}).splitlines()
    assert shown[0].split() == ["nodes", "m", "k", "r", "A", "B", "diameter"]
    assert shown[-1].startswith("topology: {family: metacyclic, m: 28, k: 3, r: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_nodes": 2}, "Search needs m*k in 1..2 with m >= 3 and k >= 2: there is none"),
        ({"max_nodes": 10**7}, "Search needs a max-nodes in 1..4000000, not 10000000"),
        (
            {"diameter": 12},
            f"Search needs at most 1,000,000 pairs of m and k, not {PAIRS:,}: {REMEDY}",
        ),
        ({"max_nodes": 9, "min_nodes": 10}, "Search needs a max-nodes in 10..4000000, not 9"),
    ],
)
def test_refuses_metacyclic_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts(**{"family": "metacyclic", "diameter": 4, **arguments}, cluster=NOWHERE)


def test_options_are_for_their_family(run: Run) -> None:
    ended = run("search", "--diameter", 3, "--max-nodes", 9)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "fingerpost: --max-nodes: is for --family metacyclic, not borel\n"
