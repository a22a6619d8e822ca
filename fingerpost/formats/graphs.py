"""Networks from and for other tools: the table of formats, by the ends of the names of files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os.path import realpath
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from fingerpost.formats import attributed, lists
from fingerpost.formats.attributed import read_graphml
from fingerpost.formats.dot import dot, read_dot
from fingerpost.formats.graph import Graph, GraphFileError, MalformedError
from fingerpost.golden.network.network import topology as topology_of
from fingerpost.golden.parameters import ParameterError, either
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.jobs import files


class Format(NamedTuple):
    """A format of graphs."""

    name: str
    """With its article, if it has one."""
    suffixes: tuple[str, ...]
    """The ends of names of such files."""
    read: Callable[[Path, bytes], Graph]
    """Returns what a file says; `Graph.arguments` checks it."""
    write: Callable[[Topology, str], str]
    """Returns the text for a network of a name; refuses one that it cannot express."""


FORMATS = (
    Format("an edge list", (".txt",), lists.read_edge_list, lists.edge_list),
    Format("CSV", (".csv",), lists.read_csv, lists.to_csv),
    Format("an adjacency list", (".adjlist",), lists.read_adjacency_list, lists.adjacency_list),
    Format("a file of BookSim's anynet", (".anynet",), lists.read_anynet, lists.anynet),
    Format("GML", (".gml",), attributed.read_gml, attributed.gml),
    Format("GraphML", (".graphml", ".xml"), read_graphml, attributed.graphml),
    Format("DOT", (".dot", ".gv"), read_dot, dot),
    Format("node-link JSON", (".json",), attributed.read_json, attributed.node_link),
)
"""Every format. Files whose names end otherwise are read as the first."""

BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}

SUFFIXES = either(BY_SUFFIX)
"""The ends of names in words."""

LARGEST = 1 << 28
"""Bytes of a file: ten times those of the largest network that is taken."""


def resolve(network_file: Path, file: str, key: str = "file", section: str = "topology") -> Path:
    """Return the path of a file that a network file names by a key of a section.

    Raises
    ------
    ValueError
        If it is not inside the directory of the network file.
    """
    directory = network_file.resolve().parent
    parts = PurePosixPath(file).parts + PureWindowsPath(file).parts
    inside = (
        file.strip() != ""
        and file.isprintable()
        and not PurePosixPath(file).is_absolute()
        and not PureWindowsPath(file).anchor
        and ".." not in parts
        and Path(realpath(directory / file)).is_relative_to(directory)
    )
    if not inside:
        raise ParameterError(
            key,
            f"{section.capitalize()} needs a file in the directory of the network file or below, "
            f"not {file!r}",
            section=section,
        )
    return network_file.parent / file


def topology(path: Path) -> Topology:
    """Return the network that a file holds.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is no network.
    """
    arguments = read(path)
    try:
        return topology_of({"topology": {"family": EdgeList.family, **arguments}})
    except ValueError as error:
        raise GraphFileError(f"{path}: {error}") from None


def read(path: Path, *, parallel: bool = False) -> dict[str, Any]:
    """Return what a file holds, as the arguments of `EdgeList`.

    The end of its name says the format. Nodes go by their labels, if all of them differ and none
    is a number, and otherwise by their identifiers. Where links may be `parallel`, one that is
    listed again is another one; so it is in a file that says that it has a multigraph.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is no network; with file and line.
    """
    format_ = BY_SUFFIX.get(path.suffix.lower(), FORMATS[0])
    try:
        with opened(path, format_.name) as content:
            graph = format_.read(path, content)
            graph.parallel |= parallel
            return graph.arguments()
    except MalformedError as error:
        raise GraphFileError(f"{error}; the end of a name says the format: {SUFFIXES}") from None


@contextmanager
def opened(path: Path, what: str) -> Iterator[bytes]:
    """Give the contents of a file, which has what is said.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is not in UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise GraphFileError(f"{path}: {what} needs at most {LARGEST} bytes, not more")
        yield content
    except UnicodeDecodeError:
        raise GraphFileError(f"{path}: not text in UTF-8, so not {what}") from None
    except OSError as error:
        raise GraphFileError(f"{path}: cannot be read: {error.strerror or error}") from None


def write(topology: Topology, path: Path, *, name: str) -> None:
    """Write a network in the format of the file's suffix.

    Raises
    ------
    ValueError
        If there is no such format, or it cannot express this network.
    """
    format_ = BY_SUFFIX.get(path.suffix.lower())
    if format_ is None:
        raise ValueError(f"export needs a file name that ends in {SUFFIXES}, not {str(path)!r}")
    files.write_text(path, format_.write(topology, name))
