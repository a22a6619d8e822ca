"""What runs traffic through a network, many cycles a call: threads, records, saved states."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start
from fingerpost.golden.jit.compile import called
from fingerpost.golden.jit.plain import view
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic

Kind = tuple[Callable[..., Start], type[Run]]
"""What makes a kind of terminals, and what it is to be run."""

Columns = Mapping[str, Array]

CHUNK = 1 << 22
"""Nodes times cycles that are run in one call: about a second where they are compiled."""

MOST_CYCLES = (1 << 31) - 1
"""The cycles of grants are kept in 32 bits."""


class Record(NamedTuple):
    """What goes into all routers, and comes out of them, in each of some cycles.

    Columns by name; the first axis is the cycle. What means nothing on links is 0.
    """

    first: int
    """The number of the first cycle."""
    given: Columns
    """`Terminal.given`: what terminals give."""
    links: Columns
    """`Link.seen`: the registers of routers, by node and port."""
    terminals: Columns
    """`Terminal.seen`, and what nodes count: the same at terminals."""


class Engine(ABC):
    """A network with its terminals, once for each traffic.

    Parameters
    ----------
    network : AnyNetwork
    traffics : sequence of Traffic
    stall, surplus
        See `fingerpost.golden.engine.engine.engine`.
    threads : int
        How many cores to use: runs are shared out among them, or the nodes of a large network, if
        there is one run.
    options
        Of what makes the arrays of terminals; see `fingerpost.golden.engine.engine.engine`.

    Attributes
    ----------
    name : str
        ``compiled`` or ``plain``.
    why : str
        Why it is not compiled, if that was not asked for; nothing if it is.
    takes_windows : bool
        Whether `exchange` works.
    runs : sequence of Run
        One for each traffic, in their order.
    cycles : called
        What runs through cycles, called with config, state of a run, cycles, whether to go on only
        until all is delivered, stalls and recording.
    plain : bool
        Whether it runs as plain Python.
    kinds : mapping of str to Kind
        By the kind of terminal.
    draws : int
        Streams of terminals that draw random numbers, `Run.draws` in a cycle each, if they stall.
    parts : int
        Into how many parts the nodes are shared out.
    config, arrays : named tuples
        What does not change, and all that does: `clock`, `packets`, ...
    """

    name: str
    takes_windows: bool = False
    kinds: ClassVar[dict[str, Kind]]
    cycles: called
    runs: Sequence[Run]
    draws: int
    parts: int = 1
    config: Any
    arrays: Any

    def __init__(
        self,
        network: AnyNetwork,
        traffics: Sequence[Traffic],
        *,
        stall: float = 0.0,
        surplus: int = 0,
        threads: int = 1,
        plain: bool = False,
        why: str = "",
        **options: Any,
    ) -> None:
        self.network, self.stall, self.surplus = network, stall, surplus
        self.threads, self.plain, self.why = 1 if plain else threads, plain, why
        self.name = "plain" if plain else "compiled"
        self.options = options
        for traffic in traffics:
            network.terminal.check(traffic, surplus=surplus)
        self.rngs = [np.random.default_rng(traffic.seed + 1) for traffic in traffics]
        start, run_of = self._kind
        self._start(traffics, start)
        self.unrecorded = self._recording(0)
        self._look()
        first, runs = 0, list[Run]()
        for number, traffic in enumerate(traffics):
            runs.append(run_of(traffic, number, first, self.config, self.arrays))
            first += len(traffic.source)
        self.runs = runs

    @staticmethod
    def unfit(network: Any) -> str:
        """Return why a network cannot be run in the compiled form; nothing if it can."""
        return ""

    @property
    def _kind(self) -> Kind:
        """Return the kind of terminals."""
        return self.kinds[self.network.terminal.kind]

    @abstractmethod
    def _start(self, traffics: Sequence[Traffic], start: Callable[..., Start]) -> None:
        """Make `config`, `arrays`, `cycles` and `draws`; `start` makes terminals."""

    def _run(
        self, state: Any, cycles: int, until_delivered: bool, stalls: Array, recording: Any
    ) -> None:
        """Go through some cycles of a run; `state` and the others are as the form takes them."""
        self._form(self.cycles)(self._config, state, cycles, until_delivered, stalls, recording)

    def _form(self, function: called) -> Callable[..., Any]:
        """Return a function in the form that runs."""
        return function.plain if self.plain else function.compiled

    def _seen(self, value: Any) -> Any:
        """Return arrays as the form that runs takes them."""
        return view(value) if self.plain else value

    def _stalls(self, drawn: NDArray[np.float64]) -> Array:
        """Return what stalls, by numbers between 0 and 1 that were drawn for it."""
        return drawn < self.stall

    @abstractmethod
    def _recording(self, cycles: int) -> Any:
        """Return room to record so many cycles."""

    def _look(self) -> None:
        """Look at new arrays: at what does not change, and at those of each run."""
        self._config = self._seen(self.config)
        self._views = [self._seen(of_run(self.arrays, number)) for number in range(len(self.rngs))]

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        """Go through so many cycles.

        With `until_delivered` each run goes on only until every packet that can be delivered has
        been.

        Raises
        ------
        ValueError
            If cycles would have to be counted further than they can.
        """
        most = max(1, CHUNK // (self.config.nodes * len(self.runs)))
        for begin in range(0, cycles, most):
            if until_delivered and not self.arrays.clock["outstanding"].any():
                return
            self._call(min(most, cycles - begin), until_delivered, self.unrecorded)

    def _recorded(self, cycles: int) -> Any:
        """Go through so many cycles, and record the first run."""
        recorded = self._recording(cycles)
        self._call(cycles, False, recorded)
        return recorded

    def _call(self, cycles: int, until_delivered: bool, recording: Any) -> None:
        """Go through some cycles in one call.

        Raises
        ------
        OverflowError
            If a queue of a terminal had no room.
        """
        self.arrays.clock["drawn"] = 0
        if int(self.arrays.clock["now"].max()) + cycles > MOST_CYCLES:
            raise ValueError(f"Engine needs at most {MOST_CYCLES} cycles in all")
        states = [rng.bit_generator.state for rng in self.rngs]
        draws = self.draws * self.runs[0].draws if self.stall else 0
        stalls = [self._stalls(rng.random(cycles * draws)) for rng in self.rngs]

        def one(number: int) -> None:
            state, noted = self._views[number], self.unrecorded if number else recording
            row = stalls[number]
            self._run(state, cycles, until_delivered, self._seen(row), self._seen(noted))

        numbers = range(len(self.runs))
        if (
            self.threads == 1 or len(numbers) == 1
        ):  # a thread would take longer to begin than some calls do
            for number in numbers:
                one(number)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(one, numbers))
        if self.arrays.clock["overflow"].any():
            raise OverflowError("A queue of a terminal is full")
        # Numbers that no terminal has drawn are drawn again.
        for number in numbers if draws else ():
            drawn = int(self.arrays.clock["drawn"][number, 0])
            if drawn < cycles * draws:
                self.rngs[number].bit_generator.state = states[number]
                self.rngs[number].random(drawn)

    def _plain(self) -> dict[str, Array]:
        """Return the arrays of the state by name."""
        return dict(_named("", self.arrays))

    def _of(self) -> str:
        """Return what a state belongs to: network, packets and options, as a digest."""
        runs = len(self.runs), self.parts
        options = (self.network.description, self.stall, self.surplus, runs, self.options)
        digest = sha256(repr(options).encode())
        for name in self.runs[0].digested:
            digest.update(self.arrays.packets[name].tobytes())
        return digest.hexdigest()

    def state(self) -> Mapping[str, Array]:
        """Return all that changes, as arrays; copy them to keep them."""
        states = [rng.bit_generator.state["state"] for rng in self.rngs]
        words = [[f"{each['state']:x}", f"{each['inc']:x}"] for each in states]
        return self._plain() | {"of": np.array(self._of()), "rng": np.array(words)}

    def restore(self, state: Mapping[str, Array]) -> None:
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

    def save(self, path: Path) -> None:
        """Write the state to a file, as one npz."""
        with path.open("wb") as file:
            np.savez(file, **dict[str, Any](self.state()))

    def load(self, path: Path) -> None:
        """Go on where `save` was called."""
        with np.load(path, allow_pickle=False) as state:
            self.restore(dict(state))

    def tell(self, told: Mapping[str, IntArray]) -> None:
        """Tell the nodes of all runs something of their links, from the next cycle on.

        Parameters
        ----------
        told : mapping of (nodes,) arrays
            Fields of `fingerpost.golden.link.Link.told`. Those of an entry of a table are of the
            next cycle only.

        Raises
        ------
        TypeError
            If nodes are told nothing.
        """
        raise TypeError("Engine needs links that may fail to be told of them")

    @property
    def packets(self) -> Array:
        """Return records of the packets that the only run knows of.

        Raises
        ------
        TypeError
            If the engine takes no windows.
        """
        raise TypeError("Engine needs packets that are all there from the start")

    def exchange(self, more: Traffic | None) -> Array:
        """Forget the packets that have been delivered, and return them; take more.

        The others of each terminal come first. What a run shows by packet is then by what there is
        in `packets`. What is returned is there until the next call.

        Raises
        ------
        TypeError
            If the engine needs packets that are all there from the start.
        """
        raise TypeError("Engine needs packets that are all there from the start")

    @abstractmethod
    def record(self, cycles: int) -> Record:
        """Go through so many cycles; return what went in and came out in the first run."""


def _named(prefix: str, arrays: Any) -> Iterator[tuple[str, Array]]:
    """Yield the arrays of named tuples within named tuples, by their names joined with dots."""
    for name, value in arrays._asdict().items() if arrays else ():
        if isinstance(value, tuple):
            yield from _named(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value
