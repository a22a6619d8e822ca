"""The compiled model and its terminals behind the interface that the reference has, too."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.base import Engine, Record, Wire
from fingerpost.golden.compiled.cycle import run
from fingerpost.golden.compiled.recording import Recording, make_recording
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.start import initial_state, make_config, make_packets
from fingerpost.golden.compiled.state import of_run
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.credit import CreditTerminalModel
from fingerpost.golden.traffic import Traffic

__all__ = ["Compiled"]

CHUNK = 1 << 22
"""Nodes times cycles that are run in one call: about a second."""

MOST_CYCLES = (1 << 31) - 1
"""The cycles of grants are kept in 32 bits."""


class Compiled(Engine):
    """The compiled model.

    Parameters
    ----------
    network : Network
    traffics : sequence of Traffic
    stall, surplus
        See `fingerpost.golden.terminal.CreditTerminalModel`.
    threads : int
        How many cores to use; runs are shared out among them.

    Attributes
    ----------
    config : Config
        What does not change.
    arrays : State
        All that does.
    """

    name = "compiled"

    def __init__(
        self,
        network: Network,
        traffics: Sequence[Traffic],
        *,
        stall: float = 0.0,
        surplus: int = 0,
        threads: int = 1,
    ) -> None:
        self.network, self.stall, self.surplus, self.threads = network, stall, surplus, threads
        terminals = [
            CreditTerminalModel(traffic, stall=stall, surplus=surplus) for traffic in traffics
        ]
        sent, steps = make_packets(network, terminals)
        self.config = make_config(network, steps)
        self.arrays = initial_state(self.config, terminals, sent, network.buffer_depth)
        self.rngs = [each.rng for each in terminals]
        self.runs: list[CompiledRun] = []
        first = 0
        for number, traffic in enumerate(traffics):
            self.runs.append(CompiledRun(traffic, number, first, self.config, self.arrays))
            first += len(traffic.source)
        self.unrecorded = make_recording(self.config, 0)

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        most = max(1, CHUNK // (self.config.nodes * len(self.runs)))
        for begin in range(0, cycles, most):
            if until_delivered and not self.arrays.clock["outstanding"].any():
                return
            self._call(min(most, cycles - begin), until_delivered, self.unrecorded)

    def record(self, cycles: int) -> Record:
        first, recorded = self.runs[0].now, make_recording(self.config, cycles)
        self._call(cycles, False, recorded)
        shape = (cycles, self.config.nodes, self.config.ports)
        seen = Wire._make(column.reshape(shape) for column in recorded[5:10])
        return Record(first, Wire._make(recorded[:5]), seen, recorded.errors, recorded.overruns)

    def _call(self, cycles: int, until_delivered: bool, recording: Recording) -> None:
        """Go through some cycles in one call."""
        if int(self.arrays.clock["now"].max()) + cycles > MOST_CYCLES:
            raise ValueError(f"Engine needs at most {MOST_CYCLES} cycles in all")
        before = self.arrays.clock["now"][:, 0].copy()
        states = [rng.bit_generator.state for rng in self.rngs]
        channels = self.config.nodes * self.config.classes if self.stall else 0
        stalls = np.zeros((len(self.runs), cycles, channels), np.bool_)
        for row, rng in zip(stalls, self.rngs, strict=True):
            row[:] = rng.random((cycles, channels)) < self.stall

        def one(number: int) -> None:
            state, noted = of_run(self.arrays, number), self.unrecorded if number else recording
            run(self.config, state, cycles, until_delivered, stalls[number], noted)

        numbers = range(len(self.runs))
        if self.threads == 1:  # a thread would take longer to begin than some calls do
            for number in numbers:
                one(number)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(one, numbers))
        # A run that has stopped before the end has drawn too many numbers.
        ran = self.arrays.clock["now"][:, 0] - before
        for stopped in np.flatnonzero(ran < cycles):
            self.rngs[stopped].bit_generator.state = states[stopped]
            self.rngs[stopped].random((ran[stopped], channels))

    def _plain(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the state by name."""
        return dict(_named("", self.arrays))

    def _of(self) -> str:
        """Return what a state belongs to: network, packets and options, as a digest."""
        options = (self.network.description, self.stall, self.surplus, len(self.runs))
        digest = sha256(repr(options).encode())
        for name in ("time", "salt", "header", "destination", "length", "message_class"):
            digest.update(self.arrays.packets[name].tobytes())
        return digest.hexdigest()

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return all that changes, as arrays; copy them to keep them."""
        states = [rng.bit_generator.state["state"] for rng in self.rngs]
        words = [[f"{each['state']:x}", f"{each['inc']:x}"] for each in states]
        return self._plain() | {"of": np.array(self._of()), "rng": np.array(words)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on where `state` was.

        Raises
        ------
        ValueError
            If it is of another network, other packets, or other options.
        """
        if str(state["of"]) != self._of():
            raise ValueError(
                "State needs the network, traffic and options that it was saved with, not others"
            )
        for name, array in self._plain().items():
            array[...] = state[name]
        for rng, (now, step) in zip(self.rngs, state["rng"].tolist(), strict=True):
            words: dict[str, Any] = dict(rng.bit_generator.state)
            words["state"] = {"state": int(now, 16), "inc": int(step, 16)}
            rng.bit_generator.state = words


def _named(prefix: str, arrays: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of named tuples within named tuples, by their names joined with dots."""
    for name, value in arrays._asdict().items():
        if isinstance(value, tuple):
            yield from _named(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value
