"""Grids, rings and trees, and networks of no family.

Node x0,x1,... of a grid is at x0 v0 + x1 v1 + ...; links that wrap are stubs.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from fingerpost.drawing.form import Form, Points, Tick, around, circle
from fingerpost.drawing.picture import CLASSES
from fingerpost.drawing.plan import clearance
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import EdgeList, Grid, Kyklos, Topology, TwistedTorus
from fingerpost.golden.topology.metacyclic import MetacyclicGraph

STUB = 0.62
"""How long a link is drawn that leaves the picture, in steps of its dimension."""


COPIES = 4
"""Copies of a part that are looked at, at most; further ones are like them."""


def grid(topology: Grid) -> Form:
    """Place the first dimension from left to right, the second upwards, others aslant.

    A ring alone is one.
    """
    if len(topology.sizes) == 1 and topology.wraps[0]:
        return Form(circle(topology.nodes), ticks=around(topology.nodes), outward=True)
    vectors = _vectors(topology)
    points = topology.coordinate @ vectors
    names = [topology.name(node) for node in range(topology.nodes)]
    texts = names if len(topology.sizes) <= 3 else None
    return Form(
        points,
        texts=texts,
        kind=_dimensions(topology) if len(topology.sizes) > 2 else None,
        kinds=[f"d{i}" for i in range(len(topology.sizes))],
        stub=_stubs(topology, vectors),
        ticks=_ticks(topology),
        note="open ends go round to the other side" if any(topology.wraps) else "",
    )


def twisted_torus(topology: TwistedTorus) -> Form:
    """Place it as a grid."""
    note = f"rows are rings; upper ends go on below, {topology.twist} columns further right"
    return replace(grid(topology), note=note)


def _dimensions(topology: Grid) -> IntArray:
    """Return the dimension of every port."""
    ports = np.zeros(topology.degree, np.int64)
    for i, (up, down) in enumerate(topology.ports):
        ports[[up, down]] = i
    return np.broadcast_to(ports, topology.neighbour.shape)


def _ticks(topology: Grid) -> list[Tick]:
    """Return the coordinates along the lower and the left side of a flat grid."""
    if len(topology.sizes) > 2:
        return []
    across, up = topology.sizes[0], len(topology.coordinate) // topology.sizes[0]
    below = [Tick(x, (0.0, -1.0), str(x)) for x in range(across)]
    left = [Tick(y * across, (-1.0, 0.0), str(y)) for y in range(up)]
    return below + (left if up > 1 else [])


def _vectors(topology: Grid) -> Points:
    """Return the step of each dimension: right and up; then, by trial, others.

    Two further dimensions make a square of squares, turned a little, so that its links pass
    between nodes; a last one goes aslant.
    """
    sizes = topology.sizes
    vectors = list(np.eye(2)[: len(sizes)])
    while len(vectors) < len(sizes):
        done = len(vectors)
        here = np.array(list(product(*map(range, sizes[:done])))) @ np.array(vectors)
        links, pair = _links(sizes[:done]), len(sizes) - done >= 2
        steps = sizes[done : done + 1 + pair]
        best = max(_trials(here, pair), key=partial(_room, here, links, sizes=steps))
        vectors.extend(best)
    return np.array(vectors)


def _trials(here: Points, pair: bool) -> list[Points]:
    """Return one or two further steps to be tried, for a picture so far."""
    wide, high = np.ptp(here, axis=0)
    if not pair:
        return [
            np.array([[x, y]])
            for x in np.linspace(0.1, wide + 1.3, 20)
            for y in np.linspace(0.1, high + 1.3, 20)
        ]
    trials = []
    for angle in np.radians(np.arange(6, 44, 2.0)):
        cos, sin = np.cos(angle), np.sin(angle)
        for apart in np.arange(1.0, 2.01, 0.1):
            size = apart * (max(wide, high) + 0.6)
            trials.append(size * np.array([[cos, sin], [-sin, cos]]))
    return trials


def _links(sizes: tuple[int, ...]) -> IntArray:
    """Return the links of a mesh, by the order of `product`."""
    number = np.arange(int(np.prod(sizes))).reshape(sizes)
    pairs = []
    for axis, size in enumerate(sizes):
        low, high = (np.take(number, range(a, b), axis) for a, b in ((0, size - 1), (1, size)))
        pairs.append(np.stack([low.ravel(), high.ravel()], axis=1))
    return np.concatenate(pairs)


def _room(here: Points, links: IntArray, trial: Points, sizes: Sequence[int]) -> float:
    """Return the least room of copies that are a step apart, by the size of the picture."""
    n, copied = len(here), tuple(min(size, COPIES) for size in sizes)
    places = np.array(list(product(*map(range, copied))))
    points = np.concatenate([here + place @ trial for place in places])
    copies = _links(copied)
    across = [np.stack([np.arange(n) + a * n, np.arange(n) + b * n], axis=1) for a, b in copies]
    every = np.concatenate([links + i * n for i in range(len(places))] + across)
    corners = np.array(list(product(*((0, size - 1) for size in sizes)))) @ trial
    extent = np.ptp(np.concatenate([here + corner for corner in corners]), axis=0).max()
    apart = min(np.linalg.norm(here[:, None] - here - step, axis=2).min() for step in trial)
    return round(float(min(apart, 2.2 * clearance(points, every).min()) / (extent + 1)), 9)


def _stubs(topology: Grid, vectors: Points) -> Points | None:
    if not any(topology.wraps):
        return None
    stub = np.zeros((*topology.neighbour.shape, 2))
    for i, (up, down) in enumerate(topology.ports):
        if topology.wraps[i]:
            x, last = topology.coordinate[:, i], topology.sizes[i] - 1
            stub[x == last, up] = STUB * vectors[i]
            stub[x == 0, down] = -STUB * vectors[i]
    return stub


def ring(topology: Topology) -> Form:
    """Place the nodes on a circle by number, and tell the links apart by port.

    For directed families: of a link both ways only one end would be seen.
    """
    ports = np.broadcast_to(np.arange(topology.degree), topology.neighbour.shape)
    return Form(
        circle(topology.nodes),
        kind=ports,
        kinds=topology.port_names,
        ticks=around(topology.nodes),
        outward=True,
    )


def chordal_ring(topology: MetacyclicGraph) -> Form:
    """Place the nodes on a circle by label, coloured by class (two-phase-1995, Section II)."""
    return Form(
        circle(topology.nodes),
        colour=topology.orbit,
        colours=[f"class {i}" for i in range(topology.k)],
        kind=_generator(topology),
        kinds=_generators(topology),
        ticks=around(topology.nodes),
        outward=True,
    )


def classes(topology: MetacyclicGraph) -> tuple[Topology, Form]:
    """Return the circulant graph of the classes, with its form: what a large network comes to.

    A link A leads from class i to class i + t modulo k, t that of A.
    """
    k, shift = topology.k, topology.shift
    neighbour = (np.arange(k)[:, None] + shift) % k
    arrival = np.broadcast_to(topology.arrival_port[0], neighbour.shape).copy()
    quotient = Topology(neighbour, arrival, topology.port_names)
    names = _generators(topology)
    form = Form(
        circle(k),
        colour=np.arange(k) if k <= len(CLASSES) else None,
        kind=_generator(quotient),
        kinds=tuple(
            f"{name}: class i to {f'i+{t}' if t else 'itself'}"
            for name, t in zip(names, shift[: len(names)].tolist(), strict=True)
        ),
        ticks=around(k),
        outward=True,
        note=f"the {k} classes of {topology.p} nodes each",
    )
    return quotient, form


def _generators(topology: Topology) -> tuple[str, ...]:
    """Return the names of the generators, which come before those of their inverses."""
    return tuple(name for name in topology.port_names if not name.endswith("^-1"))


def _generator(topology: Topology) -> IntArray:
    """Return 0 for A and its inverse, 1 for B and its, 2 for C."""
    ports = np.arange(topology.degree) % len(_generators(topology))
    return np.broadcast_to(ports, topology.neighbour.shape)


def kyklos(topology: Kyklos) -> Form:
    """Place the nodes of each level by place; every further tree between the levels of others."""
    tree, level, leaf = topology.tree, topology.level, topology.level == 0
    x = (topology.place + 0.5) * float(topology.m) ** topology.level
    side = np.where(tree % 2 == 0, 1, -1)
    # Trees on one side: the levels of the later ones are a little higher, and shifted.
    later = np.where(leaf, 0, tree // 2)
    share = later / max(1, -(-topology.r // 2))
    step = max(1.0, topology.leaves / topology.n / 2.6)
    points = np.stack([x + 0.5 * share, side * (level + share) * step], axis=1)
    owner = np.where(leaf, 0, 1 + tree)
    kind = np.where(
        leaf[:, None], np.arange(topology.degree), np.broadcast_to(tree[:, None], (len(tree), 1))
    )
    return Form(
        points,
        texts=[topology.name(node) for node in range(topology.nodes)],
        colour=owner,
        colours=["leaf", *(f"node of tree {t}" for t in range(topology.r))],
        kind=kind,
        kinds=[f"tree {t}" for t in range(topology.r)],
        square=leaf,
    )


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
