"""Plain lists of links, and their names in network files."""

import re
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

from fingerpost.formats import graphs
from tests.fingerpost.graph_files import TABLES, file, links, refusal


def test_numbers(tmp_path: Path) -> None:
    path = file(tmp_path, "# a star\n2 0\n\n1 2 # and on\n 2\t3\n")
    assert graphs.read(path) == {"links": [(2, 0), (1, 2), (2, 3)], "nodes": 4, "directed": False}
    topology = graphs.topology(path)
    assert links(topology) == {(2, 0), (2, 1), (2, 3), (0, 2), (1, 2), (3, 2)}
    assert topology.name(3) == "3"


def test_names_are_numbered_as_they_appear(tmp_path: Path) -> None:
    path = file(tmp_path, "\ufeffleft middle\r\nmiddle right\r\n")
    assert graphs.read(path) == {
        "links": [(0, 1), (1, 2)],
        "nodes": 3,
        "directed": False,
        "names": ["left", "middle", "right"],
    }


def test_arrows_are_one_way(tmp_path: Path) -> None:
    topology = graphs.topology(file(tmp_path, "0 -> 1\n1 -> 2\n2 -> 0\n2 -> 1\n"))
    assert topology.directed
    assert links(topology) == {(0, 1), (1, 2), (2, 0), (2, 1)}


@pytest.mark.parametrize("line", TABLES["lists"].splitlines())
def test_refuses_lists(tmp_path: Path, line: str) -> None:
    text, message = line.split(" | ")
    assert refusal(file(tmp_path, text.replace("\\n", "\n"))) == message


@pytest.mark.parametrize("node", ["02", "-1", "1.5", "+2", "1e5", ".5"])
def test_refuses_numbers_that_nodes_do_not_have(tmp_path: Path, node: str) -> None:
    message = f"FILE:2: a node needs a number 0..n-1, or a name with a letter, not {node!r}"
    assert refusal(file(tmp_path, f"0 1\n1 {node}\n")) == message


def test_refuses_a_number_of_any_length(tmp_path: Path) -> None:
    message = refusal(file(tmp_path, f"0 {'9' * 5000}\n"))
    assert message.startswith("FILE:1: a node needs a number 0..n-1, or a name with a letter, not ")
    assert len(message) < 200


@pytest.mark.parametrize("line", ["x" * 300_000, "a " * 150_000, f"a {'x' * 300_000}"])
def test_does_not_repeat_a_line_of_any_length(tmp_path: Path, line: str) -> None:
    message = refusal(file(tmp_path, f"{line}\n"))
    assert "'..." not in message
    assert re.search(r"not '.{10,40}\.\.\..{10,40}'$", message)


def test_reads_what_networkx_writes(tmp_path: Path) -> None:
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, {(0, 1): {"weight": 2.5, "colour": "#ff {x} #}"}})
    for data in (True, False):
        nx.write_edgelist(graph, tmp_path / "list.txt", data=data)
        assert links(graphs.topology(tmp_path / "list.txt")) == {
            (node, (node + step) % 4) for node in range(4) for step in (1, 3)
        }


@pytest.mark.parametrize("line", ["a b {}", "a b {} # c", "a b # {", "a b # {}", "a b {'#': 0}#"])
def test_data_in_braces_are_not_looked_at(tmp_path: Path, line: str) -> None:
    assert graphs.read(file(tmp_path, line))["names"] == ["a", "b"]


def test_a_name_can_have_braces(tmp_path: Path) -> None:
    assert graphs.read(file(tmp_path, "a{0} {1}b\n"))["names"] == ["a{0}", "{1}b"]


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert refusal(tmp_path / "b") == "FILE: not text in UTF-8, so not a list of links"
    assert refusal(tmp_path / "none") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path / "none.graphml") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path) == "FILE: cannot be read: Is a directory"


def test_files_are_beside_the_network_file(tmp_path: Path) -> None:
    network = tmp_path / "net.yaml"
    assert graphs.resolve(network, "list.txt") == tmp_path / "list.txt"
    assert graphs.resolve(network, "sub/list.txt") == tmp_path / "sub" / "list.txt"
    assert graphs.resolve(Path("net.yaml"), "list.txt") == Path("list.txt")


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../list.txt", "sub/../../x", "sub/../x", "..\\x", "C:\\x", "C:x", "\\x", "",
     " ", "a\0b"],
)  # fmt: skip
def test_files_do_not_leave_the_directory(tmp_path: Path, name: str) -> None:
    message = f"Edge-list needs a file in the directory of the network file or below, not {name!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        graphs.resolve(tmp_path / "net.yaml", name)


def test_links_do_not_leave_the_directory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "out").symlink_to(tmp_path)
    (home / "in").symlink_to(home)
    with pytest.raises(ValueError, match=r"^Edge-list needs a file in the directory"):
        graphs.resolve(home / "net.yaml", "out/list.txt")
    assert graphs.resolve(home / "net.yaml", "in/list.txt") == home / "in" / "list.txt"


def test_a_long_list_is_read_in_order(tmp_path: Path) -> None:
    text = "\n".join(f"v{u} v{v}" for u, v in pairwise(range(20_000)))
    read = graphs.read(file(tmp_path, text))
    assert read["nodes"] == 20_000
    assert read["links"] == list(pairwise(range(20_000)))
