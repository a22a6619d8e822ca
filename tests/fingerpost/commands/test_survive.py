import json
import re

import numpy as np
import pytest

from fingerpost.commands.survive import facts, render
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList


def test_exact_answer() -> None:
    # Eq. (2.1) at n = 3, all chances 1/2: 3/32 + 1/8 * 18/64.
    found = facts("d", DoubleLoop(nodes=3, a=1, b=2), node_failure=0.5, link_failure=0.5)
    assert found == {
        "network": "d",
        "family": "double-loop",
        "nodes": 3,
        "terminals": 3,
        "node_failure": 0.5,
        "link_failure": 0.5,
        "method": "theorem 2.1",
        "exact": True,
        "survival": 0.12890625,
    }
    json.dumps(found)
    assert render(found).splitlines() == [
        "d, 3 nodes: a node fails with probability 0.5, a link with 0.5",
        "survival 0.12890625, exact, by theorem 2.1",
        "survival: two or more nodes survive, and all that do reach one another",
    ]


def test_says_which_method() -> None:
    braided = facts("b", DoubleLoop(nodes=9, a=1, b=2), node_failure=0, link_failure=0)
    assert (braided["method"], braided["survival"]) == ("frontier sweep", 1)
    chordal = DirectedChordalRing(nodes=20, w=3)
    ring = facts("c", chordal, node_failure=0.1, link_failure=0)
    assert ring["method"] == "chordal ring as double loop, frontier sweep"


def test_samples_of_a_network_without_exact_method(network: Network) -> None:
    found = facts("borel-21", network.topology, node_failure=0.1, link_failure=0.1, seed=5)
    assert (found["method"], found["exact"], found["confidence"]) == ("monte carlo", False, 0.95)
    assert (found["samples"], found["seed"]) == (20_000, 5)
    low, high = found["interval"]
    assert low < found["survival"] == found["survivors"] / 20_000 < high < low + 0.014
    json.dumps(found)
    assert re.fullmatch(
        r"borel-21, 21 nodes: a node fails with probability 0\.1, a link with 0\.1\n"
        r"survival 0\.97\d{3}, 95% interval 0\.9\d{4}\.\.0\.9\d{4}: 19\d{3} of 20000 samples, "
        r"seed 5\n"
        r"survival: two or more nodes survive, and all that do reach one another",
        render(found),
    )


def test_samples_if_asked_for() -> None:
    braided = DoubleLoop(nodes=50, a=1, b=2)
    sampled = facts("b", braided, node_failure=0.02, link_failure=0.02, samples=5000)
    exact = facts("b", braided, node_failure=0.02, link_failure=0.02)
    assert (sampled["samples"], sampled["exact"], exact["exact"]) == (5000, False, True)
    assert sampled["interval"][0] < exact["survival"] < sampled["interval"][1]


def test_speaks_of_terminals_where_some_nodes_have_none() -> None:
    path = EdgeList(links=[(0, 1), (1, 2)], nodes=3)
    path.terminals = np.array([0, 2])
    found = facts("path", path, node_failure=0, link_failure=0, samples=10)
    assert render(found).splitlines()[-1] == (
        "survival: two or more terminals survive, and all that do reach one another"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"node_failure": 1.1}, "Survival needs a node failure probability in 0..1, not 1.1"),
        ({"link_failure": -1}, "Survival needs a link failure probability in 0..1, not -1"),
        (
            {"link_failure": float("nan")},
            "Survival needs a link failure probability in 0..1, not nan",
        ),
        ({"samples": 0}, "Survival needs at least 1 sample, not 0"),
    ],
)
def test_refuses(arguments: dict[str, float], message: str) -> None:
    chosen = {"node_failure": 0.1, "link_failure": 0.1} | arguments
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts("d", DoubleLoop(nodes=5, a=1, b=2), **chosen)  # type: ignore[arg-type]
