"""Networks of no family: where their file says, or as a layout engine finds."""

import numpy as np

from fingerpost.drawing.form import Form, Points
from fingerpost.golden.topology import EdgeList, Topology

SPRINGS = 120
"""More nodes than this take long to be laid out by all distances; then only links pull."""


def free(topology: Topology) -> Form:
    """Place nodes by the coordinates of the file, or by networkx: linked ones near each other."""
    places = topology.places if isinstance(topology, EdgeList) else None
    names = [topology.name(node) for node in range(topology.nodes)]
    numbered = names == [str(node) for node in range(topology.nodes)]
    return Form(_engine(topology) if places is None else places, key=None if numbered else names)


def _engine(topology: Topology) -> Points:
    import networkx as nx  # it takes long, and most networks do without

    graph = nx.Graph()
    graph.add_nodes_from(range(topology.nodes))
    node, port = np.nonzero(topology.neighbour >= 0)
    graph.add_edges_from(zip(node.tolist(), topology.neighbour[node, port].tolist(), strict=True))
    if topology.nodes <= SPRINGS:
        found = nx.kamada_kawai_layout(graph)
    else:
        found = nx.spring_layout(graph, seed=0, iterations=200)
    return np.array([found[node] for node in range(topology.nodes)])
