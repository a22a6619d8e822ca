"""All mutants of a subject before all benches; those that live are compared with the hardware."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mutation.mutated import Mutant, Mutated, mutate
from mutation.subject import Subject, Trial

__all__ = [
    "FILE",
    "Explained",
    "Fate",
    "Killed",
    "Progress",
    "campaign",
    "healthy",
    "hunt",
    "mutants",
    "read",
]

SECONDS = 120
"""After these a mutant has hung up the simulator."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many, and of how many."""

FILE = Path(__file__).with_name("explained.yaml")


@dataclass(frozen=True)
class Killed:
    """What a bench found: the cycle of the first difference, or that the simulator gave up."""

    bench: str
    cycle: int | None


def hunt(trials: Sequence[Trial], number: int) -> Killed | None:
    """Return the first bench that kills a mutant, or None if it survives.

    Raises
    ------
    RuntimeError
        If a bench differs from its model without any mutant.
    """
    for trial in trials:
        found = _forked(trial, number)
        if found is not None:
            return Killed(trial.name, None if found < 0 else found)
    return None


def healthy(trials: Sequence[Trial]) -> None:
    """See to it that hardware without a mutant passes.

    Raises
    ------
    RuntimeError
        If it does not.
    """
    for trial in trials:
        cycle = _forked(trial, 0)
        if cycle is not None:
            raise RuntimeError(f"Bench {trial.name} differs in cycle {cycle} without a mutant")


def _forked(trial: Trial, number: int) -> int | None:
    """Run in another process; -1 if it breaks down or takes too long."""
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
            found = trial.run(number)
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


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes
    ----------
    killed : Killed, optional
        By which bench.
    equivalent : bool, optional
        Whether it is proven equivalent; None if that was not tried or not decided.
    """

    mutant: Mutant
    killed: Killed | None
    equivalent: bool | None = None


def mutants(subject: Subject, *, count: int, seed: int) -> Mutated:
    """Return so many mutants of a subject, or as many as are made of it at most.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down.
    """
    count = min(count, subject.count or count)
    return mutate(
        subject.component(),
        subject.module,
        count=count,
        seed=seed,
        within=subject.within,
        spare=subject.spare,
    )


def campaign(
    subject: Subject,
    *,
    count: int,
    seed: int,
    cache: Path,
    prove: bool = True,
    progress: Progress = lambda what, done, total: None,
) -> list[Fate]:
    """Return what becomes of so many mutants.

    Parameters
    ----------
    cache : Path
        Where what is compiled and proven is kept.
    prove : bool
        Whether to look for a proof that those that live change nothing.

    Raises
    ------
    BenchError, ToolError, ProofError
        If a tool is missing or breaks down.
    RuntimeError
        If hardware differs from its model without any mutant.
    """
    count = min(count, subject.count or count)
    progress(f"{subject.name}: mutants", 0, count)
    mutated = mutants(subject, count=count, seed=seed)
    trials = subject.trials(mutated, cache)
    healthy(trials)
    fates = []
    for done, mutant in enumerate(mutated.mutants):
        progress(f"{subject.name}: benches", done, count)
        fates.append(Fate(mutant, hunt(trials, mutant.number)))
    if not prove:
        return fates
    lives = [fate for fate in fates if fate.killed is None]
    proven = {}
    for done, fate in enumerate(lives):
        progress(f"{subject.name}: proofs", done, len(lives))
        proven[fate.mutant.number] = subject.equivalent(mutated, fate.mutant.number, cache)
    return [Fate(fate.mutant, fate.killed, proven.get(fate.mutant.number)) for fate in fates]


class Explained(NamedTuple):
    """Mutants of one network that live for one reason."""

    network: str
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
    found: Iterable[Mapping[str, Any]] = yaml.load(text, yaml.CSafeLoader) or []
    for entry in found:
        if set(entry) != set(Explained._fields):
            names = ", ".join(Explained._fields)
            raise ValueError(f"{file.name} needs {names} in each entry, not {', '.join(entry)}")
    return tuple(
        Explained(entry["network"], tuple(entry["mutants"]), entry["because"]) for entry in found
    )
