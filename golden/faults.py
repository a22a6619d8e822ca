"""Faults of a network: links and nodes that have failed, listed or drawn by chance."""

import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import ceil

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.reliability.links import links as links_of
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.faulty import Faulty

NEEDS = "link:0-5, node:12, links=3, links=2%, nodes=1 or seed=7, with commas between"
"""The items of a text of faults. Labels may contain commas, colons and dashes."""

NEXT = re.compile(r",(?=\s*(?:(?:link|node)\s*:|(?:links|nodes|seed)\s*=))")
"""The commas before another item."""

ITEM = re.compile(r"\s*(?:(link|node)\s*:|(links|nodes|seed)\s*=)\s*(.*?)\s*", re.S)

COUNT = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*%|(\d{1,18})")


def faulty(topology: Topology, text: str) -> Faulty:
    """Return what is left of a network after the faults that a text lists.

    It is a list of items: ``link:0-5`` is the link between two nodes, which are given by number or
    label, and fails both ways; in a directed network it is the link from the first to the second.
    Of parallel links all fail. ``node:12`` is a node, with its links. ``links=3`` and ``nodes=1``
    draw so many besides, by ``seed=7`` (0 if not given), and ``links=2%`` a share of them, rounded
    up. Nodes are drawn first, then links between the others. A seed puts all links in one order,
    so the first of more faults are those of fewer.

    Raises
    ------
    ParameterError
        If it is no such list, names what is not there or draws more than there are, or leaves no
        two terminals that reach one another.

    Examples
    --------
    >>> from fingerpost.golden.topology import EdgeList
    >>> ring = EdgeList(links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], nodes=5)
    >>> left = faulty(ring, "link:4-0,node:3")
    >>> left.terminals.tolist(), left.lost.tolist(), left.connected
    ([0, 1, 2], [3, 4], 0.3)
    """
    links = np.zeros_like(topology.neighbour, np.bool_)
    nodes = np.zeros(topology.nodes, np.bool_)
    drawn: dict[str, str] = {}
    for key, value in _items(text):
        if key == "link":
            start, end = _ends(topology, value)
            links[start] |= topology.neighbour[start] == end
        elif key == "node":
            nodes[_node(topology, value)] = True
        elif key in drawn:
            raise ParameterError("", f"Faults need {key} at most once, not twice")
        else:
            drawn[key] = value
    seed = drawn.pop("seed", "0")
    if not seed.isdecimal() or len(seed) > 18:
        raise ParameterError("", f"Faults need a seed that is a whole number, not {seed!r}")
    if not (drawn or links.any() or nodes.any()):
        raise ParameterError("", f"Faults need links or nodes, as in links=3, not {text!r} alone")
    if "nodes" in drawn:
        nodes[_draw("nodes", drawn["nodes"], np.flatnonzero(~nodes), int(seed))] = True
    if "links" in drawn:
        every = links_of(topology)
        there = ~(links[every.start, every.kind] | nodes[every.start] | nodes[every.end])
        some = _draw("links", drawn["links"], np.flatnonzero(there), int(seed))
        links[every.start[some], every.kind[some]] = True
    return Faulty(topology, links=links, nodes=np.flatnonzero(nodes))


def _items(text: str) -> Iterator[tuple[str, str]]:
    for item in NEXT.split(text):
        found = ITEM.fullmatch(item)
        if not found:
            raise ParameterError("", f"Faults need items such as {NEEDS}, not {item.strip()!r}")
        yield found[1] or found[2], found[3]


def _node(topology: Topology, name: str) -> int:
    try:
        return topology.node(name)
    except ValueError as error:
        raise ParameterError("", f"Faults need nodes that are there: {error}") from None


def _ends(topology: Topology, text: str) -> tuple[int, int]:
    """Return the nodes of a link, ``0-5``; a label may itself have a dash in it."""
    parts = text.split("-")
    ways = [("-".join(parts[:i]), "-".join(parts[i:])) for i in range(1, len(parts))]
    if not ways:
        raise ParameterError("", f"Faults need two nodes of a link, as in link:0-5, not {text!r}")
    nodes = []
    for way in ways:
        with suppress(ValueError):
            nodes.append((topology.node(way[0]), topology.node(way[1])))
    if not nodes:
        start, end = (_node(topology, name) for name in ways[0])  # which says what is wrong
    there = [(start, end) for start, end in nodes if end in topology.neighbour[start]]
    if len(there) > 1:
        some = " or ".join(f"link:{start}-{end}" for start, end in there)
        raise ParameterError("", f"Faults need one link, not {text} of several; write {some}")
    if there:
        return there[0]
    start, end = nodes[0]
    others = topology.neighbour[start][topology.neighbour[start] >= 0]
    linked = " ".join(topology.name(node) for node in np.unique(others).tolist())
    raise ParameterError(
        "",
        f"Faults need links that are there, not {topology.name(start)}-{topology.name(end)}; "
        f"{topology.name(start)} is linked to {linked}",
    )


def _draw(what: str, text: str, candidates: IntArray, seed: int) -> IntArray:
    """Return some of the candidates: the first of an order that the seed makes of all."""
    found = COUNT.fullmatch(text)
    if not found:
        raise ParameterError(
            "",
            f"Faults need {what} to be a number or a share, as in {what}=3 or {what}=2%, "
            f"not {text!r}",
        )
    share, number = found.groups()
    count = ceil(Fraction(share) / 100 * len(candidates)) if share else int(number)
    if count > len(candidates):
        raise ParameterError(
            "",
            f"Faults need at most the {len(candidates)} {what} that are left to draw from, "
            f"not {text}",
        )
    rng = np.random.default_rng([seed, what == "nodes"])
    return rng.permutation(candidates)[:count]
