"""Networks for tests: files of the repository, every family, and every algorithm on them."""

import re
from collections.abc import Iterable
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from fingerpost.golden.network.network import Network
from fingerpost.golden.parameters import ParameterError, example
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


def load(name: str) -> Network:
    """Build the network of a file in networks/."""
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
