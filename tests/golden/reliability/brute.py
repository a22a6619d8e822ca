"""Survival reliability by networkx, one pattern of failures after the other, in fractions."""

from fractions import Fraction
from itertools import product

import networkx as nx

from fingerpost.golden.reliability.links import Chance, Links

NODE: Chance = (Fraction(9, 10), Fraction(1, 10))
LINK: list[Chance] = [
    (Fraction(4, 5), Fraction(1, 5)),
    (Fraction(7, 10), Fraction(3, 10)),
    (Fraction(1, 2), Fraction(1, 2)),
]
"""Chances that differ, so that none can be taken for another."""


def survives(alive: set[int], working: list[tuple[int, int]]) -> bool:
    """Whether two or more nodes are alive, and strongly connected by working links."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(alive)
    graph.add_edges_from(link for link in working if alive.issuperset(link))
    return len(alive) > 1 and nx.is_strongly_connected(graph)


def brute(links: Links) -> Fraction:
    """Sum the chances of all patterns that survive; for up to 12 nodes and links together."""
    ends = list(zip(links.start.tolist(), links.end.tolist(), strict=True))
    total = Fraction(0)
    for pattern in product((0, 1), repeat=links.nodes + len(ends)):
        nodes, up = pattern[: links.nodes], pattern[links.nodes :]
        chance = Fraction(1)
        for fails in nodes:
            chance *= NODE[fails]
        for fails, kind in zip(up, links.kind.tolist(), strict=True):
            chance *= LINK[kind][fails]
        working = [link for link, fails in zip(ends, up, strict=True) if not fails]
        if links.both_ways:
            working += [link[::-1] for link in working]
        if survives({node for node, fails in enumerate(nodes) if not fails}, working):
            total += chance
    return total
