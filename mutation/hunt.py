"""Let mutants stand before benches: each in a process of its own, which is forked before time 0."""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from mutation.trial import Trial

__all__ = ["Killed", "healthy", "hunt"]

SECONDS = 120
"""After these a mutant has hung up the simulator."""


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
