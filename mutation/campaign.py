"""All mutants of a subject before all benches; those that live are compared with the hardware."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mutation.hunt import Killed, healthy, hunt
from mutation.mutant import Mutant
from mutation.mutated import Mutated, mutate
from mutation.subject import Subject

__all__ = ["Fate", "Progress", "campaign", "mutants"]

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many, and of how many."""


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
