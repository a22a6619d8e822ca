"""Networks that are written to files of other tools, and read from them."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from fingerpost.formats import graphs
from fingerpost.formats.graphs import GraphFileError
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.directed_chordal_ring import DirectedChordalRing
from fingerpost.golden.topology.double_loop import DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE

DIRECTED: dict[str, Topology] = {
    "daisy chain": DoubleLoop(nodes=7, a=1, b=5),
    "chordal ring": DirectedChordalRing(nodes=8, w=3),
}
UNDIRECTED: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "names": EdgeList(links=[(0, 1), (2, 1)], nodes=3, names=["x y", "<&>", "\u00e9"]),
}
NETWORKS = DIRECTED | UNDIRECTED
TABLES = yaml.load(Path(__file__).with_name("refusals.yaml").read_text("utf-8"), yaml.CSafeLoader)


def links(topology: Topology) -> set[tuple[int, int]]:
    node, port = np.nonzero(topology.neighbour >= 0)
    return set(zip(node.tolist(), topology.neighbour[node, port].tolist(), strict=True))


def file(directory: Path, text: str, name: str = "list.txt") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(GraphFileError) as caught:
        graphs.topology(path)
    return str(caught.value).replace(str(path), "FILE")


class Parallel(Topology):
    """Two nodes, two links."""

    family = "parallel"

    def __init__(self) -> None:
        arrival_port = np.array([[0, 1], [0, 1]])
        super().__init__(np.array([[1, 1], [0, 0]]), arrival_port, ("L0", "L1"))
