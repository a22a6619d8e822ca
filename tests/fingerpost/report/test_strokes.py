import re

import numpy as np
import pytest

from fingerpost.drawing import draw as drawing
from fingerpost.netfile.source import read
from fingerpost.report.sections.identity import strokes
from tests.fingerpost.common import NETWORKS


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", path)]


@pytest.mark.parametrize(
    "name",
    ["borel-21", "scc-4", "torus-8x8", pytest.param("torus-32x32", marks=pytest.mark.regress)],
)
def test_links_lead_from_node_to_node_within_the_drawing(name: str) -> None:
    network = read(NETWORKS / f"{name}.yaml").routed()
    figure = drawing.figure(network)
    found = strokes(network.topology, figure)
    assert found is not None
    size = figure.get_size_inches() * 72
    nodes, radius = np.array(found["nodes"]), found["diameter"] / 2
    assert (nodes > radius).all()
    assert (nodes < size - radius).all()
    neighbour = network.topology.neighbour
    for path, end in zip(found["links"], neighbour.ravel(), strict=True):
        assert (path == "") == (end < 0)
    for node, port in np.argwhere(neighbour >= 0).tolist():
        path = found["links"][node * network.topology.degree + port]
        start, tip = points(path)[0], points(path[path.rindex("M") :])[0]
        # Small nodes are so near that lines run over them, from middle to middle.
        reach = radius if found["diameter"] >= 12 else 0.0
        assert np.hypot(*(nodes[node] - start)) == pytest.approx(reach, abs=0.2)
        end = nodes[neighbour[node, port]]
        assert np.hypot(*(end - tip)) == pytest.approx(radius + 1, abs=0.3)


def test_classes_have_no_nodes_to_lay_a_route_on() -> None:
    network = read(NETWORKS / "metacyclic-513.yaml").routed()
    assert strokes(network.topology, drawing.figure(network)) is None
