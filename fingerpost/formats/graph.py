"""What a file of a graph says, and the one place where that is checked, whatever its format.

Also the links of a network, for what writes it in the formats of other tools.
"""

import re
import reprlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from fingerpost.golden.topology import Topology


class _Short(reprlib.Repr):
    """Values shortened, and written as in YAML."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 60
        self.maxlevel = 2

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()


def shown(value: object) -> str:
    """Return a value as one would write it in the file, shortened."""
    if value is None:
        return "nothing"
    try:
        return _Short().repr(value)
    except ValueError:  # Python refuses to print a number of thousands of digits
        return "a number of thousands of digits"


NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
"""Text that is meant as a number."""

NODE = re.compile(r"0|[1-9][0-9]{0,17}")
"""The numbers that nodes can have."""

LONGEST = 100
"""Characters of a name: it is part of messages and pictures."""

DATA = "label", "x", "y", "terminal"
"""The data of nodes that are read: a name, a place in pictures, and whether it has a terminal, or
how many."""

FARTHEST = 1e9
"""The greatest coordinate of a place."""


class GraphFileError(ValueError):
    """A file that is no network, in one line: file, line if there is one, and what it needs."""


class MalformedError(GraphFileError):
    """Contents that are not of the format which the name of the file says."""


class Link(NamedTuple):
    """A link between two nodes, by their identifiers, and the line of the file if it is known."""

    start: str
    end: str
    line: int | None = None


@dataclass
class Graph:
    """A graph as its file has it; `arguments` checks it."""

    path: Path | str
    """The file; of a graph that is in none, what messages call it."""
    nodes: dict[str, int | None] = field(default_factory=dict)
    """The line of every node, if it is known, by identifier, in the order of the file."""
    links: list[Link] = field(default_factory=list)
    directed: bool = False
    parallel: bool = False
    """Whether a link that is listed again is another one, beside the first."""
    labels: dict[str, str] = field(default_factory=dict)
    """What nodes are called, by identifier; they have their identifiers for names unless each has a
    label of its own, and none of these is a number."""
    places: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Where nodes are in pictures, unless one has no place, or that of another."""
    terminals: dict[str, int] = field(default_factory=dict)
    """How many terminals nodes have; those that are not here have one."""

    def describe(self, node: str, data: Mapping[str, Any]) -> None:
        """Take what a file says of a node by `DATA`; other data are not looked at."""
        self.labels[node] = str(data.get("label", ""))
        with suppress(KeyError, TypeError, ValueError):
            place = float(data["x"]), float(data["y"])
            if all(abs(at) <= FARTHEST for at in place):
                self.places[node] = place
        given = str(data.get("terminal")).strip().lower()
        if given == "false" or NODE.fullmatch(given):
            self.terminals[node] = 0 if given == "false" else int(given)

    def join(self, start: str, end: str, line: int | None = None) -> None:
        """Add a link, and its nodes if they are new."""
        for node in (start, end):
            self.nodes.setdefault(node, line)
        self.links.append(Link(start, end, line))

    def refused(self, message: str, line: int | None = None) -> GraphFileError:
        """Return the error for a line, or for the file."""
        return GraphFileError(self._told(message, line))

    def malformed(self, message: str, line: int | None = None) -> MalformedError:
        """Return the error for a line, or for a file, that is not of the format."""
        return MalformedError(self._told(message, line))

    def _told(self, message: str, line: int | None) -> str:
        return f"{self.path}{'' if line is None else f':{line}'}: {message}"

    def arguments(self) -> dict[str, Any]:
        """Return the graph as arguments of `EdgeList`.

        Nodes whose identifiers are 0..n-1 have these numbers, others are numbered in their order.

        Raises
        ------
        GraphFileError
            If it is no network: nodes without a name of their own, links that join none, or not
            two, or the same two, or parts that are not joined.
        """
        if not self.links:
            raise self.refused("a network needs links, and there are none")
        names = self._names()
        self._check_links()
        numbered = all(map(NODE.fullmatch, self.nodes))
        order = list(self.nodes)
        if numbered and (names is None or max(map(int, order)) == len(order) - 1):
            order.sort(key=int)
        number = {node: place for place, node in enumerate(order)}
        arguments: dict[str, Any] = {
            "links": [(number[link.start], number[link.end]) for link in self.links],
            "nodes": len(order),
            "directed": self.directed,
        }
        if names is not None:
            arguments["names"] = [names[node] for node in order]
        if len(set(self.places.values())) == len(order):
            arguments["places"] = [self.places[node] for node in order]
        count = {number[node]: self.terminals.get(node, 1) for node in order}
        if max(count.values()) > 1:
            arguments["terminals"] = {node: some for node, some in count.items() if some}
        elif min(count.values()) < 1:
            arguments["terminals"] = [node for node, some in count.items() if some]
        return arguments

    def _check_links(self) -> None:
        """Refuse links that lead nowhere, or run beside others, and nodes that no way leads to."""
        seen: dict[frozenset[str] | tuple[str, str], int | None] = {}
        beside = defaultdict(list)
        for start, end, line in self.links:
            for node in (start, end):
                if node not in self.nodes:
                    needs = "an edge needs ends that are nodes of the graph"
                    raise self.refused(f"{needs}, not {shown(node)}", line)
            if start == end:
                raise self.refused(f"a link needs two nodes, not {start} alone; remove it", line)
            ends = (start, end) if self.directed else frozenset((start, end))
            if ends in seen and not self.parallel:
                there = "there is" if seen[ends] is None else f"line {seen[ends]} has"
                raise self.refused(
                    f"at most one link can join {start} and {end}, and {there} one; "
                    f"list it once{'' if self.directed else ', as it goes both ways'}, or give "
                    "parallel: true beside file",
                    line,
                )
            seen[ends] = line
            beside[start].append(end)
            beside[end].append(start)
        first = next(iter(self.nodes))
        reached, waiting = {first}, [first]
        while waiting:
            new = set(beside[waiting.pop()]) - reached
            reached |= new
            waiting += new
        for node, line in self.nodes.items():
            if node not in reached:
                raise self.refused(
                    f"a network needs a way between all nodes, and none joins {first} and {node}"
                    + ("" if line is None else "; is one misspelt, or in a head line?"),
                    line,
                )

    def _names(self) -> dict[str, str] | None:
        """Return the name of every node; None if they are numbers."""
        labels = {node: _one_line(self.labels.get(node, "")) for node in self.nodes}
        several = set(labels.values()) - {""}
        if len(several) == len(labels) and not any(map(str.isdecimal, several)):
            names = labels
        elif all(map(NODE.fullmatch, self.nodes)):
            self._check_numbers()
            return None
        else:
            names = {node: _one_line(node) for node in self.nodes}
            self._check_mixture()
        taken: dict[str, int | None] = {}
        for node, name in names.items():
            line = self.nodes[node]
            if not name.isprintable() or not 0 < len(name) <= LONGEST:
                raise self.refused(
                    f"a node needs a name of 1 to {LONGEST} printable characters, "
                    f"not {shown(name)}",
                    line,
                )
            if name in taken:
                there = "that of two" if line is None else f"in line {taken[name]}, too"
                raise self.refused(f"a node needs a name of its own, and {name} is {there}", line)
            taken[name] = line
        return names

    def _check_mixture(self) -> None:
        """Refuse numbers that no nodes have, and numbers beside names."""
        numbers = [node for node in self.nodes if NUMBER.fullmatch(node)]
        for node in numbers:
            if not NODE.fullmatch(node):
                raise self.refused(
                    f"a node needs a number 0..n-1, or a name with a letter, not {shown(node)}",
                    self.nodes[node],
                )
        if numbers:
            number = numbers[0]
            name = next(node for node in self.nodes if not NUMBER.fullmatch(node))
            line, other = self.nodes[name], self.nodes[number]
            raise self.refused(
                "nodes need to be numbers 0..n-1 or names with a letter, not both: "
                + f"{name} and {number}" * (line is None)
                + f"{name} is here and {number} in line {other}; is one of them in a head line?"
                * (line is not None),
                line,
            )

    def _check_numbers(self) -> None:
        """Refuse numbers that are not 0..n-1: on the command line they would be other nodes."""
        numbers = set(map(int, self.nodes))
        highest = max(numbers)
        if highest != len(numbers) - 1:
            missing = next(node for node in range(len(numbers)) if node not in numbers)
            raise self.refused(
                f"node numbers need to be 0..n-1 without gaps; there is {highest} but "
                f"no {missing} (names need a letter)",
                self.nodes[str(highest)],
            )


def _one_line(text: str) -> str:
    """Return a name in one line, with characters that look alike written alike."""
    return normalize("NFC", " ".join(text.split()))


class Joined(NamedTuple):
    """Links by what their nodes are called, each once."""

    links: list[tuple[str, str]]
    directed: bool


def links(topology: Topology) -> list[tuple[int, int, int, int]]:
    """Return every link as (node, port, neighbour, port of arrival)."""
    node, port = np.nonzero(topology.neighbour >= 0)
    other, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return list(zip(*(x.tolist() for x in (node, port, other, arrival)), strict=True))


def joined(topology: Topology, what: str, *, directed: bool) -> Joined:
    """Return the links by the numbers of their nodes; those that go both ways once.

    Parameters
    ----------
    what : str
        The format, for messages.
    directed : bool
        Whether it can have links of one direction.

    Raises
    ------
    ValueError
        If two links are parallel, or one goes one way and the format has none that do.
    """
    ways = Counter((node, other) for node, _, other, _ in links(topology))
    one_way = False
    for (start, end), times in ways.items():
        which = f"from {topology.name(start)} to {topology.name(end)}"
        if (end, start) not in ways:
            one_way = True
            if not directed:
                raise ValueError(f"{what} needs links that go both ways, not one {which} alone")
        if times > 1:
            raise ValueError(f"{what} needs at most one link between two routers, not two {which}")
    return Joined(
        [(str(start), str(end)) for start, end in ways if one_way or start < end], one_way
    )
