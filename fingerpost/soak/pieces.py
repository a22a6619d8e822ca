"""The pieces of a soak: the work of one, and which come next."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any

from fingerpost.golden.measure.soak import Soak, SoakError, Totals
from fingerpost.golden.network.kinds import AnyNetwork, build_any

RTL_PACKETS = 100_000
"""Packets of a piece, about, where hardware runs: some seconds."""


@dataclass(frozen=True)
class Done:
    """What came of some pieces, and the processor time that they took."""

    totals: Totals = field(default_factory=Totals)
    cpu_seconds: float = 0.0

    def __add__(self, other: "Done") -> "Done":
        return Done(self.totals + other.totals, self.cpu_seconds + other.cpu_seconds)

    @property
    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self.totals) | {"cpu_seconds": self.cpu_seconds}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Done":
        """Return what `record` was made of.

        Raises
        ------
        KeyError
            If something is missing.
        """
        totals = Totals(**{each.name: int(record[each.name]) for each in fields(Totals)})
        return cls(totals, float(record["cpu_seconds"]))


def options_of(
    arguments: Mapping[str, Any], seed: int, enough: int | None = None
) -> dict[str, Any]:
    """Return those of `soak`, of the arguments of the command; `enough` as of `Soak`."""
    return {
        "enough": enough,
        "seed": seed,
        "load": arguments["load"],
        "pattern": arguments["traffic"],
        "arrivals": arguments["arrivals"],
        "lengths": arguments["packet_length"],
        "malformed": arguments["malformed"],
        "stall": arguments["stall"],
    }


def beside(
    network: AnyNetwork, directory: Path, progress: Callable[[int, int], None] | None = None
) -> Any:
    """Return the compiled hardware of a network, for lock-step with the model."""
    # Imported here: a soak of the model alone needs no hardware.
    from fingerpost.testbench.compiled.beside import HardwareBeside

    return HardwareBeside(network, directory, progress=progress)


def soak(network: AnyNetwork, options: Mapping[str, Any], directory: str | None) -> Soak:
    """Return the soak of a network, with hardware beside the model if there is a directory."""
    if directory is None:
        return Soak(network, **options)
    make = beside(network, Path(directory)).engine
    return Soak(network, **options, packets=RTL_PACKETS, alone=True, make=make)


@lru_cache(maxsize=2)
def _soak(description: str, options: str, directory: str | None) -> Soak:
    """Return a soak; a worker often runs pieces of the same one."""
    return soak(build_any(json.loads(description)), json.loads(options), directory)


def soaked(description: str, options: str, directory: str | None, number: int) -> dict[str, Any]:
    """Return the result of a piece as plain data: `Done.record`, or the message of a failure.

    Parameters
    ----------
    description, options : str
        Of a network, and those of `soak`, as JSON.
    directory : str, optional
        Where compiled hardware is.
    number : int
        Of the piece.
    """
    return attempt(_soak(description, options, directory), number)


def attempt(soak: Soak, number: int) -> dict[str, Any]:
    """Return what came of a piece of a soak, as `soaked` does."""
    started = time.process_time()
    try:
        totals = soak.piece(number)
    except SoakError as error:
        return {"message": str(error)}
    return Done(totals, time.process_time() - started).record


class Pieces:
    """The pieces of several networks: as many of each as it takes to send so many flits.

    Which pieces count depends on what they hold alone, not on the order in which they are finished.

    Parameters
    ----------
    flits : int
        Of each network, at least.
    sizes : sequence of float
        The flits of a piece of each network, as they are to be expected.
    done : sequence of dict
        What is finished of each network, by the number of the piece.
    """

    def __init__(self, flits: int, sizes: Sequence[float], done: Sequence[dict[int, Done]]) -> None:
        self.flits, self.done = flits, done
        self.counts = [ceil(flits / size) for size in sizes]
        self.messages = [""] * len(sizes)
        self.asked: set[tuple[int, int]] = set()
        for network in range(len(sizes)):
            self._enough(network)

    def _enough(self, network: int) -> None:
        """Let there be another piece if those that were to be are done, and too small."""
        while (
            len(self.finished(network)) == self.counts[network]
            and self.sum(network).totals.flits < self.flits
        ):
            self.counts[network] += 1

    def finished(self, network: int) -> list[int]:
        """Return which pieces of a network are finished, of those that count."""
        return [i for i in range(self.counts[network]) if i in self.done[network]]

    def sum(self, network: int) -> Done:
        """Return what came of the pieces of a network that count."""
        return sum((self.done[network][i] for i in self.finished(network)), Done())

    @property
    def left(self) -> int:
        """Return how many pieces are to be done."""
        return sum(self.counts) - sum(len(self.finished(i)) for i in range(len(self.counts)))

    def ready(self, count: int) -> Sequence[tuple[int, int]]:
        """Return so many pieces, as network and number, that can be done now, or fewer."""
        waiting = (
            (network, number)
            for network, pieces in enumerate(self.counts)
            for number in range(pieces)
            if not self.messages[network]
            and number not in self.done[network]
            and (network, number) not in self.asked
        )
        found = list(islice(waiting, count))
        self.asked.update(found)
        return found

    def finish(self, piece: tuple[int, int], record: Mapping[str, Any]) -> bool:
        """Take what became of a piece; return whether all was as it should be."""
        network, number = piece
        if "message" in record:
            self.messages[network] = self.messages[network] or record["message"]
            return False
        self.done[network][number] = Done.of(record)
        if not self.messages[network]:
            self._enough(network)
        return True

    @property
    def sent(self) -> int:
        """Return the flits that count so far, for progress."""
        return sum(
            min(self.flits, self.sum(network).totals.flits) for network in range(len(self.counts))
        )
