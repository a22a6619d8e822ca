from typing import Any

import networkx as nx
import pytest

from tests.hdl.routing.common import mismatches

CHAIN = nx.compose_all(
    [
        nx.path_graph([0, 1, 3, 5, 7]),
        nx.path_graph([0, 2, 4, 6]),
        nx.star_graph([6, 7, 8, 9, 10]),
        nx.path_graph([7, 8, 9, 10]),
        nx.star_graph([0, 11, 12, 13, 14]),
    ]
)
"""Node 7 sends what came from above to 10 by 8, and what did not by 6."""


@pytest.mark.parametrize(
    "topology",
    [
        {"family": "edge-list", "nodes": 15, "links": sorted(CHAIN.edges)},
        {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
        {"family": "kyklos", "m": 2, "r": 2, "n": 2},
        {"family": "grid", "sizes": [2]},
    ],
    ids=["chain", "borel", "kyklos", "pair"],
)
def test_decides_like_golden(topology: dict[str, Any]) -> None:
    assert mismatches(topology, {"algorithm": "up-down"}, count=400) == []
