"""The routers of a network in lock-step with the model, each alone, with resets in between."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import COUNTERS
from fingerpost.golden.flit import Flits
from fingerpost.golden.link import Link
from fingerpost.golden.link.base import Between
from fingerpost.golden.model import Model
from fingerpost.golden.model.allocation import Requests
from fingerpost.golden.model.vc_buffers import Push
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

__all__ = ["ALL_TURNS", "Alone", "AloneLayout", "CompiledRouters", "Turns"]

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


class Outside(Between):
    """What comes over the links of all routers in a cycle, whatever they send."""

    def __init__(self) -> None:
        self.arriving, self.returned = Flits.empty(), np.empty(0, np.int64)

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        """Return what was put here."""
        return self.arriving, self.returned

    def seen(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        """Return nothing."""
        return {}


class Watched(Model):
    """A model that records its inputs.

    Parameters
    ----------
    network : Network
    coverage : Coverage
    """

    def __init__(self, network: Network, coverage: Coverage) -> None:
        super().__init__(network)
        self.coverage = coverage

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle."""
        level, overruns = self.vc_buffers.level.copy(), self.overruns.copy()
        super().step(injected, ejection_credit)
        self.coverage.takes(self, level, overruns)

    def _route_stage(self, arrived: Flits, injected: Flits, requests: Requests) -> Push:
        in_packet = self.in_packet.copy()
        push = super()._route_stage(arrived, injected, requests)
        head = np.concatenate([arrived.head, injected.head])
        self.coverage.admits(push.queue, head, in_packet, self.new_errors)
        return push


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
        self.model, self.around = Watched(network, coverage), around
        self.layout, self.outside, self.flits = AloneLayout(network), Outside(), 0
        # Every link begins and ends at the port itself.
        model = self.model
        self.places = model.nodes * model.ports
        model.link_dst = model.link_src = np.arange(self.places)
        model.links = self.outside

    def run(self, cycles: int) -> None:
        """Go through so many cycles."""
        given, expected = zip(*(self._cycle(number) for number in range(cycles)), strict=True)
        self.given, self.expected = np.array(given), np.array(expected)

    def _cycle(self, number: int) -> tuple[Words, Words]:
        model = self.model
        sent = [model.link, model.ejected]
        out = np.concatenate([flits.port_index * model.channels + flits.channel for flits in sent])
        columns = self.around.cycle(number, out, model.credit)
        expected = self._expected(sent)
        self._step(columns)
        return self.layout.words(0, columns), expected

    def _expected(self, sent: list[Flits]) -> Words:
        model = self.model
        names = "valid", "head", "tail", "data", "credit"
        columns = {name: np.zeros(self.places, np.int64) for name in names}
        for flits in sent:
            columns["valid"][flits.port_index] = 1 << flits.channel
            for name in ("head", "tail", "data"):
                columns[name][flits.port_index] = getattr(flits, name)
        place, channel = np.divmod(model.credit, model.channels)
        np.add.at(columns["credit"], place, 1 << channel)
        counts = {c.name: getattr(model, c.name) for c in COUNTERS}
        return np.concatenate([self.layout.words(0, columns), self.layout.words(1, counts)])

    def _step(self, columns: Columns) -> None:
        """Let the routers take what is around them."""
        model, (valid, credit) = self.model, (columns["valid"], columns["credit"])
        place = np.flatnonzero(valid)
        self.flits += len(place)
        channel = np.log2(valid[place]).astype(np.int64)
        flits = Flits(
            place,
            channel,
            columns["head"][place] > 0,
            columns["tail"][place] > 0,
            columns["data"][place],
            place * model.channels + channel,
        )
        terminal = model.port[place] == model.local
        outputs, back = np.nonzero(credit[:, None] >> np.arange(model.channels) & 1)
        local = model.port[outputs] == model.local
        ejected_to = model.node[outputs] * model.classes + back
        self.outside.arriving = flits.select(~terminal)
        self.outside.returned = outputs[~local] * model.channels + back[~local]
        model.step(flits.select(terminal), ejected_to[local])


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
