"""The routers of a network in lock-step with the model, each alone, with resets in between."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import COUNTERS
from fingerpost.golden.engine.isolated import IsolatedRouters
from fingerpost.golden.link import Link
from fingerpost.golden.network.network import Network
from fingerpost.testbench.compiled.assembly import Assembly, Rows, bits
from fingerpost.testbench.compiled.coverage import Coverage, counted
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.surroundings import Headers, Mood, Surroundings
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.packing import Columns, fill
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import link_fields

TURNS = (
    (Mood(), 400),
    (Mood(raw=0.02), 400),
    (Mood(raw=0.1, odd=0.02, surplus=0.02), 300),
    (Mood(), 800),
    (Mood(raw=0.3, odd=0.2, surplus=1.0), 1500),
)
"""What goes in after each reset, and for how many cycles; then the same with other seeds. There
are no errors, or a few, of which each is seen in the count, or more than can be counted."""

ALL_TURNS = sum(cycles for _, cycles in TURNS)


class AloneLayout(Rows):
    """The rows of routers: what is given, by node and port; the same that is seen, and counters."""

    def __init__(self, network: Network) -> None:
        topology, sent = network.topology, link_fields(network)
        counted = tuple((c.name, c.width) for c in COUNTERS)
        ports = topology.nodes * (topology.degree + 1)
        super().__init__(sent, [(ports, sent), (topology.nodes, counted)])

    def words(self, group: int, columns: Columns) -> Words:
        """Return the columns of a group as words."""
        rows, fields = self.groups[group]
        found = np.zeros((rows, words(bits(fields))), np.uint64)
        fill(fields, columns, found)
        return found.ravel()


class Alone:
    """The routers of a network after a reset, each alone.

    Parameters
    ----------
    network : Network
    around : Surroundings
        After the same reset.
    coverage : Coverage

    Attributes
    ----------
    given, expected : Words
        What goes in, and what must be seen, in the cycles of `run`.
    flits : int
        That went in.
    """

    given: Words
    expected: Words

    def __init__(self, network: Network, around: Surroundings, coverage: Coverage) -> None:
        self.routers, self.around, self.coverage = IsolatedRouters(network), around, coverage
        self.layout, self.flits = AloneLayout(network), 0

    def run(self, cycles: int) -> None:
        """Go through so many cycles."""
        given, expected = zip(*(self._cycle(number) for number in range(cycles)), strict=True)
        self.given, self.expected = np.array(given), np.array(expected)

    def _cycle(self, number: int) -> tuple[Words, Words]:
        routers, layout = self.routers, self.layout
        seen = routers.seen()
        expected = np.concatenate([layout.words(0, seen), layout.words(1, routers.counts())])
        sent, returned = (_channels(seen[name], routers.channels) for name in ("valid", "credit"))
        columns = self.around.cycle(number, sent, returned)
        self.flits += int(np.count_nonzero(columns["valid"]))
        routers.give(columns)
        self.coverage.step(routers, seen)
        return layout.words(0, columns), expected


def _channels(masks: IntArray, channels: int) -> IntArray:
    """Return the bits of masks, as place * channels + channel."""
    place, channel = np.nonzero(masks[:, None] >> np.arange(channels) & 1)
    return place * channels + channel


class Turns:
    """Routers after one reset after the other.

    Parameters
    ----------
    network : Network
    cycles, seed : int

    Attributes
    ----------
    coverage : Coverage
    """

    def __init__(self, network: Network, *, cycles: int, seed: int) -> None:
        self.network, self.cycles, self.seed = network, cycles, seed
        self.headers = headers = Headers(network, seed)
        self.coverage = Coverage(network, (headers.node, headers.port, headers.pool))

    def __iter__(self) -> Iterator[Alone]:
        """Yield them when they have gone through their cycles."""
        number = done = 0
        while done < self.cycles:
            mood, long = TURNS[number % len(TURNS)]
            seed = 1000 * self.seed + number
            around = Surroundings(self.network, self.headers, mood, seed)
            turn = Alone(self.network, around, self.coverage)
            turn.run(min(long, self.cycles - done))
            yield turn
            number, done = number + 1, done + long


class CompiledRouters:
    """The routers of a network, compiled, each kind of them once.

    Parameters
    ----------
    network : Network
    sources : sequence of Path
        What `fingerpost.testbench.benches.router.CompiledRouterBench` writes.
    folder : Path
        Where what is compiled is kept.
    lines : bool
        Whether to tell what of the Verilog is gone through, too.

    Raises
    ------
    BenchError
        If something does not compile, or an input of a router reaches an output within a cycle.
    """

    def __init__(
        self,
        network: Network,
        sources: Sequence[Path],
        folder: Path,
        *,
        lines: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.network, self.layout, self.lines = network, AloneLayout(network), lines
        self.assembly = Assembly.of(
            sources,
            folder,
            sent=self.layout.sent,
            groups=self.layout.groups,
            lines=lines,
            progress=progress,
        )

    def run(
        self,
        given: Mapping[str, Any],
        *,
        waveform: Path | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Go through all turns, up to a difference; there is no waveform of it."""
        hardware, message = self.assembly.hardware(), ""
        counts: Counter[str] = Counter()
        seconds = {"model_cpu_seconds": -time.thread_time(), "hardware_cpu_seconds": 0.0}
        turns = Turns(self.network, cycles=given["cycles"], seed=given["seed"])
        for turn in turns:
            started = time.thread_time()
            hardware.reset()
            done, seen = hardware.run(turn.given, turn.expected)
            seconds["hardware_cpu_seconds"] += time.thread_time() - started
            counts["cycles"] += done
            counts["flits"] += turn.flits
            for name in ("errors", "overruns"):
                counts[name] += int(turn.routers.counts()[name].sum())
            if done < len(turn.given):
                message = self._message(done, turn.expected[done], seen)
                break
            if progress:
                progress(min(counts["cycles"], given["cycles"]), given["cycles"])
        seen_lines = counted(hardware) if self.lines else {}
        hardware.close()
        seconds["model_cpu_seconds"] += time.thread_time() - seconds["hardware_cpu_seconds"]
        covered, missing = turns.coverage, turns.coverage.missing
        facts = {
            "mismatches": int(bool(message)),
            "message": message,
            **counts,
            **seconds,
            **seen_lines,
            "covered": len(covered.possible) - len(missing),
            "coverable": len(covered.possible),
            "missing": [str(key) for key in missing],
        }
        return Found(facts, None)

    def _message(self, cycle: int, expected: Words, seen: Words) -> str:
        """Return the first difference of a cycle, in words."""
        (rows, rows_seen), (counts, counts_seen) = zip(
            self.layout.columns(expected), self.layout.columns(seen), strict=True
        )
        ports = self.network.topology.degree + 1
        groups = (rows, rows_seen, ports, Link.payload), (counts, counts_seen, 1, ())
        return f"after a reset, {sentence(cycle, groups)}"
