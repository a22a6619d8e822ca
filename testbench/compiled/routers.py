"""The routers of a network in lock-step with the model, each alone, with resets in between."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.golden.link import Link
from fingerpost.golden.network.network import Network
from fingerpost.testbench.compiled.alone import Alone, AloneLayout
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.coverage import Coverage
from fingerpost.testbench.compiled.lines import counted
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.surroundings import Headers, Mood, Surroundings
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.runner import Progress

__all__ = ["ALL_TURNS", "CompiledRouters", "Turns"]

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
        What `fingerpost.testbench.benches.compiled.CompiledRouterBench` writes.
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
                counts[name] += int(getattr(turn.model, name).sum())
            if done < len(turn.given):
                message = self._message(done, turn.expected[done], seen)
                break
            if progress:
                progress(min(counts["cycles"], given["cycles"]), given["cycles"])
        seen_lines = counted(hardware, self.assembly.sources) if self.lines else {}
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
