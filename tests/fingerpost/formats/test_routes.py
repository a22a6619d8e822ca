"""Tables of routes in CSV, and functions of routes in Python."""

from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from fingerpost import network
from fingerpost.formats.graph import GraphFileError
from fingerpost.formats.routes import read
from fingerpost.golden.topology import Circulant, EdgeList
from fingerpost.netfile.source import NetfileError, load

RING = Circulant(nodes=5, jumps=[1])
NAMED = EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3, names=["a", "b", "c"])

UP = [[node, end, 0] for node, end in product(range(5), repeat=2) if node != end]
"""All go up the ring."""


def table(folder: Path, text: str) -> Path:
    path = folder / "routes.csv"
    path.write_text(text, encoding="utf-8")
    return path


def lines(*columns: str) -> str:
    """A table of a route up the ring, with some columns."""
    cells = {"node": 1, "destination": 3, "source": 0, "port": "+1", "next": 2, "channel": 1}
    return "\n".join(
        (",".join(columns), ",".join(str(cells[column.lower()]) for column in columns))
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (lines("node", "destination", "port"), [[1, 3, 0]]),
        (lines("node", "destination", "next"), [[1, 3, 0]]),
        (lines("Next", "NODE", "destination"), [[1, 3, 0]]),
        (lines("source", "destination", "node", "next"), [[1, 3, 0, 0]]),
        (lines("source", "channel", "destination", "node", "next"), [[1, 3, 0, 0, 1]]),
        ("# up\nnode; destination; port\n\n 4 ;0; 0 \n2;2;local\n0;1;-1\n", [[4, 0, 0], [0, 1, 1]]),
    ],
)
def test_rows_have_the_columns_of_the_head(text: str, rows: Any, tmp_path: Path) -> None:
    assert read(table(tmp_path, text), RING) == rows


def test_nodes_go_by_name_and_next_by_the_link(tmp_path: Path) -> None:
    path = table(tmp_path, "node,destination,next\na,c,b\nc,b,b\n")
    assert read(path, NAMED) == [[0, 2, 0], [2, 1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: a table of routes needs a head line of node, destination, and port or next, "),
        ("node,destination\n", "1: a table of routes needs a head line"),
        ("node,destination,port,next\n", "1: a table of routes needs a head line"),
        ("node,destination,port,way\n", "1: a table of routes needs a head line"),
        ("0,1,1\n", "1: a table of routes needs a head line"),
        ("node,destination,port,channel\n", "1: a channel needs a source: a column source, too"),
        ("node,destination,port\n0,1\n", "2: a row needs 3 cells, not 2"),
        (
            "node,destination,port\n0,1,0\n\n0,1,0\n",
            "4: a table needs one row for these",
        ),
        ("node,destination,port\n0,5,0\n", "2: Node needs a number in 0..4, not 5"),
        ("node,destination,port\n0,1,2\n", "2: a port of node 0 needs to be +1, -1 or its number"),
        ("node,destination,next\n0,1,2\n", "2: the node after 0 needs to be one to which it has a"),
        (
            "node,destination,port,source,channel\n0,1,0,0,-1\n",
            "2: a channel needs a number in 0..15, not '-1'",
        ),
        ('node,destination,port\n"0,1,2\n', "2: not CSV: "),
    ],
)
def test_wrong_tables_are_refused_by_line(text: str, message: str, tmp_path: Path) -> None:
    path = table(tmp_path, text)
    with pytest.raises(GraphFileError) as refused:
        read(path, RING)
    assert str(refused.value).startswith(f"{path}:{message}")


def test_network_files_name_tables(tmp_path: Path) -> None:
    text = "node,destination,next\n" + "".join(f"{n},{d},{(n + 1) % 5}\n" for n, d, _ in UP)
    table(tmp_path, text)
    file = tmp_path / "net.yaml"
    ring = "name: ring\ntopology: {family: circulant, nodes: 5, jumps: [1]}\n"
    file.write_text(f"{ring}routing: {{algorithm: table, routes: routes.csv}}\n")
    routing: Any = load(file).routing
    assert routing.next_hop.tolist() == [[4 * 0 + 2 * (n == d) for n in range(5)] for d in range(5)]
    assert load(file, routing="source-table").channels.needed == 2
    given = load(file, routing="source-table:routes=routes.csv")
    assert given.routing.constants()["longest"] == 4
    for wrong, said in (("../routes.csv", "Routing needs a file in"), ("no.csv", "cannot be read")):
        file.write_text(f"{ring}routing: {{algorithm: table, routes: {wrong}}}\n")
        with pytest.raises(ValueError, match=said):
            load(file)


def test_functions_give_the_next_node() -> None:
    ring: Any = nx.cycle_graph(["x", "y", "z", "u", "v"])
    names = list(ring)
    found = network(ring, routing=lambda node, end: names[(node + 1) % 5])
    assert found.description["routing"]["algorithm"] == "table"
    rows = [(n, d, found.topology.neighbour[n, port]) for n, d, port in routes_of(found)]
    assert rows == [(n, d, (n + 1) % 5) for d, n in product(range(5), repeat=2) if n != d]


def test_functions_may_depend_on_the_source() -> None:
    """From even nodes up, from odd ones down."""
    keys = {"family": "circulant", "nodes": 5, "jumps": [1]}
    found = network(keys, routing=lambda node, end, source: (node + 1 - source % 2 * 2) % 5)
    assert {row[2] == row[3] % 2 for row in routes_of(found)} == {True}
    assert found.description["routing"]["algorithm"] == "source-table"


def routes_of(found: Any) -> list[list[int]]:
    rows: list[list[int]] = found.description["routing"]["routes"]
    return rows


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda node, end: node, "The function gives 1 for 1 to 0: the node after 1 needs to be"),
        (lambda node, end: None, "The function gives nothing for 1 to 0: Node needs a number"),
        (lambda node: node, "needs two arguments, node and destination, or three"),
    ],
)
def test_wrong_functions_are_refused(function: Any, message: str) -> None:
    keys = {"family": "circulant", "nodes": 5, "jumps": [1]}
    with pytest.raises(ValueError, match=message) as refused:
        network(keys, routing=function)
    assert "\n" not in str(refused.value)
    if "gives" in message:
        assert isinstance(refused.value, NetfileError)
        assert str(refused.value).startswith("network(): routing.routes: ")
