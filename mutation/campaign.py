"""What becomes of the mutants of a subject: killed, or compared with the hardware."""

import hashlib
import json
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import yaml

import fingerpost
from mutation.mutated import Mutant

SECONDS = 120
"""After these a mutant has hung up the simulator."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many, and of how many."""

FILE = Path(__file__).with_name("explained.yaml")


@dataclass(frozen=True)
class Killed:
    """What kills a mutant: the cycle of the first difference, or that the simulator gave up."""

    by: str
    cycle: int | None


class Hunt(ABC):
    """All mutants of a subject, and what can kill them.

    Attributes
    ----------
    mutants : tuple of Mutant
    digest : str
        Of all on which the fate of a mutant depends.
    """

    mutants: tuple[Mutant, ...]

    @property
    @abstractmethod
    def digest(self) -> str:
        """Return a digest of all on which the fate of a mutant depends."""

    @abstractmethod
    def kill(self, number: int) -> Killed | None:
        """Return what kills a mutant; number 0 is the hardware as it is.

        Raises
        ------
        BenchError, ToolError, ProofError
            If a tool is missing or breaks down.
        """

    @abstractmethod
    def equivalent(self, number: int) -> bool | None:
        """Return whether a mutant is the same as the hardware; nothing if time was up.

        Raises
        ------
        ProofError
            If a tool is missing or breaks down.
        """


class Subject(ABC):
    """Hardware of which mutants are made.

    Attributes
    ----------
    name : str
    kind : str
        How its mutants are killed, in one word.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """Return its name."""

    @abstractmethod
    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""

    @abstractmethod
    def hunt(self, *, count: int, seed: int, cache: Path) -> Hunt:
        """Return so many mutants, or all there are.

        Parameters
        ----------
        cache : Path
            Where what is compiled and proven is kept.

        Raises
        ------
        ProofError
            If Yosys is missing or breaks down.
        """


@dataclass(frozen=True)
class Fate:
    """What became of a mutant."""

    mutant: Mutant
    killed: Killed | None
    """By what."""
    equivalent: bool | None = None
    """Whether it is proven equivalent; None if that was not tried or not decided."""


def campaign(
    subject: Subject,
    *,
    count: int,
    seed: int,
    cache: Path,
    sample: int | None = None,
    prove: bool = True,
    progress: Progress = lambda what, done, total: None,
) -> list[Fate]:
    """Return what becomes of mutants, in their order; what was found before is not tried again.

    Parameters
    ----------
    count : int
        Mutants that are made.
    sample : int, optional
        So many of them at most are tried, evenly spread; by default all.
    prove : bool
        Whether to look for a proof that those that live change nothing.

    Raises
    ------
    BenchError, ToolError, ProofError
        If a tool is missing or breaks down.
    RuntimeError
        If hardware without any mutant is killed.
    """
    progress(f"{subject.name}: mutants", 0, count)
    hunt = subject.hunt(count=count, seed=seed, cache=cache)
    chosen = hunt.mutants[:: -(-len(hunt.mutants) // sample)] if sample else hunt.mutants
    stored = Stored(cache / "fates.jsonl", hunt.digest)
    if any(mutant.name not in stored.known for mutant in chosen):
        healthy(hunt)
    fates = []
    for done, mutant in enumerate(chosen):
        progress(subject.name, done, len(chosen))
        known = stored.known.get(mutant.name)
        killed = stored.killed(mutant) if known else hunt.kill(mutant.number)
        same = known["equivalent"] if known else None
        decided = known["proven"] if known else False
        if prove and not killed and not decided:
            same = hunt.equivalent(mutant.number)
        if not known or decided < prove:
            stored.add(mutant, killed, same, proven=prove)
        fates.append(Fate(mutant, killed, same))
    return fates


def healthy(hunt: Hunt) -> None:
    """See to it that hardware without a mutant lives.

    Raises
    ------
    RuntimeError
        If it does not.
    """
    if found := hunt.kill(0):
        raise RuntimeError(f"Hardware differs in {found.by}, cycle {found.cycle}, without a mutant")


class Stored:
    """The fates of mutants that were found before, in a file with a line for each.

    Attributes
    ----------
    known : dict
        The last line of each mutant, by its name, with this digest.
    """

    def __init__(self, file: Path, digest: str) -> None:
        self.file, self.digest = file, digest
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # the last line was cut short
            file.write_text(whole, encoding="utf-8")
        rows = map(json.loads, whole.splitlines())
        self.known: dict[str, Mapping[str, Any]] = {
            row["mutant"]: row for row in rows if row["digest"] == digest
        }

    def killed(self, mutant: Mutant) -> Killed | None:
        """Return what killed a mutant that is known."""
        found = self.known[mutant.name]["killed"]
        return Killed(**found) if found else None

    def add(
        self, mutant: Mutant, killed: Killed | None, equivalent: bool | None, *, proven: bool
    ) -> None:
        """Append a fate."""
        row = {
            "digest": self.digest,
            "mutant": mutant.name,
            "killed": asdict(killed) if killed else None,
            "equivalent": equivalent,
            "proven": proven,
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(row)}\n")


def forked(run: Callable[[], int | None]) -> int | None:
    """Return what a function does in another process; -1 if it breaks down or takes too long."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        # A simulator that gives up says so, and is not heard.
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        signal.alarm(SECONDS)
        try:
            found = run()
            os.write(writer, b"lives" if found is None else str(found).encode())
            os._exit(0)
        except BaseException:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    if said == b"lives":
        return None
    return int(said) if said else -1


@cache
def sources(*rooms: str) -> str:
    """Return a digest of the sources in some rooms of the package."""
    folders = [(Path(fingerpost.__file__).parent / room).resolve() for room in rooms]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return digest(path.read_text(encoding="utf-8") for path in paths)


def digest(parts: Iterable[str]) -> str:
    """Return a digest of some texts."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() + b"\0")
    return total.hexdigest()[:24]


class Explained(NamedTuple):
    """Mutants of one subject that live for one reason."""

    subject: str
    mutants: tuple[str, ...]
    because: str


def read(file: Path = FILE) -> tuple[Explained, ...]:
    """Return what the file has.

    Raises
    ------
    ValueError
        If an entry lacks something, or has something besides.
    """
    text = file.read_text(encoding="utf-8")
    entries: list[Mapping[str, Any]] = list(yaml.load(text, yaml.CSafeLoader) or [])
    for entry in entries:
        if set(entry) != set(Explained._fields):
            names = ", ".join(Explained._fields)
            raise ValueError(f"{file.name} needs {names} in each entry, not {', '.join(entry)}")
    return tuple(
        Explained(entry["subject"], tuple(entry["mutants"]), entry["because"]) for entry in entries
    )
