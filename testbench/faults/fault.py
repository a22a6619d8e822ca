"""A fault is one replacement in one source file of hdl/."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Fault"]


@dataclass(frozen=True)
class Fault:
    """One wrong place in the hardware.

    Attributes
    ----------
    name : str
    file : str
        Below hdl/.
    old, new : str
        Text that occurs once in the file, and what replaces it.
    level : str
        The bench that shall find it; frames, ports: a test in Amaranth's simulator.
    description : str
        What the hardware then does.
    cycles : int, optional
        How long the bench must run to find it, if longer than it usually does.
    network : mapping, optional
        The network, as `golden.network.build` takes it, on which it is tried; by default that of
        21 nodes with two-phase routing.
    test : str
        At these two levels: the test in tests/hdl that shall find it.
    """

    name: str
    file: str
    old: str
    new: str
    level: str
    description: str
    cycles: int | None = None
    network: Mapping[str, Any] | None = None
    test: str = ""

    def apply(self, tree: Path) -> None:
        """Replace the text in a copy of the sources.

        Raises
        ------
        ValueError
            If the text does not occur exactly once.
        """
        path = tree / "hdl" / self.file
        text = path.read_text(encoding="utf-8")
        count = text.count(self.old)
        if count != 1:
            raise ValueError(
                f"Fault {self.name} needs {self.old!r} once in hdl/{self.file}, not {count} times"
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
