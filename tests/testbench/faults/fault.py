"""A fault is one replacement in one source file of hdl/; the file beside this one lists them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.testbench.faults import networks
from tests.testbench.faults.networks import BOREL_21

TEST = "test"
"""The level of faults for tests in Amaranth's simulator."""


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
        The bench that shall find it, or `TEST`; empty if several are tried.
    description : str
        What the hardware then does.
    network : mapping
        The network, as `golden.network.kinds.build_any` takes it, on which it is tried.
    settings : mapping
        Of the bench, where they are not the usual ones.
    test : str
        At level `TEST`: the file in tests/hdl that shall find it; behind "::", part of a name.
    by : str
        A short proof, as `formal.proofs.Proof` is shown, or the level of `fingerpost cosim` whose
        default stimulus shall find it; empty if `make test` need not.
    """

    name: str
    file: str
    old: str
    new: str
    level: str
    description: str
    network: Mapping[str, Any] = field(default_factory=lambda: BOREL_21)
    settings: Mapping[str, Any] = field(default_factory=dict)
    test: str = ""
    by: str = ""

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


def _of(*, network: str | dict[str, Any] = "BOREL_21", **fields: Any) -> Fault:
    described = (
        getattr(networks, network) if isinstance(network, str) else {"name": "tried"} | network
    )
    return Fault(network=described, **fields)


def load(path: Path) -> tuple[Fault, ...]:
    """Return the faults of a file; an entry without a level has none."""
    entries = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return tuple(_of(**{"level": "", **entry}) for entry in entries)


FAULTS = load(Path(__file__).with_name("faults.yaml"))
