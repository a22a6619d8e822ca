"""The dense networks of the repository, from the definition of their groups, by another search."""

from typing import Any

import numpy as np
import pytest
import yaml
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from fingerpost.survey.known import BOREL, CUBIC
from tests.fingerpost.common import NETWORKS

# Nodes and diameters of the largest metacyclic and Borel graphs that were found.
DENSE = {
    "metacyclic-84": (84, 4),
    "metacyclic-205": (205, 5),
    "metacyclic-513": (513, 6),
    "metacyclic-1155": (1155, 7),
    "metacyclic-7550": (7550, 9),
    "borel-1081": (1081, 7),
    "borel-2943": (2943, 8),
    "borel-17525": (17525, 10),
}


def graph(topology: dict[str, Any]) -> Any:
    """Return links both ways: (t, y) to (t, y)(s, z) = (t + s, y + r^t z)."""
    m, r = (topology[key] for key in (("p", "a") if "p" in topology else ("m", "r")))
    k = topology["k"] if "k" in topology else next(k for k in range(1, m) if pow(r, k, m) == 1)
    assert pow(r, k, m) == 1
    t, y = np.divmod(np.arange(k * m), m)
    power = np.array([pow(r, i, m) for i in range(k)])
    generators = [topology[name] for name in "ABC" if name in topology]
    ends = [(t + s) % k * m + (y + power[t] * z) % m for s, z in generators]
    start, end = np.tile(np.arange(k * m), len(ends)), np.concatenate(ends)
    links = csr_array((np.ones(len(start)), (start, end)), shape=(k * m, k * m))
    return links + links.T


BOREL_DIAMETERS = {57: 4, 465: 6, 7439: 9, 44595: 11}


def described(name: str) -> dict[str, Any]:
    """Return the topology of a network file."""
    text = (NETWORKS / f"{name}.yaml").read_text(encoding="utf-8")
    topology: dict[str, Any] = yaml.safe_load(text)["topology"]
    return topology


CLAIMS = [(described(name), *claim) for name, claim in DENSE.items()] + [
    *((keys, nodes, BOREL_DIAMETERS[nodes]) for nodes, keys in BOREL),
    ({"p": 1889, "a": 17, "A": [5, 1], "B": [21, 1]}, 111_451, 12),  # docs/design/survey.md
]


CUBIC_DIAMETERS = {8: 2, 14: 3, 24: 4, 60: 5, 162: 7, 272: 8, 506: 9}


@pytest.mark.parametrize(("nodes", "topology"), CUBIC, ids=lambda value: str(value)[:5])
def test_cubic_network_has_the_diameter_that_is_claimed(
    nodes: int, topology: dict[str, Any]
) -> None:
    links = graph(topology) > 0  # an involution's link comes from both ends
    assert links.shape[0] == nodes
    assert (links.sum(axis=1) == 3).all()
    assert dijkstra(links, unweighted=True).max() == CUBIC_DIAMETERS[nodes]


@pytest.mark.parametrize(
    ("topology", "nodes", "diameter"), CLAIMS, ids=lambda value: str(value)[:5]
)
def test_dense_network_has_the_diameter_that_is_claimed(
    topology: dict[str, Any], nodes: int, diameter: int
) -> None:
    links = graph(topology)
    assert links.shape[0] == nodes
    assert (links.sum(axis=1) == 4).all()
    assert links.max() == 1  # four different neighbours
    away = dijkstra(links, indices=[0, 1, nodes // 2], unweighted=True)
    assert (away.max(axis=1) == diameter).all()
