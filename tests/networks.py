"""Networks for tests: the files of the repository, and an example of every family."""

from pathlib import Path
from typing import Any

from fingerpost.golden.network.network import Network
from fingerpost.golden.parameters import example
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile import source

__all__ = ["EXAMPLES", "load"]

LINKS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (2, 5)]

EXAMPLES: dict[str, dict[str, Any]] = {
    **{name: example(family) for name, family in FAMILIES.items()},
    "edge-list": {"nodes": 6, "links": LINKS},
}
"""The keys of a small network of every family."""


def load(name: str) -> Network:
    """Build the network of a file in networks/."""
    return source.load(Path(__file__).parents[1] / "networks" / f"{name}.yaml")
