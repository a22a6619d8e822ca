"""The compiled model and its terminals behind the interface that the reference has, too."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.base import Engine, Record, Wire
from fingerpost.golden.compiled.cycle import run
from fingerpost.golden.compiled.recording import Recording, make_recording
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.start import credit_start, initial_state, make_config
from fingerpost.golden.compiled.state import of_run
from fingerpost.golden.compiled.terminal.axi_run import AxiRun
from fingerpost.golden.compiled.terminal.axi_start import axi_start
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import AxiTerminalModel, CreditTerminalModel
from fingerpost.golden.traffic import Traffic

__all__ = ["Compiled"]

CHUNK = 1 << 22
"""Nodes times cycles that are run in one call: about a second."""

MOST_CYCLES = (1 << 31) - 1
"""The cycles of grants are kept in 32 bits."""


class _Kind(NamedTuple):
    """A kind of terminals: what makes its arrays, a run, and the numbers it draws in a cycle."""

    start: Callable[..., tuple[NDArray[Any], NDArray[Any], Any, Any]]
    run: type[CompiledRun]
    draws: int  # by channel of a terminal, at most


KINDS: dict[type, _Kind] = {
    CreditTerminalModel: _Kind(credit_start, CompiledRun, 1),
    AxiTerminalModel: _Kind(axi_start, AxiRun, 2),
}


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
    options
        Others of `fingerpost.golden.terminal.Terminal.model`.

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
        **options: Any,
    ) -> None:
        self.network, self.stall, self.surplus, self.threads = network, stall, surplus, threads
        self.options = options
        terminals: list[Any] = [
            network.terminal.model(traffic, stall=stall, surplus=surplus, **options)
            for traffic in traffics
        ]
        kind = KINDS[type(terminals[0])]
        sent, steps, fixed, ends = kind.start(network, terminals)
        self.config = make_config(network, steps, fixed)
        self.arrays = initial_state(self.config, terminals, sent, ends, network.buffer_depth)
        self.draws = kind.draws * self.config.nodes * self.config.classes if stall else 0
        self.rngs = [each.rng for each in terminals]
        self.runs: list[CompiledRun] = []
        first = 0
        for number, traffic in enumerate(traffics):
            self.runs.append(kind.run(traffic, number, first, self.config, self.arrays))
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
        states = [rng.bit_generator.state for rng in self.rngs]
        stalls = np.zeros((len(self.runs), cycles * self.draws), np.bool_)
        for row, rng in zip(stalls, self.rngs, strict=True):
            row[:] = rng.random(len(row)) < self.stall
        clock = self.arrays.clock
        clock["drawn"] = 0

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
        # Numbers that no terminal has drawn are drawn again.
        if self.draws:
            for rng, state, drawn in zip(self.rngs, states, clock["drawn"][:, 0], strict=True):
                rng.bit_generator.state = state
                rng.random(int(drawn))
        if clock["overflow"].any():
            raise OverflowError("A queue of a terminal is full")

    def _plain(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the state by name."""
        return dict(_named("", self.arrays))

    def _of(self) -> str:
        """Return what a state belongs to: network, packets and options, as a digest."""
        options = (self.network.description, self.stall, self.surplus, len(self.runs), self.options)
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
