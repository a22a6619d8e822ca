"""Star and rotator graphs, and what is made of them: drawn by recursion, part by part."""

from collections.abc import Callable, Sequence

import numpy as np

from fingerpost.drawing.form import Disc, Form, Points, circle
from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Rotator, Scc, Star, SuperRotator

ROUNDS, ANGLES = 4, 48

GAP = 1.22
"""How far the middles of neighbouring groups are apart, in sums of their radii."""

Ring = Callable[[int, int], Sequence[int]]
"""Returns the nodes of a smallest part, at most 3 letters, in their order round a ring."""

ROOM = 0.3
"""The radius of the ring of a supernode; neighbouring supernodes are about 1 apart."""


def radius(points: Points) -> float:
    """Return how far the farthest point is from the middle, at least that of a node."""
    return max(0.5, float(np.linalg.norm(points, axis=1).max()) + 0.35)


def on_circle(radii: Sequence[float], start: float = np.pi / 2) -> Points:
    """Place discs of these radii around a circle, each with the room that it needs."""
    if len(radii) == 1:
        return np.zeros((1, 2))
    if len(set(radii)) == 1:
        return circle(len(radii), GAP * radii[0] / np.sin(np.pi / len(radii)), start)
    if len(radii) == 2:
        whole = GAP * sum(radii)
        return np.array([[-whole / 2, 0], [whole / 2, 0]])
    low, high = max(radii) * 0.5, GAP * sum(radii)
    for _ in range(60):  # the circle on which neighbours just fit
        middle = (low + high) / 2
        if _angles(radii, middle).sum() > 2 * np.pi:
            low = middle
        else:
            high = middle
    steps = _angles(radii, high)
    angle = start - np.append(0, np.cumsum(steps[:-1]))
    middles: Points = high * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return middles


def _angles(radii: Sequence[float], size: float) -> Points:
    """Return the angle from each disc to the next on a circle of this size."""
    pairs = zip(radii, [*radii[1:], radii[0]], strict=True)
    sines = np.array([GAP * (one + other) / (2 * size) for one, other in pairs])
    angles: Points = 2 * np.arcsin(np.minimum(sines, 1))
    return angles


def turned(
    groups: Sequence[IntArray], shapes: Sequence[Points], middles: Points, links: IntArray
) -> Points:
    """Return the places of all nodes, every group turned and mirrored for short links.

    Parameters
    ----------
    groups : sequence of (members,)
        The nodes of each group; all nodes that there are, counted from 0.
    shapes : sequence of (members, 2)
        Where they are, around the middle of the group.
    middles : (groups, 2)
    links : (links, 2)
        Pairs of nodes.
    """
    count = sum(map(len, groups))
    points, owner, member = np.zeros((count, 2)), np.zeros(count, int), np.zeros(count, int)
    for i, (group, shape) in enumerate(zip(groups, shapes, strict=True)):
        points[group], owner[group], member[group] = shape + middles[i], i, np.arange(len(group))
    across = links[owner[links[:, 0]] != owner[links[:, 1]]]
    both = np.concatenate([across, across[:, ::-1]])
    turns = _turns()
    for _ in range(ROUNDS):
        for i, (group, shape) in enumerate(zip(groups, shapes, strict=True)):
            mine = both[owner[both[:, 0]] == i]
            if not len(mine):
                continue
            places = np.einsum("tij,mj->tmi", turns, shape) + middles[i]
            reach = places[:, member[mine[:, 0]]] - points[mine[:, 1]]
            length = np.linalg.norm(reach, axis=2).sum(axis=1).round(6)
            points[group] = places[int(length.argmin())]
    return points


def _turns() -> Points:
    """Return the rotations, and the rotations of the mirror image."""
    angle = 2 * np.pi * np.arange(ANGLES) / ANGLES
    cos, sin = np.cos(angle), np.sin(angle)
    plain = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    mirrored: Points = plain @ np.diag([-1.0, 1.0])
    return np.concatenate([plain, mirrored])


def recursive(
    nodes: IntArray, labels: IntArray, letters: int, neighbour: IntArray, ring: Ring
) -> Points:
    """Return the places of some nodes, around their middle, in their order.

    Parameters
    ----------
    nodes : (count,)
        Those whose labels agree behind the first `letters` letters; ascending.
    labels : (all, n)
    neighbour : (all, degree)
        Links to other nodes do not matter.
    """
    if letters <= 3:
        order = np.searchsorted(nodes, ring(int(nodes[0]), letters))
        points = np.zeros((len(nodes), 2))
        size = {1: 0.0, 2: 0.55, 3: 1.0}[letters]
        points[order] = circle(len(nodes), size, np.pi / 2 + np.pi / len(nodes))
        return points
    last = labels[nodes, letters - 1]
    groups = [np.flatnonzero(last == letter) for letter in np.unique(last)]
    shapes = [recursive(nodes[group], labels, letters - 1, neighbour, ring) for group in groups]
    start = np.pi / 2 + (np.pi / 4 if len(groups) == 4 else 0)
    middles = on_circle([radius(shape) for shape in shapes], start)
    return turned(groups, shapes, middles, inner(nodes, neighbour))


def inner(nodes: IntArray, neighbour: IntArray) -> IntArray:
    """Return the links among some nodes, as pairs of their places in the list."""
    place = np.full(len(neighbour), -1)
    place[nodes] = np.arange(len(nodes))
    start, port = np.nonzero(neighbour[nodes] >= 0)
    end = place[neighbour[nodes[start], port]]
    return np.stack([start, end], axis=1)[end >= 0]


def rotator(topology: Rotator) -> Form:
    """Place the components R_(n-1), one for each last letter, around a circle.

    R_3 is a hexagon: its triangles are the cycles of g3, its sides those of g2.
    """
    nodes = np.arange(topology.nodes)
    ring = triangles(topology.neighbour)
    return Form(
        recursive(nodes, topology.labels, topology.n, topology.neighbour, ring),
        texts=[topology.name(node) for node in range(topology.nodes)],
        colour=topology.labels[:, -1] - 1,
        colours=[f"ends in {i + 1}" for i in range(topology.n)],
        kind=np.broadcast_to(np.arange(topology.degree), topology.neighbour.shape),
        kinds=topology.port_names,
    )


def super_rotator(topology: SuperRotator) -> Form:
    """Place the components of all classes, rotator graphs each, around a circle."""
    labels = permutations(np.arange(topology.nodes), topology.n + 1)
    groups, sizes = [], []
    for i in range(topology.n, 0, -1):
        nodes = np.arange(topology.base[i], topology.end[i])
        some = np.split(nodes, int(topology.counts[i])) if len(nodes) else []
        groups += some
        sizes += [i] * len(some)
    ring = triangles(topology.neighbour)
    shapes = [
        recursive(group, labels, size, topology.neighbour, ring)
        for group, size in zip(groups, sizes, strict=True)
    ]
    radii = [radius(shape) for shape in shapes]
    middles = on_circle(radii)
    start, port = np.nonzero(topology.neighbour >= 0)
    links = np.stack([start, topology.neighbour[start, port]], axis=1)
    present = sorted(set(sizes), reverse=True)
    return Form(
        turned(groups, shapes, middles, links),
        colour=np.array([present.index(i) for i in topology.node_class.tolist()]),
        colours=[f"R{i} of class {i}" for i in present],
        kind=_kinds(topology, groups),
        kinds=("g, within a component", "A, within a class", "B, between classes"),
        discs=[Disc(x, y, r) for (x, y), r in zip(middles.tolist(), radii, strict=True)],
    )


def _kinds(topology: SuperRotator, groups: list[IntArray]) -> IntArray:
    """Return 0, 1 or 2 for links within a component, a class, or between classes."""
    component = np.zeros(topology.nodes, np.int64)
    for i, group in enumerate(groups):
        component[group] = i
    other, of = topology.neighbour, topology.node_class
    kind = (component[other] != component[:, None]).astype(np.int64)
    return np.where(of[other] != of[:, None], 2, kind)


def triangles(neighbour: IntArray) -> Ring:
    """Return the smallest parts of rotator graphs: both triangles g3 of R_3, pairs by g2."""

    def ring(first: int, letters: int) -> list[int]:
        """Return the nodes of R_3: the corners of one triangle, each with its pair by g2."""
        if letters == 1:
            return [first]
        corner, order = first, []
        for _ in range(3 if letters == 3 else 1):
            order += [corner, int(neighbour[corner, 0])]
            corner = int(neighbour[corner, 1]) if letters == 3 else corner
        return order

    return ring


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
