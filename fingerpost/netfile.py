"""Network files: load, check, build; every error is one line with file, line, key and remedy."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fingerpost import graphs
from fingerpost.description import NetworkFile
from fingerpost.explain import UNKNOWN, explain, shown
from fingerpost.parts import Part
from fingerpost.yaml_lines import KeyPath, Lines, YamlError, parse
from golden.network import Network, Routed, build, routed, topology
from golden.parameters import ParameterError
from golden.topology import Topology

__all__ = ["NetfileError", "Source", "load", "read"]

T = TypeVar("T")

EXAMPLE = "as in networks/borel-21.yaml"


class NetfileError(ValueError):
    """A network file that is not one, in one line: what is wrong, where, and what it needs."""


@dataclass(frozen=True)
class Source:
    """A network file whose keys have been checked, but not yet what they mean together."""

    path: Path
    lines: Lines
    file: NetworkFile

    @property
    def description(self) -> dict[str, Any]:
        """Return the plain data that `golden.network.build` takes, defaults filled in.

        The file that an edge list names has been read.
        """
        description = self.file.model_dump(exclude_none=True)
        family = description["topology"]
        if "file" in family:
            family |= graphs.read(graphs.resolve(self.path, family.pop("file")))
        return description

    def topology(self) -> Topology:
        """Return the topology alone."""
        return self._explained(lambda: topology(self.description))

    def routed(self) -> Routed:
        """Return topology and routing alone, without virtual channels and their proof."""
        return self._explained(lambda: routed(self.description))

    def network(self) -> Network:
        """Return the network."""
        return self._explained(lambda: build(self.description))

    def _explained(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except (graphs.GraphFileError, NetfileError):
            raise  # these name their own file and line
        except ParameterError as error:
            path = self._at_fault(error)
            line = next(
                line
                for place in (path, path[:1], ("routing",), ())
                if (line := self.lines.find(place)) is not None
            )
            raise _error(self.path, line, path, str(error)) from error
        except ValueError as error:
            raise NetfileError(f"{self.path}: {error}") from error

    def _at_fault(self, error: ParameterError) -> KeyPath:
        """Return the key of the file that golden's refusal is about."""
        part: Part = getattr(self.file, error.section)
        key = error.key if error.key in type(part).model_fields else part.stands_in
        return (error.section, key) if key else (error.section,)


def load(path: Path | str) -> Network:
    """Return the network that a file describes.

    Raises
    ------
    NetfileError
        If there is anything wrong with the file or with the network.
    """
    return read(path).network()


def read(path: Path | str) -> Source:
    """Return the checked contents of a network file.

    Raises
    ------
    NetfileError
        If it is not a file, not YAML, or a key or value is not one of a network file.
    """
    path = Path(path)
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
    try:
        return Source(path, lines, NetworkFile.model_validate(data))
    except ValidationError as error:
        problems = [explain(details, data) for details in error.errors(include_url=False)]
        # A misspelt key is also a missing one: tell the misspelling. Otherwise from the top.
        place, message = min(
            problems, key=lambda p: (not p[1].startswith(UNKNOWN), lines.nearest(p[0]))
        )
        raise _error(path, lines.nearest(place), place, message) from None


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            what = "directory" if path.is_dir() else "device"
            raise NetfileError(f"{path}: a {what}, not a network file")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NetfileError(f"{path}: there is no such file") from None
    except UnicodeDecodeError:
        raise NetfileError(f"{path}: not text in UTF-8, so not a network file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, NetfileError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise NetfileError(f"{str(path)!r}: cannot be read: {reason}") from None


def _error(path: Path, line: int, place: KeyPath, message: str) -> NetfileError:
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return NetfileError(f"{path}:{line}: {key.removeprefix('.')}: {message}")
