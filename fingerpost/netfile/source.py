"""Network files: load, check, build; every error is one line with file, line, key and remedy."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np
from pydantic import ValidationError

from fingerpost.formats import graphs, routes
from fingerpost.formats.attributed import of_networkx
from fingerpost.formats.graph import Graph, GraphFileError, shown
from fingerpost.formats.routes import Own, takes_source
from fingerpost.golden.arguments import checked
from fingerpost.golden.deadlock.order import Progress, silent
from fingerpost.golden.link import Link
from fingerpost.golden.network.kinds import AnyNetwork, build_any, check, kind_of
from fingerpost.golden.network.network import NAME, Network, Routed, build, routed, topology
from fingerpost.golden.network.router import RouterParameters, parameters
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.placement import boards_of
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.terminals import Terminals
from fingerpost.netfile.document import KeyPath, Lines, YamlError, parse
from fingerpost.netfile.schema import NetworkFile, Part, parsed
from fingerpost.netfile.validation_errors import UNKNOWN, explain

if TYPE_CHECKING:
    import networkx as nx

T = TypeVar("T")

Faults = str | Sequence[str]
Routing = str | Mapping[str, Any]

EXAMPLE = "as in networks/borel-21.yaml"

OPTIONS = {"flit_width": "flit-width", "buffer_depth": "depth", "hop_cycles": "hop-cycles"}
"""What options are called that are not called as their keys are."""

ARGUMENTS = Path("network()")
"""What a network that is given as arguments is called in messages."""

STANDARD_INPUT = Path("<stdin>")
"""What standard input is called in messages; on the command line it is ``-``."""

LARGEST = 1 << 18
"""Bytes of a network file: the ranks of 30,000 nodes, and about three seconds to read."""

LONGEST = 200
"""Characters of a path that is not there."""


class NetfileError(ValueError):
    """An error of a network file, in one line: place, requirement and value."""


@dataclass(frozen=True)
class Source:
    """A network file whose keys have been checked, but not yet what they mean together."""

    path: Path
    lines: Lines
    file: NetworkFile
    given: tuple[str, ...] = ()
    """The keys that the command line has changed, by options of the same names or `OPTIONS`."""
    option: str = "--"
    """What is before the names of options in messages."""
    graph: Graph | None = None
    """That of an edge list which is in no file."""
    own: Own | None = None
    """The function of routes which are in no file."""

    def changed(self, *, faults: Faults | None = None, routing: Routing | None = None) -> "Source":
        """Return the same with other faults, another routing, or both.

        `routing` is a text such as ``chordal-ring:lookahead=4``, or as in a network file. A channel
        order in the file was found for what the file says, and is left out where that is changed.

        Raises
        ------
        NetfileError
            If there is no such routing.
        """
        if isinstance(routing, str):
            routing = parsed(routing, f"{self.option}routing")
        given = {"faults": plain(faults), "routing": plain(routing)}
        given = {key: value for key, value in given.items() if value is not None}
        own = self.file.model_dump(exclude_none=True)
        changed = self._with(own | given, "routing").file.model_dump(exclude_none=True)
        if changed == own:
            return self
        changed["router"].pop("channel_order", None)
        return replace(self._with(changed), given=tuple(given))

    def with_router(self, **parameters: int | str | None) -> "Source":
        """Return the same with other parameters of the routers; None: as they are.

        Raises
        ------
        NetfileError
            If there can be no such routers; it names the option of the command line.
        """
        own = self.file.model_dump(exclude_none=True)
        changed = {key: value for key, value in parameters.items() if value is not None}
        if not changed:
            return self
        found = self._with(own | {"router": own["router"] | changed})
        found = replace(found, given=(*self.given, *changed))
        found.check()
        return found

    def with_streams(self) -> "Source":
        """Return the same with AXI4-Stream terminals, if they are others: as the routers need."""
        own = self.file.model_dump(exclude_none=True)
        if own.get("terminal", {}).get("kind") == "axi-stream":
            return self
        own.pop("memory_map", None)
        return self._with(own | {"terminal": {"kind": "axi-stream"} | kind_of(own).stream_needs})

    def _with(self, data: dict[str, Any], option: str = "") -> "Source":
        """Return the same with other contents; an error is that of an option of this name."""
        try:
            return replace(self, file=NetworkFile.model_validate(data))
        except ValidationError as error:
            place, message = explain(next(_first(error)), data)
            if option:
                raise NetfileError(f"{self.option}{option} {message}") from None
            raise NetfileError(
                f"{self.option}{OPTIONS.get(str(place[-1]), place[-1])}: {message}"
            ) from None

    @property
    def description(self) -> dict[str, Any]:
        """Return the plain data that `golden.network.network.build` takes, defaults filled in.

        The files that it names have been read.
        """
        description = self.file.model_dump(exclude_none=True)
        family, routing = description["topology"], description["routing"]
        parallel = family.pop("parallel", False)
        if self.graph is not None:
            del family["file"]
            description["topology"] = self.graph.arguments() | family
        elif "file" in family:
            read = graphs.read(graphs.resolve(self._beside, family.pop("file")), parallel=parallel)
            description["topology"] = read | family
        if "routes" in routing:
            routing["routes"] = self._routes(routing["routes"], topology(description))
        return description

    @property
    def _beside(self) -> Path:
        """Return what files are beside; beside a pipe there is nothing: the current folder."""
        return self.path if self.path.is_file() else STANDARD_INPUT

    def _routes(self, file: str, network: Topology) -> list[list[int]]:
        """Return the routes of the function, or of a file."""
        if self.own is not None:
            return routes.called(self.own, network)
        return routes.read(graphs.resolve(self._beside, file, "routes", "routing"), network)

    def parameters(self) -> tuple[RouterParameters, Link]:
        """Return the parameters of wormhole routers and links; refuse routers of another kind."""
        return self._explained(lambda: parameters(self.file.model_dump(exclude_none=True)))

    def check(self) -> None:
        """Check the parameters of routers and links, for any network."""
        self._explained(lambda: check(self.file.model_dump(exclude_none=True)))

    def topology(self) -> Topology:
        """Return the topology alone."""
        return self._explained(lambda: topology(self.description))

    def routed(
        self, *, routes: bool = True, boards: bool = False, progress: Progress = silent
    ) -> Routed:
        """Return topology and routing alone, without virtual channels and their proof.

        Where `routes` are asked for, refuse deflection routers, whose flits have none. Boards are
        searched for where they are asked for.
        """
        if routes:
            self.parameters()
        found = self._explained(lambda: routed(self.description, progress))
        if not boards:
            return found
        on = self._explained(lambda: boards_of(self.description, found.topology, progress))
        return replace(found, boards=on)

    def network(self) -> Network:
        """Return the network; refuse routers of another kind than wormhole."""
        return self._explained(lambda: build(self.description))

    def any_network(self, progress: Progress = silent) -> AnyNetwork:
        """Return the network, of routers of any kind; call back as `build_any` does."""
        return self._explained(lambda: build_any(self.description, progress))

    def _explained(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except (GraphFileError, NetfileError):
            raise  # these name their own file and line
        except ParameterError as error:
            at = next((key for key in (error.section, error.key) if key in self.given), None)
            if at is not None:
                raise NetfileError(f"{self.option}{OPTIONS.get(at, at)}: {error}") from error
            path = self._at_fault(error)
            places = *(path[:length] for length in range(len(path), 0, -1)), ("routing",), ()
            line = next(line for at in places if (line := self.lines.find(at)) is not None)
            raise _error(self.path, line, path, str(error)) from error
        except ValueError as error:
            raise NetfileError(f"{self.path}: {error}") from error

    def _at_fault(self, error: ParameterError) -> KeyPath:
        """Return the key of the file that golden's refusal is about."""
        place: KeyPath = (error.section,)
        part = getattr(self.file, error.section)
        if error.index is not None:
            place, part = (*place, error.index), part[error.index]
        if not isinstance(part, Part) or (self.graph is not None and error.section == "topology"):
            return place
        key = error.key if error.key in type(part).model_fields else part.stands_in
        return (*place, key) if key else place


@checked
def load(
    path: Path | str, *, routing: Routing | None = None, faults: Faults | None = None
) -> Network:
    """Return the network of wormhole routers that a file describes.

    Parameters
    ----------
    path : Path or str
        A network file.
    routing : str or mapping, optional
        Another routing than that of the file, as of `network`.
    faults : str or list of str, optional
        Other faults than those of the file, as on the command line: ``"link:0-5,node:12"``.

    Raises
    ------
    NetfileError
        If there is anything wrong with the file or with the network, or its routers are of another
        kind: `load_any` takes all.

    Examples
    --------
    >>> load("networks/borel-21.yaml").topology.nodes
    21
    """
    return _changed(path, routing, faults).network()


@checked
def load_any(
    path: Path | str, *, routing: Routing | None = None, faults: Faults | None = None
) -> AnyNetwork:
    """Return the network that a file describes, of routers of any kind; see `load`.

    Raises
    ------
    NetfileError
        If there is anything wrong with the file or with the network.

    Examples
    --------
    >>> load_any("networks/borel-21-deflection.yaml").hop_cycles
    4
    """
    return _changed(path, routing, faults).any_network()


def _changed(path: Path | str, routing: Routing | None, faults: Faults | None) -> Source:
    source = replace(read(path), option="load(): ")
    return source.changed(routing=routing, faults=faults)


def read(path: Path | str) -> Source:
    """Return the checked contents of a network file, or of standard input if it is ``-``.

    Raises
    ------
    NetfileError
        If it is not a file, not YAML, or a key or value is not one of a network file.
    """
    path = STANDARD_INPUT if str(path) == "-" else Path(path)
    try:
        data, lines = parse(_text(path))
    except YamlError as error:
        where = path if error.line is None else f"{path}:{error.line}"
        raise NetfileError(f"{where}: {error}") from None
    if not isinstance(data, dict):
        found = "an empty file" if data is None else shown(data)
        raise NetfileError(
            f"{path}:1: a network file needs keys such as name, topology, routing, {EXAMPLE}, "
            f"not {found}"
        )
    return _checked(path, lines, data)


def network(
    topology: "Mapping[str, Any] | nx.Graph",
    *,
    terminals: Terminals | None = None,
    routing: Routing | Own | None = None,
    router: Mapping[str, Any] | None = None,
    link: Mapping[str, Any] | None = None,
    terminal: Mapping[str, Any] | None = None,
    memory_map: Sequence[Mapping[str, Any]] | None = None,
    counters: Mapping[str, Any] | None = None,
    positions: Mapping[str, Any] | None = None,
    boards: int | Sequence[Sequence[int | str]] | None = None,
    faults: Faults | None = None,
    name: str | None = None,
) -> AnyNetwork:
    """Return the network that a file with these keys would describe, of routers of any kind.

    Parameters
    ----------
    topology : mapping, or graph of networkx
        As in a network file, such as ``{"family": "grid", "sizes": [4, 4]}``; a `file` is in the
        current folder. A graph has links of one direction if it is directed, and parallel ones if
        it is a multigraph; `label`, `x`, `y` and `terminal` of its nodes are read, weights are not.
    terminals : "all", int, list or mapping
        Which nodes have terminals, and how many, as ``topology.terminals`` of a file.
    routing : str, mapping or function
        As on the command line, ``"chordal-ring:lookahead=4"``, or as in a file. Or a function of
        the numbers of a node and a destination, and perhaps a source, that gives the next node, by
        its number or name.
    router, link, terminal, memory_map, counters, positions, boards, faults
        As in a file; faults also as on the command line, ``"link:0-5,node:12"``.
    name : str
        By default that of the graph in lower case, or the family.

    Raises
    ------
    NetfileError
        If there is anything wrong with an argument or with the network.

    Examples
    --------
    >>> network(topology={"family": "grid", "sizes": [4, 4]}, routing="dimension-order")
    <Network grid: grid, 16 nodes of degree 4, dimension-order routing, 1 virtual channel>
    >>> import networkx as nx
    >>> network(nx.petersen_graph()).topology.degree
    3
    >>> ring = {"family": "circulant", "nodes": 8, "jumps": [1]}
    >>> network(ring, routing=lambda node, destination: (node + 1) % 8)
    <Network circulant: circulant, 8 nodes of degree 2, table routing, 2 virtual channels>
    """
    graph, own = None, None
    if callable(routing):
        own = routing
        kind = "source-table" if takes_source(own) else "table"
        routing = {"algorithm": kind, "routes": "function"}
    if _is_graph(topology):
        called = re.sub("[^a-z0-9_]+", "-", str(topology.name).lower()).strip("-")
        name = name or (called if re.fullmatch(NAME, called) else "graph")
        graph = of_networkx(topology, f"{ARGUMENTS}: topology")
        topology = {"family": "edge-list", "file": "graph"}
    if terminals is not None and isinstance(topology, Mapping):
        topology = {**topology, "terminals": terminals}
    data = {
        "name": name,
        "topology": topology,
        "routing": parsed(routing, f"{ARGUMENTS}: routing")
        if isinstance(routing, str)
        else routing,
        "router": router,
        "link": link,
        "terminal": terminal,
        "memory_map": memory_map,
        "counters": counters,
        "positions": positions,
        "boards": boards,
        "faults": faults,
    }
    given = {key: plain(value) for key, value in data.items() if value is not None}
    if name is None:
        family = topology.get("family") if isinstance(topology, Mapping) else None
        given = {"name": family if isinstance(family, str) else "network", **given}
    source = _checked(ARGUMENTS, Lines(None), given)
    return replace(source, graph=graph, own=own, option=f"{ARGUMENTS}: ").any_network()


def _is_graph(given: object) -> TypeGuard["nx.Graph"]:
    """Return whether a value is a graph of networkx, which need not be imported to be none."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(given, networkx.Graph)


def plain(value: Any) -> Any:
    """Return a value as YAML would have it: dictionaries, lists, numbers of Python."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(each) for each in value]
    return value


def _checked(path: Path, lines: Lines, data: dict[str, Any]) -> Source:
    """Return the checked contents of a network file.

    Raises
    ------
    NetfileError
        If a key or value is not one of a network file.
    """
    try:
        source = Source(path, lines, NetworkFile.model_validate(data))
    except ValidationError as error:
        problems = [explain(details, data) for details in _first(error)]
        # A misspelt key is also a missing one: tell the misspelling. Otherwise from the top.
        place, message = min(
            problems, key=lambda p: (not p[1].startswith(UNKNOWN), lines.nearest(p[0]))
        )
        raise _error(path, lines.nearest(place), place, message) from None
    source.check()
    return source


def _first(error: ValidationError) -> Iterator[Any]:
    """Return the problems without the many unknown keys that may follow one in the same part."""
    seen = set()
    for details in error.errors(include_url=False):
        if details["type"] == "extra_forbidden":
            part = details["loc"][:-1]
            if part in seen:
                continue
            seen.add(part)
        yield details


def _text(path: Path) -> str:
    try:
        content = _content(path)
        if len(content) > LARGEST:
            raise NetfileError(f"{path}: a network file needs at most {LARGEST} bytes, not more")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise NetfileError(f"{_short(path)}: there is no such file") from None
    except UnicodeDecodeError:
        raise NetfileError(f"{path}: not text in UTF-8, so not a network file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, NetfileError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise NetfileError(f"{_short(path)!r}: cannot be read: {reason}") from None


def _content(path: Path) -> bytes:
    """Return what a file, a pipe or standard input holds, and not much more than may be."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(LARGEST + 1)
    if path.exists() and not (path.is_file() or path.is_fifo()):
        what = "directory" if path.is_dir() else "device"
        raise NetfileError(f"{path}: a {what}, not a network file")
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= LONGEST else f"{text[:80]}...{text[-80:]}"


def _error(path: Path, line: int, place: KeyPath, message: str) -> NetfileError:
    key = ""
    for step in place:
        if isinstance(step, int):
            key += f"[{step}]"
        else:  # quoted and shortened, unless it is short and printable
            key += f".{step if 0 < len(step) <= LONGEST and step.isprintable() else shown(step)}"
    at = f"{path}:{line}" if line else path
    return NetfileError(f"{at}: {key.removeprefix('.')}: {message}")
