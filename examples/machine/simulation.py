"""Programs on a machine, cycle after cycle, and what is seen of them."""

import re
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any

import numpy as np

from examples.machine.expected import EXPECTED
from examples.machine.machine import (
    EVENT,
    MachineError,
    at_node,
    counters,
    firmware,
    machine_verilog,
    sources,
)
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.files import locked, write_files
from fingerpost.hdl.emit.network import around_network, network_name
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.hdl.lib.ports import identifier
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.clusters import clustered
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.wiring import Wiring, ports
from fingerpost.testbench.lock_step import Group, Layout
from fingerpost.testbench.packing import Fields, bits_of, empty, fill
from fingerpost.testbench.runner import BenchError

PATIENCE = {"picorv32": 300_000, "serv": 5_000_000}
"""Cycles without a moved or reported word after which a machine is locked: more than it takes to
clear all memory. SERV multiplies in software."""

GIVEN: Fields = (("cycle", 32), ("load_word", 32), ("load_address", 14), ("load", 1))
"""What a machine is given in a cycle."""

MODULES = "machine_node", "machine_axi_lite", "machine_wishbone", "machine_memory"
"""Of node.v."""

LEAF = re.compile(r"\balways\b|\bfunction\b|\bparameter\b")
"""What is only in modules that are more than a join of others."""


class Event(IntFlag):
    """What can happen at a node: bits of `valid`."""

    CONSOLE = 1
    """A word is written to the console."""
    BEGINS = 2
    """A packet begins: destination and length are written."""
    MOVES = 4
    """A word is written to a packet or read from one."""
    MEMORY = 8
    """The mailbox asks for memory."""
    IRQ = 16
    """The interrupt rises."""
    TRAP = 32
    """The core stops."""
    ACTIVE = MOVES | MEMORY


class Console(IntEnum):
    """Words of the console."""

    PRINT = 0
    REPORT = 1
    ERRORS = 2
    EXIT = 3


SEND_DATA = 1
"""The word of a class's registers that the words of a packet are written to."""

ROOM = 1 << 20
"""Events for which there is room at a time."""

TOLD_EVERY = 10.0
"""Seconds from one line of progress to the next."""

NAMED = 8
"""Nodes that a message names."""


@dataclass
class Run:
    """What a machine has done."""

    end: str = "cycles"
    """finished, locked or cycles."""
    cycles: int = 0
    """Until the last word was moved or reported."""
    counters: int = 0
    """Sum of the error counters of the network."""
    printed: dict[int, str] = field(default_factory=dict)
    reported: dict[int, list[int]] = field(default_factory=dict)
    """Text and words by node."""
    errors: dict[int, int] = field(default_factory=dict)
    """Misuses and bad packets that the mailbox of a node has counted."""
    ended: set[int] = field(default_factory=set)
    """Nodes whose program has ended."""
    failed: list[int] = field(default_factory=list)
    """Nodes that ended with an error, or in a trap."""
    sent: Counter[tuple[int, int]] = field(default_factory=Counter)
    words: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Packets by source and destination, and their words. In `facts` they are rows of source,
    destination, packets and words."""
    network_cycles: list[int] = field(default_factory=list)
    """From the last word that was written anywhere to each interrupt."""
    _moved: int = field(default=0, repr=False)

    def facts(self) -> dict[str, Any]:
        """Return the same as plain data."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        found["ended"] = sorted(self.ended)
        found["sent"] = [[*pair, count, self.words[pair]] for pair, count in self.sent.items()]
        del found["words"]
        return found

    def take(self, cycle: IntArray, node: IntArray, rows: Words) -> None:
        """Take events: their cycles, in order, their nodes, and `EVENT` of each."""
        columns = empty(EVENT, rows)
        valid, place, word = (columns[name] for name, _ in EVENT)
        console = (valid & Event.CONSOLE) > 0
        active = (valid & Event.ACTIVE > 0) | console & (place & 3 == Console.REPORT)
        if active.any():
            self.cycles = int(cycle[active][-1])
        begins = (valid & Event.BEGINS) > 0
        pairs = zip(node[begins].tolist(), word[begins].tolist(), strict=True)
        for (source, value), count in Counter(pairs).items():
            self.sent[source, value & 0xFFFF] += count
            self.words[source, value & 0xFFFF] += count * (value >> 16 & 0xFFF)
        written = cycle[(valid & Event.MOVES > 0) & (place & 15 == SEND_DATA)]
        for at in cycle[valid & Event.IRQ > 0].tolist():
            before = int(np.searchsorted(written, at))
            self.network_cycles.append(at - int(written[before - 1] if before else self._moved))
        if len(written):
            self._moved = int(written[-1])
        for number in node[valid & Event.TRAP > 0].tolist():
            self.failed.append(number)
            self.ended.add(number)
        for number, which, value in zip(
            *(each[console].tolist() for each in (node, place & 3, word)), strict=True
        ):
            match which:
                case Console.PRINT:
                    self.printed[number] = self.printed.get(number, "") + chr(value & 0xFF)
                case Console.REPORT:
                    self.reported.setdefault(number, []).append(value)
                case Console.ERRORS:
                    self.errors[number] = value
                case Console.EXIT:
                    self.ended.add(number)
                    if value:
                        self.failed.append(number)


def simulator(network: AnyNetwork, folder: Path, *, processor: str = "picorv32") -> Assembly:
    """Build the simulator of a machine in a folder, or find it there.

    Raises
    ------
    MachineError
        If a tool fails.
    """
    cache, there = folder.resolve() / "compiled", _place(network, folder, processor)
    files = sources(network, there / "generated", processor=processor)
    own = [file for file in files if file.parent != there / "generated"]
    outer = {network_name(network), *around_network(network)}
    generated = {file.stem: file.read_text() for file in files if file not in own}
    core = "\n".join(file.read_text() for file in own)
    leaves = [text for name, text in generated.items() if name not in outer or LEAF.search(text)]
    joining = [text for text in generated.values() if text not in leaves]
    verilog = {name: text for text in leaves for name in ports(text)} | dict.fromkeys(MODULES, core)
    # The ports of a module are those of the first in a text.
    firsts = [*leaves, *(core[core.index(f"module {name}") :] for name in MODULES)]
    known = {name: several for text in firsts for name, several in ports(text).items()}
    nodes = len(network.terminal.numbers(network.topology.terminals))
    widths = {counter.name: counter.width for counter in network.node_counters}
    groups = [Group(EVENT, range(nodes))]
    for port in counters(network):
        width = widths.get(at_node(port), 1)
        groups.append(Group((("count", width),), range(port.bits // width)))
    seen, *counted = (group.rows * bits_of(group.fields) for group in groups)
    bench = _bench(seen, sum(counted))
    try:
        wiring = Wiring(bench, [machine_verilog(network), *joining], known)
        parts = clustered(wiring, verilog, cache)
        texts = parts.kinds | {"network": parts.network, "bench": parts.bench}
        written = write_files({f"{name}.v": texts[name] for name in texts}, there / "clusters")
        return Assembly.of(written, cache, Layout(1, GIVEN, tuple(groups)), progress=_built)
    except BenchError as error:
        raise MachineError(str(error)) from None


def _built(done: int, total: int) -> None:
    """Tell how much of a simulator is built."""
    print(f"machine: {done} of {total} parts of the simulator are built", file=sys.stderr)


def _place(network: AnyNetwork, folder: Path, processor: str) -> Path:
    """Return the folder of a machine; others may be built and run beside it."""
    name = f"{identifier(network.name)}-{processor}-{description_hash(network)[:8]}"
    return folder.resolve() / name


def _bench(events: int, counters: int) -> str:
    """Return the module around a machine: it is given `GIVEN`; events and counters are seen."""
    joined, low = list[str](), 0
    for name, width in GIVEN:
        joined.append(f".{name}(given[{low} +: {width}])")
        low += width
    return f"""\
module bench(
  input clk, input rst, input [{low - 1}:0] given, output [{events + counters - 1}:0] seen
);
  wire [{events - 1}:0] events;
  wire [{counters - 1}:0] counters;
  machine machine(.clk(clk), .rst(rst), {", ".join(joined)}, .events(events), .counters(counters));
  assign seen = {{counters, events}};
endmodule
"""


def run(
    network: AnyNetwork,
    program: Path,
    machine: Assembly,
    folder: Path,
    *,
    defined: Mapping[str, int] | None = None,
    cycles: int = 100_000_000,
    processor: str = "picorv32",
) -> Run:
    """Run a program on a machine; its files go into a folder.

    Raises
    ------
    MachineError
        If the program does not compile.
    """
    given = defined or {}
    name = "-".join([program.stem, *(f"{key}{number}" for key, number in given.items())])
    there = _place(network, folder, processor) / name
    there.mkdir(exist_ok=True, parents=True)
    with locked(there):
        words = firmware(network, program.resolve(), there, given, processor=processor)
    numbers = np.array(network.terminal.numbers(network.topology.terminals))
    hardware = machine.hardware()
    hardware.reset(_given(load=1, load_address=np.arange(len(words)), load_word=words))
    found, done, told = Run(), 0, time.monotonic()
    most = max(1, ROOM // len(numbers))
    while done < cycles:
        count = min(most, cycles - done)
        rows, seen = hardware.record(_given(cycle=np.arange(done, done + count)))
        cycle, row = rows[:, :2].T.astype(np.int64)
        found.take(cycle + done, numbers[row], rows[:, 2:])
        done += count
        if len(found.ended) == len(numbers):
            found.end = "finished"
            break
        if done - found.cycles > PATIENCE[processor]:
            found.end = "locked"
            break
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            ended = f"{len(found.ended)} of {len(numbers)} nodes have ended"
            print(f"machine: {done:,} cycles, {ended}", file=sys.stderr)
    found.counters = int(seen[len(numbers) :].sum())
    hardware.close()
    return found


def _given(**columns: IntArray | int) -> Words:
    """Return what a machine is given in cycles."""
    count = max(len(each) for each in columns.values() if not isinstance(each, int))
    nothing = np.zeros(count, np.int64)
    given = np.zeros((count, 2), np.uint64)
    fill(GIVEN, {name: nothing + columns.get(name, 0) for name, _ in GIVEN}, given)
    return given


def wrong(network: AnyNetwork, run: Run, program: str, defined: Mapping[str, int]) -> list[str]:
    """Return what is wrong with a run, a line for each."""
    terminals = network.terminal.numbers(network.topology.terminals)
    limit = network.terminal.describe().get("packet_limit", 0)
    found = [f"node {node} ended with an error" for node in run.failed]
    waiting = [str(node) for node in terminals if node not in run.ended]
    more = f" and {len(waiting) - NAMED} more" if len(waiting) > NAMED else ""
    who = f"nodes still running: {', '.join(waiting[:NAMED])}{more}"
    if run.end == "cycles":
        found.append(f"the machine has not ended within the cycles of --cycles; {who}")
    elif run.end != "finished":
        found.append(f"the machine is {run.end}: no word was moved after cycle {run.cycles}; {who}")
    if run.counters:
        found.append(f"the error counters of the network sum up to {run.counters}")
    found += [f"the mailbox of node {n} counts {k} errors" for n, k in run.errors.items() if k]
    if program not in EXPECTED:
        return found
    expected = EXPECTED[program](len(terminals), limit, defined)
    for rank, node in enumerate(terminals):
        due, given = expected.get(rank, []), run.reported.get(node, [])
        if len(due) != len(given):
            found.append(f"node {node} reports {len(given)} words, not {len(due)}")
        for i, (one, other) in enumerate(zip(due, given, strict=False)):
            if one != other:
                found.append(f"node {node}: word {i} is {other:#x}, not {one:#x}")
                break
    return found
