"""Star graphs, and star-connected cycles: the same with a ring in the place of each node."""

import numpy as np

from fingerpost.drawing.form import Disc, Form, Points, circle
from fingerpost.drawing.forms.clusters import turned
from fingerpost.drawing.forms.permutations import recursive
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Scc, Star

__all__ = ["scc", "star"]

ROOM = 0.3
"""The radius of the ring of a supernode; neighbouring supernodes are about 1 apart."""


def star(topology: Star) -> Form:
    """Place the copies of S_(n-1), one for each last symbol, around a circle; S_3 is a hexagon."""
    ports = np.broadcast_to(np.arange(topology.degree), topology.neighbour.shape)
    return Form(
        _places(topology),
        texts=[topology.name(node) for node in range(topology.nodes)],
        colour=topology.labels[:, -1] - 1,
        colours=[f"ends in {i + 1}" for i in range(topology.n)],
        kind=ports,
        kinds=[f"exchange 1 and {i}" for i in topology.port_names],
    )


def scc(topology: Scc) -> Form:
    """Place the supernodes as the nodes of the star graph, their rings turned to the links."""
    supernodes = _places(Star(n=topology.n))
    ring = topology.n - 1
    groups = np.arange(topology.nodes).reshape(-1, ring)
    lateral = topology.neighbour[:, topology.lateral]
    links = np.stack([np.arange(topology.nodes), lateral], axis=1)
    shape = circle(ring, ROOM)
    points = turned(list(groups), [shape] * len(groups), supernodes, links)
    kind = np.zeros(topology.neighbour.shape, np.int64)
    kind[:, topology.lateral] = 1
    discs = [
        Disc(x, y, ROOM * 1.5, "".join(map(str, label)) if ring > 2 else "")
        for (x, y), label in zip(supernodes.tolist(), topology.labels.tolist(), strict=True)
    ]
    nodes = range(topology.nodes)
    # The middle of a ring of two is on its link, so names stand in the nodes.
    texts = (
        map(str, topology.position(np.array(nodes)).tolist())
        if ring > 2
        else map(topology.name, nodes)
    )
    return Form(
        points,
        texts=list(texts),
        colour=np.repeat(topology.labels[:, -1] - 1, ring),
        colours=[f"ends in {i + 1}" for i in range(topology.n)],
        kind=kind,
        kinds=("local", "lateral"),
        discs=discs,
    )


def _places(topology: Star) -> Points:
    def hexagon(first: int, letters: int) -> list[int]:
        """Walk round S_3, by its two links in turn; round S_2 and S_1 likewise."""
        order = [first]
        for step in range((1, 1, 2, 6)[letters] - 1):
            order.append(int(topology.neighbour[order[-1], step % 2]))
        return order

    nodes: IntArray = np.arange(topology.nodes)
    return recursive(nodes, topology.labels, topology.n, topology.neighbour, hexagon)
