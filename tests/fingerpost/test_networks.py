"""The networks of the repository: what their files say, beside the papers and other searches."""

from math import isclose
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from fingerpost.commands.info import facts
from fingerpost.netfile.source import load, load_any
from fingerpost.survey.survey import KNOWN
from tests.fingerpost.common import NETWORKS

# From Tables I, III and IV of two-phase-1995: A, B, nodes, D, avg, D1, D2. Then the channels.
PAPER = {
    "borel-21": ((0, 1), (1, 1), 21, 3, 2.10, 1, 3, 2),
    "borel-1081": ((1, 1), (7, 1), 1081, 7, 5.54, 4, 7, 4),
    "borel-1081-set2": ((7, 1), (8, 1), 1081, 8, 5.74, 6, 7, 4),
    "borel-1081-set3": ((1, 1), (2, 1), 1081, 8, 5.76, 6, 7, 4),
    "borel-1081-set4": ((3, 1), (6, 1), 1081, 9, 5.72, 6, 7, 4),
    "borel-15657": ((2, 1), (16, 1), 15657, 10, 8.10, 6, 10, 6),
    "borel-15657-set2": ((1, 1), (4, 1), 15657, 11, 8.16, 7, 9, 6),
    "borel-15657-set3": ((4, 1), (13, 1), 15657, 12, 8.56, 8, 10, 6),
    "borel-15657-set4": ((1, 1), (2, 1), 15657, 15, 9.65, 13, 10, 7),
}


# Of the other files: nodes, degree, diameter, channels. Counts follow from the definitions
# (24 = 4!, 72 = 3 * 4!, 46 = 16 + 2 * 15, ...); diameters were found by networkx on graphs made
# of the papers' definitions.
OTHERS = {
    "borel-21-adaptive": (21, 4, 3, 2),
    "borel-21-axi": (21, 4, 3, 2),
    "borel-21-os-link": (21, 4, 3, 2),
    "borel-21-ring": (21, 4, 3, 2),
    "borel-21-shortest": (21, 4, 3, 2),
    "borel-1081-shortest": (1081, 4, 7, 4),
    "boards-2x21": (42, 5, 6, 2),
    "boards-4x21": (84, 5, 7, 3),
    "braided-ring-16": (16, 2, 8, 2),
    "chordal-ring-16": (16, 2, 7, 2),
    "hypercube-6": (64, 6, 6, 1),
    "kautz-2-4": (24, 2, 4, 2),
    "kyklos-2-2-4": (46, 3, 8, 2),
    "kyklos-2-2-6": (190, 3, 12, 2),
    "mesh-4x4-axi": (16, 4, 6, 1),
    "mesh-4x4-axi4": (16, 4, 6, 1),
    "mesh-8x8": (64, 4, 14, 1),
    "mesh-32x32": (1024, 4, 62, 1),
    "borel-2943": (2943, 4, 8, 5),
    "borel-17525": (17525, 4, 10, 6),
    "metacyclic-84": (84, 4, 4, 3),
    "metacyclic-205": (205, 4, 5, 3),
    "metacyclic-513": (513, 4, 6, 4),
    "metacyclic-1155": (1155, 4, 7, 4),
    "metacyclic-7550": (7550, 4, 9, 5),
    "metacyclic-cubic-60": (60, 3, 5, 3),
    "metacyclic-digraph-20": (20, 2, 4, 2),
    "petersen": (10, 3, 2, 2),
    "petersen-transputers": (10, 3, 2, 2),
    "petersen-up-down": (10, 3, 2, 1),
    "rotator-4": (24, 3, 3, 2),
    "scc-4": (72, 3, 8, 3),
    "scc-5": (480, 3, 16, 4),
    "star-4": (24, 3, 4, 3),
    "super-rotator-13": (13, 4, 6, 2),
    "super-rotator-23": (23, 4, 5, 2),
    "torus-8x8": (64, 4, 8, 2),
    "torus-32x32": (1024, 4, 32, 2),
    "twisted-torus-8x4": (32, 4, 4, 2),
}

LONG = "borel-2943", "borel-17525", "borel-15657", "mesh-32x32", "metacyclic-7550", "torus-32x32"

NAMES = [
    pytest.param(x.stem, marks=[pytest.mark.regress] * x.stem.startswith(LONG))
    for x in sorted(NETWORKS.glob("*.yaml"))
]


@pytest.mark.parametrize("name", NAMES)
def test_network_is_what_its_file_says(name: str) -> None:
    """It is named as its file, proven, and that of the papers; its channels are those needed."""
    found = facts(load_any(NETWORKS / f"{name}.yaml"))
    assert found["network"] == name
    sizes = found["nodes"], found["degree"], found["diameter"]
    if name.endswith("-deflection"):
        other = facts(load(NETWORKS / f"{'-'.join(name.split('-')[:2])}.yaml"))
        same = "nodes", "degree", "diameter", "mean_distance", "constants"
        assert [found[key] for key in same] == [other[key] for key in same]
        assert found["virtual_channels"] is None
        return
    needed = found["virtual_channels"]["needed"]
    if name in PAPER:
        A, B, nodes, diameter, average, d1, d2, channels = PAPER[name]
        generators = found["constants"]["generators"]
        assert (generators["A"], generators["B"]) == (A, B)
        assert isclose(found["mean_distance"], average, abs_tol=0.005)
        assert found["routing_constants"] == {"D1": d1, "D2": d2}
        assert (*sizes, needed) == (nodes, 4, diameter, channels)
    elif name in OTHERS:
        assert (*sizes, needed) == OTHERS[name]
    classes = 2 if "classes" in name or name.endswith("-axi4") else 1
    known = {"needed": needed, "in_use": needed, "classes": classes, "proven": True}
    assert found["virtual_channels"] == known


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
    return (links + links.T) > 0  # an involution's link comes from both ends


def described(name: str) -> dict[str, Any]:
    """Return the topology of a network file."""
    text = (NETWORKS / f"{name}.yaml").read_text(encoding="utf-8")
    topology: dict[str, Any] = yaml.safe_load(text)["topology"]
    return topology


def claimed(name: str) -> tuple[int, int]:
    return (OTHERS[name][0], OTHERS[name][2]) if name in OTHERS else PAPER[name][2:4]


BOREL_DIAMETERS = {57: 4, 465: 6, 7439: 9, 44595: 11}
CUBIC_DIAMETERS = {8: 2, 14: 3, 24: 4, 60: 5, 162: 7, 272: 8, 506: 9}

CLAIMS = [
    *((described(name), 4, *claimed(name)) for name in KNOWN["dense"]),
    *((keys, 4, nodes, BOREL_DIAMETERS[nodes]) for nodes, keys in KNOWN["borel"].items()),
    ({"p": 1889, "a": 17, "A": [5, 1], "B": [21, 1]}, 4, 111_451, 12),  # docs/design/survey.md
    *(
        (keys, 3, nodes, CUBIC_DIAMETERS[nodes])
        for nodes, keys in KNOWN["metacyclic-cubic"].items()
    ),
]


@pytest.mark.parametrize(
    ("topology", "degree", "nodes", "diameter"), CLAIMS, ids=lambda value: str(value)[:5]
)
def test_dense_network_has_the_diameter_that_is_claimed(
    topology: dict[str, Any], degree: int, nodes: int, diameter: int
) -> None:
    """From the definition of the group, by another search."""
    links = graph(topology)
    assert links.shape[0] == nodes
    assert (links.sum(axis=1) == degree).all()  # so many different neighbours
    some = [0, 1, nodes // 2] if nodes > 1000 else None
    away = dijkstra(links, indices=some, unweighted=True)
    assert (away.max(axis=1) == diameter).all()
