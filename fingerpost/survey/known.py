"""What a survey compares: the densest networks that are known here, and others of like size."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fingerpost.netfile.examples import choose
from fingerpost.netfile.schema import parsed
from fingerpost.netfile.source import Source, read

DENSE = (
    "borel-21",
    "metacyclic-84",
    "metacyclic-205",
    "metacyclic-513",
    "borel-1081",
    "metacyclic-1155",
    "borel-2943",
    "metacyclic-7550",
    "borel-17525",
)
"""Network files of the largest graphs of degree 4 that are known here, and borel-1081."""

BOREL = (
    (57, {"p": 19, "a": 7, "A": [0, 1], "B": [1, 1]}),
    (465, {"p": 31, "a": 7, "A": [4, 1], "B": [7, 1]}),
    (7439, {"p": 173, "a": 6, "A": [17, 1], "B": [19, 1]}),
    (44595, {"p": 991, "a": 59, "A": [3, 1], "B": [22, 1]}),
)
"""Nodes and keys of the largest Borel graphs of diameters 4, 6, 9 and 11."""

CUBIC = (
    (8, {"m": 4, "k": 2, "r": 3, "A": [0, 2], "B": [1, 0], "C": [1, 1]}),
    (14, {"m": 7, "k": 2, "r": 6, "A": [1, 0], "B": [1, 1], "C": [1, 3]}),
    (24, {"m": 4, "k": 6, "r": 3, "A": [2, 1], "B": [3, 0]}),
    (60, {"m": 15, "k": 4, "r": 7, "A": [1, 1], "B": [2, 0]}),
    (162, {"m": 9, "k": 18, "r": 2, "A": [1, 0], "B": [9, 1]}),
    (272, {"m": 17, "k": 16, "r": 3, "A": [1, 0], "B": [8, 1]}),
    (506, {"m": 23, "k": 22, "r": 5, "A": [1, 0], "B": [11, 1]}),
)
"""Nodes and keys of the largest cubic graphs of diameters 2 to 5 and 7 to 9."""

PAPERS = "two-phase", "vertex-transitive"
"""What routes them: the algorithms whose tables are small."""

OTHERS: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    *((f"scc-{n}", {"family": "scc", "n": n}, ("greedy",)) for n in (4, 5, 6, 7)),
    *((f"star-{n}", {"family": "star", "n": n}, ("greedy",)) for n in (5, 6, 7, 8)),
    *((f"rotator-{n}", {"family": "rotator", "n": n}, ("rotator",)) for n in (5, 6, 7)),
    *(
        (f"super-rotator-{n}", {"family": "super-rotator", "nodes": n}, ("class",))
        for n in (84, 205, 513, 1155)
    ),
    *(
        (f"kyklos-2-2-{n}", {"family": "kyklos", "m": 2, "r": 2, "n": n}, ("y2",))
        for n in (4, 6, 8)
    ),
    *(
        (
            f"{kind}-{side}x{side}",
            {"family": "grid", "sizes": [side, side], "wrap": kind == "torus"},
            ("dimension-order",),
        )
        for kind in ("mesh", "torus")
        for side in (9, 14, 23, 34)
    ),
    *(
        (
            f"hypercube-{dimensions}",
            {"family": "grid", "sizes": [2] * dimensions, "wrap": False},
            ("dimension-order",),
        )
        for dimensions in (6, 8, 9, 10, 13, 14)
    ),
)
"""Name, topology and algorithms of what stands beside them."""


class Entry(NamedTuple):
    """A network with a routing, to be surveyed.

    Attributes
    ----------
    kind : str
        `dense` if it is one of those, `other` if it is one beside them, `given` if a user named it.
    description : mapping
        As a network file has it.
    order : list of int, optional
        A channel order that was found for another routing, to start from.
    """

    kind: str
    description: Mapping[str, Any]
    order: list[int] | None = None


def known() -> list[Entry]:
    """Return the networks that are known here, each once for each of its algorithms."""
    found = []
    for file in choose(DENSE):
        source = read(file)
        order = source.description["router"].get("channel_order")
        found += [
            Entry("dense", source.changed(routing=algorithm).description, order)
            for algorithm in PAPERS
        ]
    found += [
        Entry(
            "dense",
            {
                "name": f"borel-{nodes}",
                "topology": {"family": "borel", **keys},
                "routing": parsed(algorithm),
            },
        )
        for nodes, keys in BOREL
        for algorithm in PAPERS
    ]
    found += [
        Entry(
            "dense",
            {
                "name": f"metacyclic-cubic-{nodes}",
                "topology": {"family": "metacyclic-cubic", **keys},
                "routing": parsed("table"),
            },
        )
        for nodes, keys in CUBIC
    ]
    return found + [
        Entry("other", {"name": name, "topology": topology, "routing": parsed(algorithm)})
        for name, topology, algorithms in OTHERS
        for algorithm in algorithms
    ]


def of(source: Source) -> Entry:
    """Return a network file as an entry."""
    return Entry("given", source.description)


def command(topology: Mapping[str, Any], nodes: int, diameter: int) -> str:
    """Return the command that finds a dense graph again, among those that are as good."""
    if topology["family"] == "borel":
        return f"search --diameter {diameter} --min-nodes {nodes} --p-max {topology['p']}"
    score = "" if topology["family"] == "metacyclic-cubic" else " --score load"
    return (
        f"search --family {topology['family']} --diameter {diameter} --min-nodes {nodes} "
        f"--max-nodes {nodes}{score}"
    )
