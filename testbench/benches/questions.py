"""Decisions of routing units: questions, the answers of the model, and the benches that ask."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Decision, Routing
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.packing import Columns
from fingerpost.testbench.sources import no_inline, unit_bench

STRANGE = 256
"""Illegal headers that are tried at the terminal of each node."""

SELECTIONS = 6
"""Hints with which a question is put: none, all, and some at random."""

SMALL = 100
"""Nodes up to which all routes are walked to find the states that occur."""


TOGETHER = 1 << 13
"""Questions that the model decides at once."""


class Questions(NamedTuple):
    """The questions to one node: arrivals, headers, and selections (0 if there are none)."""

    node: int
    arrival: IntArray
    header: IntArray
    selection: IntArray


def strange(routing: Routing, node: int, rng: np.random.Generator) -> IntArray:
    """Return headers of random bits, and headers of destinations in which one field is random.

    The former are mostly refused. Of the latter each field has its share: also those that only
    routers fill in, where header generation has to let the header in and to ignore the field.
    """
    terminals = routing.topology.terminal_nodes
    header = rng.integers(1 << routing.header.width, size=STRANGE)
    some = slice(STRANGE // 2)
    fields = list(routing.header.values())
    masks = np.array([((1 << field.width) - 1) << field.offset for field in fields])
    mask = np.resize(masks, STRANGE // 2)
    good = routing.encode(np.full(STRANGE // 2, node), rng.choice(terminals, STRANGE // 2))
    header[some] = good & ~mask | header[some] & mask
    return header


def questions(network: Network, nodes: IntArray, rng: np.random.Generator) -> Iterator[Questions]:
    """Yield the questions put to each node.

    These are every destination and strange headers, from the terminal if it has one; and every
    state in which a packet passes, by any choice, of the routes from all nodes of a small network,
    or from the first node of each orbit. If decisions are relative, the first node of an
    orbit represents it. Where decisions take a selection, each question is tried with several.
    """
    routing, topology = network.routing, network.topology
    terminals, local = topology.terminal_nodes, topology.local
    first = np.unique(routing.orbit[terminals], return_index=True)[1]
    at, arrivals, headers = states(
        routing, terminals if topology.nodes <= SMALL else terminals[first]
    )
    begin = np.searchsorted(at, np.arange(topology.nodes + 1))
    stands_for = np.arange(topology.nodes)
    if routing.relative:  # the states of an orbit are those of its first node
        orbit, here = np.unique(routing.orbit[nodes], return_index=True)
        stands_for[nodes[here]] = np.unique(routing.orbit, return_index=True)[1][orbit]
    for node in nodes.tolist():
        there = slice(begin[stands_for[node]], begin[stands_for[node] + 1])
        arrival, header = arrivals[there], headers[there]
        if node in terminals:
            every = routing.encode(np.full(len(terminals), node), terminals)
            arrival = np.concatenate([np.full(len(every) + STRANGE, local), arrival])
            header = np.concatenate([every, strange(routing, node, rng), header])
        selection = np.zeros_like(header)
        if routing.selection:
            most = (1 << routing.selection_width) - 1
            some = [0, most, *rng.integers(most + 1, size=SELECTIONS - 2).tolist()]
            arrival, header = (np.tile(x, SELECTIONS) for x in (arrival, header))
            selection = np.repeat(some, len(selection))
        if len(header):  # there are nodes that no route of an algorithm passes
            yield Questions(node, arrival, header, selection)


def differs(expected: Decision, seen: Columns) -> BoolArray:
    """Return which answers are not golden's. Where both refuse, the rest means nothing."""
    wrong: BoolArray = seen["error"] != expected.error
    return wrong | (expected.error == 0) & (
        (seen["port"] != expected.port) | (seen["next_header"] != expected.header)
    )


class Examination:
    """Asks each node its questions, and counts the answers that differ.

    Parameters
    ----------
    network : Network
    given : mapping
        `nodes`, how many are asked, or None for all, and `seed`.
    """

    def __init__(self, network: Network, given: Mapping[str, Any]) -> None:
        self.network, self.rng = network, np.random.default_rng(given["seed"])
        self.nodes = np.arange(network.topology.nodes)
        if given["nodes"] is not None and given["nodes"] < len(self.nodes):
            self.nodes = np.sort(self.rng.choice(self.nodes, given["nodes"], replace=False))
        self.decisions = self.pairs = self._mismatches = 0
        self._message = ""
        self._open: list[tuple[Questions, Columns | None]] = []

    def __iter__(self) -> Iterator[Questions]:
        """Yield the questions to one node after the other."""
        return questions(self.network, self.nodes, self.rng)

    def compare(self, asked: Questions, seen: Columns | None) -> None:
        """Compare answers with the model's; None stands for undefined bits."""
        self._open.append((asked, seen))
        self.decisions += len(asked.header)
        if asked.node in self.network.topology.terminal_nodes:
            self.pairs += len(self.network.topology.terminal_nodes)
        if sum(len(each.header) for each, _ in self._open) >= TOGETHER:
            self._settle()

    def _settle(self) -> None:
        """Compare what is open: the model decides many at once."""
        if not self._open:
            return
        nodes = [np.full(len(asked.header), asked.node) for asked, _ in self._open]
        several = zip(*(asked[1:] for asked, _ in self._open), strict=True)
        given = np.concatenate(nodes), *map(np.concatenate, several)
        expected, done = self.network.routing.decide(*given), 0
        for asked, seen in self._open:
            some = slice(done, done + len(asked.header))
            self._compare(asked, Decision(*(part[some] for part in expected)), seen)
            done = some.stop
        self._open.clear()

    def _compare(self, asked: Questions, expected: Decision, seen: Columns | None) -> None:
        node, arrival, header, selection = asked
        wrong = np.ones(len(header), np.bool_) if seen is None else differs(expected, seen)
        if wrong.any() and not self._message:
            at = int(wrong.argmax())
            hit = {name: int(part[at]) for name, part in expected._asdict().items()}
            got = "undefined bits" if seen is None else {k: int(x[at]) for k, x in seen.items()}
            self._message = (
                f"node {node}, arrival {arrival[at]}, header {header[at]:#x}"
                + (f", selection {selection[at]:#x}" if self.network.routing.selection else "")
                + f": expected {hit}, seen {got}"
            )
        self._mismatches += int(wrong.sum())

    def report(self) -> dict[str, Any]:
        """Return what came of it."""
        self._settle()
        return {
            "decisions": self.decisions,
            "pairs": self.pairs,
            "mismatches": self._mismatches,
            "message": self._message,
        }


UNIT_TESTS = "fingerpost.testbench.benches.unit_cocotb"
"""The module with the cocotb tests of these benches."""

COPIES = {20_000: 128, 100_000: 32}
"""Decisions in one access, by the greatest length of a unit's Verilog: cocotb's cost is
per access, hardly per bit, but simulators compile each copy by itself."""

FEWEST_COPIES = 8
"""For units that are longer still."""


@dataclass(frozen=True)
class UnitSources(OfNetwork):
    """Routing units side by side, each behind its header generator."""

    top: ClassVar[str] = "unit_bench"
    counted: ClassVar[str] = "decisions"

    def sources(self) -> dict[str, str]:
        """Return header generator, unit, and as many of both as simulators compile soon.

        There is one of each if they are compiled.
        """
        name = identifier(self.network.name)
        makers = {"unit": routing_unit, "header_generator": header_generator}
        texts = {
            f"{what}.v": module_verilog(maker(self.network.routing), f"{name}_{what}")
            for what, maker in makers.items()
        }
        length = sum(map(len, texts.values()))
        copies = next((count for most, count in COPIES.items() if length <= most), FEWEST_COPIES)
        copies = 1 if self.engine == "compiled" else copies
        vlt = {"bench.vlt": no_inline(*(f"{name}_{what}" for what in makers))}
        return texts | vlt | {"bench.v": unit_bench(self.network, copies)}


@dataclass(frozen=True, kw_only=True)
class UnitBench(UnitSources):
    """The decisions of all nodes, or of some of them. Compiled, many units are one vector."""

    level: ClassVar[str] = "unit"
    nodes: int | None = None
    """Ask only so many, drawn by the seed."""

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::decides_like_golden"


@dataclass(frozen=True, kw_only=True)
class PathBench(UnitSources):
    """Routes chained hop by hop."""

    level: ClassVar[str] = "path"
    facts: ClassVar[tuple[str, ...]] = ("routes", "mean_hops", "max_hops")
    start: Sequence[int] | None = None
    end: Sequence[int] | None = None
    """The nodes at which routes start and end; by default they start at all terminals of a small
    network, or the first of each orbit, and end at all."""

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::arrives_as_golden_does"
