"""Every family: its links by definition, its symmetries, distances, names and constants."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology import FAMILIES, DoubleLoop, Grid, Kyklos, Metacyclic
from fingerpost.golden.topology.base import Topology, summary
from tests.golden import star_group
from tests.golden.borel_group import Group, breadth_first, groups
from tests.golden.graphs import links_of
from tests.golden.kyklos_1988 import Reference
from tests.golden.metacyclic_group import CHINESE, UNFAITHFUL, cayley, graphs
from tests.golden.star_group import rotated, vertex_number

Ends = dict[str, list[str | None]]
"""Of each node, in the order of the numbers: the node at each port, all by their names."""


def by_number(n: int) -> list[tuple[int, ...]]:
    return sorted(star_group.labels(n), key=vertex_number)


def text(label: tuple[int, ...]) -> str:
    return "".join(map(str, label))


def star(n: int) -> Ends:
    return {text(p): [text(q) for q in star_group.star_neighbours(p)] for p in by_number(n)}


def scc(n: int) -> Ends:
    nodes = [(i, p) for p in by_number(n) for i in range(2, n + 1)]
    return {
        f"{i}:{text(p)}": [f"{j}:{text(q)}" for j, q in star_group.scc_neighbours((i, p))]
        for i, p in nodes
    }


def rotator(n: int) -> Ends:
    return {text(w): [text(rotated(w, k)) for k in range(2, n + 1)] for w in by_number(n)}


def kautz(degree: int, diameter: int) -> Ends:
    """Words without equal neighbours; port p appends the letter p + 1 behind the last."""
    letters = "abcdefgh"[: degree + 1]

    def after(letter: str) -> list[str]:
        return [letters[(letters.index(letter) + 1 + p) % (degree + 1)] for p in range(degree)]

    words = [*letters]
    for _ in range(diameter - 1):
        words = [word + letter for word in words for letter in after(word[-1])]
    return {word: [(word + letter)[1:] for letter in after(word[-1])] for word in words}


def double_loop(nodes: int, a: int, b: int) -> Ends:
    return {str(i): [str((i + step) % nodes) for step in (a, b)] for i in range(nodes)}


def directed_chordal_ring(nodes: int, w: int) -> Ends:
    return {
        str(i): [str((i + 1) % nodes), str((i + w) % nodes) if i % 2 else None]
        for i in range(nodes)
    }


def lattice(sizes: list[int], wrap: list[bool], twist: int = 0) -> Ends:
    """One step up and down in each dimension; from the last row to the first x grows by `twist`."""
    ends: Ends = {}
    for place in (place[::-1] for place in product(*map(range, sizes[::-1]))):
        row = ends[",".join(map(str, place))] = list[str | None]()
        for i, size in enumerate(sizes):
            for step in (1, -1) if size > 2 else (1,):
                there = [*place]
                turns, there[i] = divmod(place[i] + step, size)
                there[0] = (there[0] + (i == 1) * turns * twist) % sizes[0]
                joined = not turns or size == 2 or wrap[i]
                row.append(",".join(map(str, there)) if joined else None)
    return ends


def borel(p: int, a: int, A: tuple[int, int], B: tuple[int, int]) -> Ends:
    group = Group(p, a, A, B)
    names = [f"{label % group.k},{label // group.k}" for label in range(group.nodes)]
    return {names[v]: [names[w] for w in ends] for v, ends in enumerate(group.neighbours)}


def metacyclic(m: int, k: int, r: int, directed: bool = False, **generators: Any) -> Ends:
    ends = cayley((m, k, r), [(t, y) for t, y in generators.values()], directed=directed)
    names = [f"{label % k},{label // k}" for label in range(m * k)]
    return {names[v]: [names[w] for w in row] for v, row in enumerate(ends)}


def kyklos(**parameters: Any) -> Ends:
    """Leaves have a parent in each tree; port c of others leads to a child, m to the parent."""
    net = Reference(**parameters)
    branches = [
        (t, v, o)
        for t in range(net.r)
        for v in range(1, net.n + 1)
        for o in range(net.m ** (net.n - v))
    ]
    degree = max(net.r, net.m + 1)
    ends: Ends = {f"L{leaf}": [None] * degree for leaf in range(net.leaves)}
    ends |= {f"{t}.{v}.{o}": [None] * degree for t, v, o in branches}
    for t, leaf, v in product(range(net.r), range(net.leaves), range(net.n)):
        below, above = net.above(leaf, t, v), net.above(leaf, t, v + 1)
        ends[below][t if v == 0 else net.m] = above
        ends[above][net.digit(leaf, net.z[t][v])] = below
    return ends


def sorted_ends(names: list[str], links: set[tuple[str, str]]) -> Ends:
    """The neighbours of every node by rising number; at most one link between two, both ways."""
    beside: dict[str, set[str]] = {name: set() for name in names}
    for u, v in links:
        if u != v:
            beside[u].add(v)
            beside[v].add(u)
    ends = {name: [other for other in names if other in beside[name]] for name in names}
    degree = max(map(len, ends.values()))
    return {name: [*row, *[None] * (degree - len(row))] for name, row in ends.items()}


def polarfly(q: int) -> Ends:
    """Points of the plane over the integers modulo a prime, by Brown."""
    points = [p for p in product(range(q), repeat=3) if next((x for x in p if x), 0) == 1]
    points.sort(key=lambda p: p.index(1))
    names = {p: ",".join(map(str, p)) for p in points}
    pairs = product(points, repeat=2)
    dot = {(names[u], names[v]) for u, v in pairs if sum(map(int.__mul__, u, v)) % q == 0}
    return sorted_ends([*names.values()], dot)


def slim_fly(q: int) -> Ends:
    """Table 2 of Besta & Hoefler, over the integers modulo a prime."""
    w, u = {3: 2, 5: 2, 7: 3}[q], (q + 1) // 4
    even = range(0, q - 1, 2)
    exponents = [*even] if q % 4 == 1 else [*even[:u], *range(2 * u - 1, 4 * u - 2, 2)]
    sets = [[w ** (e + side) % q for e in exponents] for side in (0, 1)]
    ends: Ends = {}
    for side, x, y in product((0, 1), range(q), range(q)):
        beside = [f"{side},{x},{(y + d) % q}" for d in sets[side]]
        sign = 1 if side else -1
        ends[f"{side},{x},{y}"] = [
            *beside,
            *(f"{1 - side},{m},{(y + sign * m * x) % q}" for m in range(q)),
        ]
    return ends


def hexamesh(radius: int) -> Ends:
    """Points of a triangular lattice, at most `radius` steps from the middle one."""
    size = range(2 * radius + 1)
    cube = {(x, y): (x - radius, y - radius, 2 * radius - x - y) for y in size for x in size}
    inside = {at: c for at, c in cube.items() if max(map(abs, c)) <= radius}
    names = {at: f"{at[0]},{at[1]}" for at in inside}
    links = {
        (names[u], names[v])
        for u, v in product(inside, repeat=2)
        if sum(abs(a - b) for a, b in zip(inside[u], inside[v], strict=True)) == 2
    }
    return sorted_ends([*names.values()], links)


def digits(nodes: int, d: int, sign: int) -> Ends:
    """Reddy et al.: j = d i + a; Imase and Itoh: j = -d i - a, a = 1..d."""
    some = range(d) if sign > 0 else range(1, d + 1)
    links = {(str(i), str(sign * (d * i + a) % nodes)) for i in range(nodes) for a in some}
    return sorted_ends([*map(str, range(nodes))], links)


def circulant(nodes: int, jumps: list[int]) -> Ends:
    ways = [way for s in jumps for way in ((s, -s) if 2 * s < nodes else (s,))]
    return {str(i): [str((i + way) % nodes) for way in ways] for i in range(nodes)}


DEFINITIONS: dict[str, Callable[..., Ends]] = {
    "star": star,
    "scc": scc,
    "rotator": rotator,
    "kautz": kautz,
    "double-loop": double_loop,
    "directed-chordal-ring": directed_chordal_ring,
    "grid": lattice,
    "twisted-torus": lambda columns, rows, twist: lattice([columns, rows], [True] * 2, twist),
    "borel": borel,
    "metacyclic": metacyclic,
    "metacyclic-digraph": lambda **keys: metacyclic(**keys, directed=True),
    "metacyclic-cubic": metacyclic,
    "kyklos": kyklos,
    "polarfly": polarfly,
    "slim-fly": slim_fly,
    "hexamesh": hexamesh,
    "generalized-de-bruijn": lambda nodes, d: digits(nodes, d, 1),
    "generalized-kautz": lambda nodes, d: digits(nodes, d, -1),
    "circulant": circulant,
}

TABLES = yaml.load(Path(__file__).with_name("families.yaml").read_text("utf-8"), yaml.CSafeLoader)


def make(family: str, parameters: dict[str, Any]) -> Topology:
    pairs = {key: tuple(parameters[key]) for key in parameters.keys() & {"A", "B", "C"}}
    return FAMILIES[family](**parameters | pairs)


ORBITS: dict[str, Callable[[Any], int]] = {
    "star": lambda star: 2,
    "scc": lambda scc: 2 * (scc.n - 1),
    "kautz": lambda kautz: kautz.nodes // (kautz.degree + 1),
    "twisted-torus": lambda _: 1,
    "circulant": lambda _: 1,
    "slim-fly": lambda fly: 2 * fly.q,
    **dict.fromkeys(
        ("borel", "metacyclic", "metacyclic-digraph", "metacyclic-cubic"), lambda x: x.k
    ),
}
"""How many orbits there are, where not every node is one; of grids, as few as can be."""

NOT_ALIKE = {
    *("kautz", "directed-chordal-ring", "grid", "kyklos", "polarfly", "slim-fly", "hexamesh"),
    *("generalized-de-bruijn", "generalized-kautz"),
}
"""Families in which some nodes have other distances than others, or may have."""

SAME_PORT = {"double-loop", "directed-chordal-ring", "rotator", "metacyclic-digraph"}
"""One-way links that arrive at the port of the number of that by which they leave."""


CASES = [(family, parameters) for family, some in TABLES["cases"].items() for parameters in some]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def topology(request: pytest.FixtureRequest) -> Topology:
    return make(*request.param)


OWN_TESTS = {"super-rotator", "edge-list", "random-regular"}


def test_every_family_has_a_definition_and_cases() -> None:
    missing = "a family needs an entry of DEFINITIONS, and cases in families.yaml"
    assert set(FAMILIES) - set(DEFINITIONS) == OWN_TESTS, missing
    assert set(TABLES["cases"]) == set(DEFINITIONS), missing


@pytest.mark.parametrize(("family", "parameters"), CASES)
def test_links_are_those_of_the_definition(family: str, parameters: dict[str, Any]) -> None:
    topology = make(family, parameters)
    ends = DEFINITIONS[topology.family](**parameters)
    names = [topology.name(node) for node in range(topology.nodes)]
    assert names == list(ends)
    found = [
        [None if end < 0 else names[end] for end in row] for row in topology.neighbour.tolist()
    ]
    assert found == list(ends.values())
    node, port = np.nonzero(topology.neighbour >= 0)
    there, by = topology.neighbour[node, port], topology.arrival_port[node, port]
    assert len(set(zip(there.tolist(), by.tolist(), strict=True))) == len(node)
    assert (topology.origin[there, by] == node).all()
    assert (topology.arrival_port[topology.neighbour < 0] == -1).all()
    leaves = [n for n, name in enumerate(names) if family == "kyklos" and name.startswith("L")]
    assert topology.terminals.tolist() == (leaves or [*range(topology.nodes)])
    one_way = topology.family in SAME_PORT | {"kautz"}
    assert topology.directed == (one_way and topology.degree > 1)  # two nodes have a way back
    if topology.family in SAME_PORT:
        assert (by == port).all()
    elif topology.family == "kautz":  # the number of the letter that is dropped
        letter = topology.labels[:, 0]  # type: ignore[attr-defined]
        assert (by == (letter[there] - letter[node] - 1) % (topology.degree + 1)).all()
    else:
        assert (topology.neighbour[there, by] == node).all()


def images(topology: Topology, root: int, targets: IntArray) -> IntArray:
    """Return where all nodes go if `root` goes to each target and ports are kept."""
    image = np.full((len(targets), topology.nodes), -1)
    image[:, root], met, todo = targets, {root}, [root]
    for node in todo:
        for port, other in enumerate(topology.neighbour[node].tolist()):
            if other >= 0 and other not in met:
                image[:, other] = topology.neighbour[image[:, node], port]
                met.add(other)
                todo.append(other)
    return image


def symmetries(topology: Topology, root: int, targets: IntArray) -> list[bool]:
    """Return whether symmetries that keep all ports take `root` to each target."""
    return [
        sorted(image) == list(range(topology.nodes))
        and (topology.neighbour[image] == np.append(image, -1)[topology.neighbour]).all()
        and (topology.arrival_port[image] == topology.arrival_port).all()
        for image in images(topology, root, targets)
    ]


def test_orbits_are_those_of_symmetries_that_keep_ports(topology: Topology) -> None:
    orbits, first = np.unique(topology.orbit, return_index=True)
    assert orbits.tolist() == list(range(len(orbits)))
    for orbit, root in zip(orbits, first.tolist(), strict=True):
        assert all(symmetries(topology, root, np.flatnonzero(topology.orbit == orbit)))
        if topology.family == "grid":
            assert sum(symmetries(topology, root, first)) == 1
    if topology.family != "grid":
        assert len(orbits) == ORBITS.get(topology.family, lambda any: any.nodes)(topology)
    if topology.family in ("star", "scc"):
        assert (topology.orbit[topology.neighbour] != topology.orbit[:, None]).all()


def test_distances_are_those_of_networkx(topology: Topology) -> None:
    graph = nx.DiGraph(links_of(topology))
    away = {v: sorted(row.values()) for v, row in nx.all_pairs_shortest_path_length(graph)}
    every = [hops for row in away.values() for hops in row]
    if topology.terminals.tolist() == list(range(topology.nodes)):
        diameter, mean = summary(topology)
        assert diameter == max(every)
        assert mean == pytest.approx(sum(every) / (len(every) - topology.nodes), rel=1e-12)
    alike = topology.family not in NOT_ALIKE
    assert topology.vertex_transitive == alike
    assert not alike or all(row == away[0] for row in away.values())


def test_names_and_numbers_stand_for_nodes(topology: Topology) -> None:
    for node in range(topology.nodes):
        spaced = topology.name(node).replace(",", " , ").replace(":", " : ")
        assert topology.node(f" {spaced} ") == topology.node(f" {node} ") == node


# What is accepted.


@given(groups())
def test_borel_graphs_are_those_of_matrices(group: Group) -> None:
    if group.is_valid:
        topology = group.topology()
        assert topology.neighbour.tolist() == group.neighbours
        (t1, _), (t2, _) = group.A, group.B  # Eq. (2)
        assert topology.shift.tolist() == [t1, t2, -t1 % group.k, -t2 % group.k]
    else:
        with pytest.raises(ValueError, match=r"^Borel needs "):
            group.topology()


@pytest.mark.parametrize("directed", [False, True])
@given(graph=graphs())
def test_metacyclic_graphs_are_products(graph: Any, directed: bool) -> None:
    (m, k, r), *generators = graph
    ends = cayley((m, k, r), generators, directed=directed)
    make: Any = FAMILIES["metacyclic-digraph" if directed else "metacyclic"]
    degree = 2 if directed else 4
    whole = -1 not in breadth_first(m * k, lambda v: ends[v], 0)
    if whole and len({0, *ends[0]}) == degree + 1:
        found = make(m=m, k=k, r=r, A=generators[0], B=generators[1])
        assert found.neighbour.tolist() == ends
    else:
        needs = rf"^{make.__name__} needs (four|two|A and B that generate)"
        with pytest.raises(ParameterError, match=needs):
            make(m=m, k=k, r=r, A=generators[0], B=generators[1])


@given(st.integers(3, 25), st.integers(1, 24), st.integers(1, 24))
def test_double_loops_are_strongly_connected(nodes: int, a: int, b: int) -> None:
    assume(a < nodes and b < nodes and a != b)
    links = [(i, (i + step) % nodes) for i in range(nodes) for step in (a, b)]
    if nx.is_strongly_connected(nx.DiGraph(links)):
        assert links_of(DoubleLoop(nodes=nodes, a=a, b=b)) == links
    else:
        with pytest.raises(ValueError, match=r"^Double-loop needs gcd\(nodes, a, b\) = 1 "):
            DoubleLoop(nodes=nodes, a=a, b=b)


def test_largest_networks() -> None:
    grid = Grid(sizes=[2] * 15)
    assert (grid.degree, grid.nodes, set(grid.orbit.tolist())) == (15, 2**15, {0})
    kyklos = Kyklos(m=2, r=2, n=20)
    assert kyklos.nodes == 3 * 2**20 - 2
    # The ancestor of the last leaf at every level is the last node.
    assert kyklos.name(int(kyklos.neighbour[2**20 - 1, 1])) == f"1.1.{2**19 - 1}"


# Names and constants.


@pytest.mark.parametrize(("family", "parameters", "names", "constants"), TABLES["names"])
def test_port_names_and_constants(
    family: str, parameters: dict[str, Any], names: str, constants: dict[str, object]
) -> None:
    topology = make(family, parameters)
    assert topology.port_names == tuple(names.split())
    assert not constants or json.loads(json.dumps(topology.constants())) == constants


def test_nodes_at_the_border_of_a_mesh_have_fewer_ports() -> None:
    node_types = Grid(sizes=[4, 3]).node_type
    assert [len(node_types[node].outputs) for node in (0, 1, 3, 4, 5, 11)] == [2, 3, 2, 3, 4, 2]
    assert all(kind.inputs == kind.outputs and kind.terminals for kind in node_types)
    assert len(set(node_types)) == 9
    assert len(Grid(sizes=[4, 3], wrap=True).node_types) == 1


@pytest.mark.parametrize(("keys", "order"), [(CHINESE, 15), (UNFAITHFUL, 3)])
def test_gcr_constants_depend_on_the_class_alone(keys: dict[str, Any], order: int) -> None:
    m, k, r = keys["m"], keys["k"], keys["r"]
    assert next(i for i in range(1, 99) if pow(r, i, m) == 1) == order
    topology = Metacyclic(**keys)
    label = np.arange(topology.nodes)
    added = (topology.neighbour - label[:, None]) % topology.nodes
    assert (added == topology.gcr[label % k]).all()
