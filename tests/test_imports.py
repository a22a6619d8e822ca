"""Rooms import each other one way only, and so do the folders and loose files of a room."""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]

BELOW = {
    "golden": set[str](),
    "hdl": {"golden"},
    "testbench": {"golden", "hdl"},
    "formal": {"golden", "hdl"},
    "fingerpost": {"golden", "hdl", "testbench", "formal"},
    "mutation": {"golden", "hdl", "testbench", "formal"},
    "checker": set[str](),
}
"""What each room may import."""


def imports(node: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported below a node, but for those that only types need."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module:
            yield child.module
        elif isinstance(child, ast.Import):
            yield from (name.name for name in child.names)
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from imports(child)


def arrows(room: str) -> nx.DiGraph:
    """Return who imports whom in a room, and the rooms and libraries that it imports."""
    graph = nx.DiGraph()
    for file in (ROOT / room).rglob("*.py"):
        here = file.relative_to(ROOT).with_suffix("").parts[:2]
        for module in imports(ast.parse(file.read_text(encoding="utf-8"))):
            first, *rest = module.split(".")
            there = (first, *rest[:1]) if first == room else (first,)
            if there != here:
                graph.add_edge("/".join(here), "/".join(there))
    return graph


@pytest.mark.parametrize("room", BELOW)
def test_rooms_import_what_is_below_them(room: str) -> None:
    imported = set(arrows(room)) & set(BELOW)
    assert imported - {room} == BELOW[room]


@pytest.mark.parametrize("room", ["golden", "hdl"])
def test_no_circle_in_a_room(room: str) -> None:
    graph = arrows(room)
    assert {f"{room}/{folder}" for folder in ("link", "routing", "terminal")} <= set(graph)
    assert list(nx.simple_cycles(graph)) == []


def test_algebra_stands_alone() -> None:
    """Groups and permutations know nothing of the networks that are made of them."""
    inside = {name for name in arrows("golden")["golden/algebra"] if name.startswith("golden/")}
    assert inside == {"golden/arrays", "golden/parameters"}
