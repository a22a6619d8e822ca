"""Theorems 1 to 6, the examples and the figures of super-rotator-1996 (Srimani)."""

from collections.abc import Iterable, Iterator
from functools import cache
from math import factorial

import numpy as np

from fingerpost.golden.algebra.group import number
from fingerpost.golden.analysis.super_rotator_theorems import (
    claims,
    degrees,
    links,
    radix,
    strong_connectedness,
)
from fingerpost.golden.routing.super_rotator import ClassRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import Topology, summary
from fingerpost.golden.topology.rotator import Rotator, SuperRotator
from fingerpost.papers.figures import SUPER_ROTATOR, word
from fingerpost.papers.items import Cell, Computes, Item, Ours, Value, item

PAPER = "super-rotator-1996"


def node(word: str) -> int:
    """Return the vertex number of a label."""
    return int(number(np.array([ord(letter) - ord("a") + 1 for letter in word])))


def several(values: Iterable[object]) -> str:
    """Return the different values, in order."""
    return ", ".join(map(str, sorted(set(values))))  # type: ignore[type-var]


def ends(topology: Topology, x: int) -> tuple[list[int], list[int]]:
    """Return the successors and the predecessors of a node, each ascending."""
    after, before = topology.neighbour[x], topology.origin[x]
    return sorted(after[after >= 0].tolist()), sorted(before[before >= 0].tolist())


# Section 2: rotator graphs, and Definitions 1 and 4.


def figure_1(full: bool) -> Iterator[Cell]:
    """Rotator graphs: what Section 2 says of all, and its example and Definition 1's."""
    for n in range(2, 7 if full else 6):
        topology = Rotator(n=n)
        row = f"R_{n}"
        yield Cell(row, "nodes", str(factorial(n)), topology.nodes)
        yield Cell(row, "in- and out-degree", str(n - 1), several(degrees(topology).ravel()))
        yield Cell(row, "links", str(factorial(n) * (n - 1)), links(topology))
        yield Cell(row, "diameter", str(n - 1), summary(topology)[0])
        if n >= 3:
            yield Cell(row, "xi", str(n - 2), strong_connectedness(topology))
    after, before = ends(Rotator(n=3), node("abc"))
    yield Cell("R_3, abc", "successors", "bac, bca", several(word(x, 3) for x in after))
    yield Cell("R_3, abc", "predecessors", "bac, cab", several(word(x, 3) for x in before))
    for x, y, outgoing, incoming in (
        ("a", "b", "bcda, bdca", "cdba, dcba"),
        ("b", "a", "acdb, adcb", "cdab, dcab"),
    ):
        yield Cell("R_4, Definition 1", f"G^I_{x},{y}", outgoing, _gateways(x, y, 0))
        yield Cell("R_4, Definition 1", f"G^II_{x},{y}", incoming, _gateways(x, y, 1))
    yield Cell("Definition 4", "110", "4, 2, 1, 0", ", ".join(map(str, radix(110)[::-1])))


def _gateways(x: str, y: str, direction: int) -> str:
    """Return the nodes of V_x with a link to (0) or from (1) one of V_y."""
    topology = Rotator(n=4)
    words = [word(v, 4) for v in range(24)]
    return several(
        words[v]
        for v in range(24)
        if words[v][-1] == x and any(words[u][-1] == y for u in ends(topology, v)[direction])
    )


# Section 3: the construction.


def figure_2(full: bool) -> Iterator[Cell]:
    """Type A links between the components of a class (the remark below Definition 5)."""
    for k in range(2, 6 if full else 5):
        topology = SuperRotator(nodes=k * factorial(k))
        component = np.arange(topology.nodes) // factorial(k)
        start, port = np.nonzero(topology.neighbour >= 0)
        pair = component[start] * k + component[topology.neighbour[start, port]]
        count = np.bincount(pair, minlength=k * k).reshape(k, k)
        between = count[~np.eye(k, dtype=np.bool_)]
        row = f"C_{k}({k})"
        yield Cell(row, "links between two components", str(factorial(k - 1)), several(between))


def figure_3() -> Iterator[Ours]:
    """Type B links (Definition 7), and those of Step 4 for i = 4, j = 2 and two lower nodes."""
    after, before = ends(SuperRotator(nodes=7), 6)
    yield "R_3 and R_1", "type B successors", len(after)
    yield "R_3 and R_1", "type B predecessors", len(before)
    topology = SuperRotator(nodes=26)  # <1, 0, 1, 0>: the nodes 0 and 1 of SR_2 become 24 and 25
    leader = range(24)
    for x in (0, 1):
        after, before = ends(topology, 24 + x)
        row = f"Step 4, node {x}"
        yield row, "links to", several(v for v in after if v in leader)
        yield row, "links from", several(v for v in before if v in leader)
    below = {v - 24 for u in (20, 21) for v in ends(topology, u)[0] if v not in leader}
    yield 'Step 4, nodes "i!-(i-j)-1" to "i!-2(i-j)"', "links to", several(below)


def _example(nodes: int) -> Iterator[Ours]:
    topology = SuperRotator(nodes=nodes)
    yield "N", "c_3, c_2, c_1", ", ".join(map(str, topology.counts[:0:-1]))
    yield "N", "n", topology.n
    yield "N", "classes", several(i for i in topology.node_class)


def _component(topology: SuperRotator, i: int, component: int) -> str:
    """Return the letters with which all labels of a component end."""
    first = topology.base[i] + component * factorial(i)
    return several(word(x, 4)[i:] for x in range(first, first + factorial(i)))


def example_1() -> Iterator[Ours]:
    """N = 13: Example 1, Figure 4 and the remark below Theorem 2."""
    yield from _example(13)
    topology = SuperRotator(nodes=13)
    for component in range(2):
        yield f"C_3^{component + 1}", "its labels end with", _component(topology, 3, component)
    members = np.flatnonzero(topology.node_class == 3)
    yield "C_3", "nodes", f"{members.min()}..{members.max()}"
    single = node("dbac")
    after, before = ends(topology, single)
    yield "dbac", "its number", single
    yield "dbac", "its class", int(topology.node_class[single])
    yield "dbac", "links to", several(after)
    yield "dbac", "links from", several(before)
    routing = ClassRouting(SuperRotator(nodes=12))  # C_3(2) alone
    route = walk(routing, np.array(node("cdba")), np.array(node("acdb")))
    path = " ".join(word(x, 4) for x in route.nodes[0])
    yield "Theorem 2, remark", "path from cdba to acdb", path
    yield "Theorem 2, remark", "its length", int(route.hops[0])


def example_2() -> Iterator[Ours]:
    """N = 23: Example 2 and Figure 5."""
    yield from _example(23)
    topology = SuperRotator(nodes=23)
    for i in (3, 2):
        for component in range(i):
            row, column = f"C_{i}^{component + 1}", "its labels end with"
            yield row, column, _component(topology, i, component)
    yield "C_1", "label", word(int(topology.base[1]), 4)
    # The numbers within SR_2 are those of SR_3 less c_3 3! = 18; within C_1 less 18 + 4.
    single = node("bacd")
    after, before = ends(topology, single)
    yield "bacd", "its number in SR_2", single - 18
    yield "bacd", "links to C_2", several(x - 18 for x in after if x >= 18)
    yield "bacd", "links from C_2", several(x - 18 for x in before if x >= 18)
    for x in range(5):
        after, before = ends(topology, 18 + x)
        row = f"node {x} of SR_2"
        yield row, "links to C_3", several(y for y in after if y < 18)
        yield row, "links from C_3", several(y for y in before if y < 18)


# Section 4: the theorems.

SAMPLES = (360, 481, 600, 719, 720, 1441, 2500, 5039)
"""Beyond the sizes that are all tried."""


@cache
def _xi(nodes: int) -> int:
    return strong_connectedness(SuperRotator(nodes=nodes))


def _sizes(full: bool, samples: int) -> dict[int, tuple[str, list[int]]]:
    """Return for every n the networks to try: all to N = 119 or 300, and the first samples."""
    tried = [*range(2, 301), *SAMPLES[:samples]] if full else [*range(2, 120)]
    sizes = {}
    for n in range(2, len(radix(tried[-1])) + 1):
        some = [nodes for nodes in tried if factorial(n) <= nodes < factorial(n + 1)]
        every = [nodes for nodes in some if nodes <= 300]
        parts = [f"{every[0]}..{every[-1]}"] if every else []
        parts += [str(nodes) for nodes in some if nodes > 300]
        sizes[n] = (f"N = {', '.join(parts)}", some)
    return sizes


def theorem_1(full: bool) -> Iterator[Cell]:
    """Strong connectedness xi = n - 2, and the least degree n - 1 (Corollary 1)."""
    for n, (row, sizes) in _sizes(full, 5).items():
        yield Cell(row, "xi", str(n - 2), several(map(_xi, sizes)))
        least = {int(degrees(SuperRotator(nodes=nodes)).min()) for nodes in sizes}
        yield Cell(row, "least degree", str(n - 1), several(least))


def theorem_2(full: bool) -> Iterator[Cell]:
    """Classes of i letters: a diameter of at most 2i - 1 is reached; xi is i - 2 (Lemma 1)."""
    for i in range(2, 7 if full else 6):
        classes = [SuperRotator(nodes=m * factorial(i)) for m in range(1, i + 1)]
        row = f"C_{i}(1..{i})"
        longest = max(summary(topology)[0] for topology in classes)
        yield Cell(row, "greatest diameter", str(2 * i - 1), longest)
        if i < 6:
            yield Cell(row, "xi", str(i - 2), several(map(strong_connectedness, classes)))


def theorem_3(full: bool) -> Iterator[Cell]:
    """Diameters: at most 2n, and every n has an N where it is 2n."""
    for n, (row, sizes) in _sizes(full, len(SAMPLES)).items():
        longest = max(summary(SuperRotator(nodes=nodes))[0] for nodes in sizes)
        yield Cell(row, "greatest diameter", str(2 * n), longest)


def _each(full: bool) -> list[int]:
    return [*range(2, 301), *SAMPLES, 5040] if full else [*range(2, 120)]


def theorem_4(full: bool) -> Iterator[Cell]:
    """Numbers of links, of each network."""
    for nodes in _each(full):
        ours: Value = links(SuperRotator(nodes=nodes))
        yield Cell(f"N = {nodes}", "links", str(claims(nodes).links), ours)


def theorem_5(full: bool) -> Iterator[Cell]:
    """Greatest degrees, of each network: n + 1 is an upper bound only."""
    for nodes in _each(full):
        claim = claims(nodes)
        printed, corrected = str(claim.max_degree_bound), str(claim.max_degree)
        wrong = None if corrected == printed else corrected
        reason = "" if wrong is None else "an upper bound only: no node has links A and B at once"
        measured = degrees(SuperRotator(nodes=nodes)).max(axis=1).tolist()
        for column, ours in zip(("out-degree", "in-degree"), measured, strict=True):
            yield Cell(f"N = {nodes}", f"greatest {column}", printed, ours, wrong, reason)


def theorem_6(full: bool) -> Iterator[Cell]:
    """Maximal fault tolerance: xi = delta - 1, with delta the least degree (Definition 8)."""
    for row, sizes in _sizes(full, 5).values():
        short = {int(degrees(SuperRotator(nodes=nodes)).min()) - _xi(nodes) for nodes in sizes}
        yield Cell(row, "delta - xi", "1", several(short))


OURS: tuple[Computes, ...] = (
    *(figure_1, figure_2, figure_3, example_1, example_2),
    *(theorem_1, theorem_2, theorem_3, theorem_4, theorem_5, theorem_6),
)

ITEMS: tuple[Item, ...] = tuple(
    item(f"{PAPER}/{name}", ours, SUPER_ROTATOR.get(name))
    for ours in OURS
    for name in [ours.__name__.replace("_", "-")]
)
