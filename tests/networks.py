"""Networks for tests: files of the repository, every family and algorithm, every kind of router."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.parameters import ParameterError, example
from fingerpost.golden.router.state import of_run
from fingerpost.golden.routing import ALGORITHMS, Routing
from fingerpost.golden.topology import FAMILIES

NETWORKS = Path(__file__).parents[1] / "networks"

LINKS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (2, 5)]

PETERSEN: dict[str, Any] = {
    "family": "edge-list",
    "nodes": 10,
    "links": [(i, (i + 1) % 5) for i in range(5)]
    + [(i, i + 5) for i in range(5)]
    + [(i + 5, (i + 2) % 5 + 5) for i in range(5)],
}

EXAMPLES: dict[str, dict[str, Any]] = {
    **{name: example(family) for name, family in FAMILIES.items()},
    "edge-list": {"nodes": 6, "links": LINKS},
}
"""The keys of a small network of every family."""

ANY = ("edge-list", "super-rotator")
"""Where algorithms for any family are tried: links both ways, and one way."""


def choices(algorithm: type[Routing]) -> list[dict[str, Any]]:
    """Return no options, and each choice that is not a default by itself."""
    hints = get_type_hints(algorithm.__init__)
    return [
        {},
        *(
            {key: choice}
            for key, argument in signature(algorithm).parameters.items()
            if get_origin(hints.get(key)) is Literal
            for choice in get_args(hints[key])
            if choice != argument.default
        ),
    ]


def serves(algorithm: type[Routing], family: str) -> bool:
    """Return whether an algorithm takes networks of a family, by its own word."""
    if algorithm.families:
        return family in algorithm.families
    make: Any = algorithm
    try:
        make(FAMILIES[family](**EXAMPLES[family]))
    except ParameterError as error:
        return error.key != "algorithm"
    return True


CASES: dict[str, dict[str, Any]] = {
    "-".join([name, family, *map(str, options.values())]): {
        "name": "case",
        "topology": {"family": family, **EXAMPLES[family]},
        "routing": {"algorithm": name, **options},
    }
    for name, algorithm in ALGORITHMS.items()
    for family in algorithm.families or ANY
    if serves(algorithm, family)
    for options in choices(algorithm)
}
"""Each algorithm on an example of each family that it is for, and with each of its choices."""


@cache
def smallest() -> list[str]:
    """Return the smallest network file of each family, kind of link and kind of terminal."""
    found: dict[tuple[str, ...], tuple[int, str]] = {}
    for file in sorted(NETWORKS.glob("*.yaml")):
        if file.stem.endswith("-deflection"):  # their packets have no routes
            continue
        description = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
        kinds = (description.get(part) or {} for part in ("link", "terminal"))
        key = (description["topology"]["family"], *(kind.get("kind", "") for kind in kinds))
        # Within a family, larger networks have larger numbers in their names.
        numbers = sum(int(number) for number in re.findall(r"\d+", file.stem))
        found[key] = min(found.get(key, (numbers, file.stem)), (numbers, file.stem))
    return sorted(name for _, name in found.values())


@lru_cache(maxsize=16)
def load(name: str) -> Network:
    """Build the network of a file in networks/, which tests share: nothing changes a network."""
    from fingerpost.netfile import source  # copies of the sources with a fault have no netfile

    return source.load(NETWORKS / f"{name}.yaml")


def only(quick: Iterable[object], cases: Iterable[Any]) -> list[Any]:
    """Return the cases (a tuple: several arguments); those that are not quick are marked long."""
    quick = [*quick]
    return [
        case
        if case in quick
        else pytest.param(*case if isinstance(case, tuple) else (case,), marks=pytest.mark.regress)
        for case in cases
    ]


ORDER = [9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13]


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}

BOREL_20 = {"family": "borel", "p": 5, "a": 2, "A": [1, 1], "B": [3, 0]}
"""Its classes have more than one node each."""


BIPARTITE: dict[str, Any] = {
    "family": "edge-list",
    "nodes": 20,
    "links": [(i, 10 + j) for i in range(10) for j in range(10)],
}
"""Nodes of ten links: all ten are on shortest ways to the nodes two hops away."""


def built(
    topology: dict[str, Any],
    algorithm: str = "table",
    *,
    name: str = "net",
    link: dict[str, Any] | None = None,
    positions: dict[str, Any] | None = None,
    **router: Any,
) -> Network:
    """Build a network; what is not said of its routers has defaults."""
    parts = {"routing": {"algorithm": algorithm}, "router": router}
    return build(
        {"name": name, "topology": topology, **parts, "link": link, "positions": positions}
    )


@cache
def borel21(depth: int = 8) -> Network:
    router: dict[str, Any] = {"buffer_depth": depth, "channel_order": ORDER}
    return built(BOREL, "two-phase", name="borel-21", **router)


def arriving(model: Wormhole) -> tuple[IntArray, NDArray[Any]]:
    """Return what is on links in the next cycle: inputs, node * ports + port, and their flits.

    A flit on its way to a terminal has the place of the input from there.
    """
    in_flight, ports = of_run(model.arrays, 0).in_flight, np.arange(model.config.ports)
    slot = model.runs[0].now % len(in_flight.flits)
    node, port = np.nonzero(in_flight.arriving[slot, 0][:, None] >> ports & 1)
    place = node * model.config.ports + port
    return place, in_flight.flits[slot][place]


TOPOLOGIES: dict[str, dict[str, Any]] = {
    "petersen": PETERSEN,
    "uneven": {
        "family": "edge-list",
        "nodes": 6,
        "links": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (2, 5), (1, 5), (3, 5), (4, 5)],
    },
    "borel": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
    "mesh": {"family": "grid", "sizes": [4, 4]},
    "torus": {"family": "grid", "sizes": [4, 4], "wrap": True},
    "hypercube": {"family": "grid", "sizes": [2] * 6},
    "kautz": {"family": "kautz", "degree": 2, "diameter": 3},
    "digraph": {"family": "metacyclic-digraph", "m": 5, "k": 4, "r": 2, "A": (1, 0), "B": (3, 1)},
    "kyklos": {"family": "kyklos", "m": 2, "r": 2, "n": 2},
    "star": {"family": "star", "n": 4},
}
"""Degrees 1 to 6; "digraph" and "kautz" directed, "kyklos" with nodes without terminal."""


ROUTERS: dict[str, dict[str, Any]] = {
    "petersen": {"wait_limit": 4, "hop_cycles": 3, "ejections": 1, "injection": "half", "epoch": 5},
    "uneven": {"ejections": 1, "epoch": 4, "wait_limit": 4},
    "borel": {"wait_limit": 4, "epoch": 6},
    "mesh": {"wait_limit": 4, "ejections": 1, "injection": "half", "epoch": 6},
    "torus": {"hop_cycles": 3, "epoch": 4, "injection": "half"},
    "hypercube": {"ejections": 1, "epoch": 5},
    "kautz": {"wait_limit": 4, "hop_cycles": 4, "epoch": 5},
    "digraph": {"ejections": 1, "epoch": 7},
    "kyklos": {"wait_limit": 6, "epoch": 5},
    "star": {"hop_cycles": 3, "injection": "half"},
}
"""Parameters that are tried on each of `TOPOLOGIES`; epochs so short that many pass."""


def deflection(name: str, **router: Any) -> DeflectionNetwork:
    """Build one of `TOPOLOGIES`."""
    return build_deflection(
        {"name": name, "topology": TOPOLOGIES[name], "router": {"kind": "deflection", **router}}
    )
