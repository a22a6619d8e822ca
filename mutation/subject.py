"""Something that is mutated, and the benches that stand before its mutants."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from amaranth.lib import wiring

from mutation.mutated import SPARE, Mutant, Mutated
from mutation.trial import Trial

__all__ = ["Subject"]


class Subject(ABC):
    """Hardware, the part of it that is mutated, and the benches.

    Attributes
    ----------
    name : str
    module : str
        The name of the module that is mutated.
    within : str
        Only cells whose name matches this pattern are mutated.
    of : str
        What stands before the names of its components, where others have the same.
    around : str
        What it is called that is in none of them.
    count : int, optional
        The mutants that are made of it, if not as many as of others.
    spare : float
        As of `mutation.mutated.mutate`: more where `within` leaves out many.
    """

    name: str
    module: str
    within: str
    of: ClassVar[str] = ""
    around: ClassVar[str] = "router, around them"
    count: ClassVar[int | None] = None
    spare: float = SPARE

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        return f"{self.of}{mutant.component}" if mutant.component else self.around

    @abstractmethod
    def component(self) -> wiring.Component:
        """Return the hardware."""

    @abstractmethod
    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the benches, compiled, with all mutants.

        Raises
        ------
        BenchError
            If something does not compile.
        """

    @abstractmethod
    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same as the hardware; nothing if time was up.

        Raises
        ------
        ProofError
            If a tool is missing or breaks down.
        """
