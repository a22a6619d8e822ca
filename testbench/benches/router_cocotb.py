"""One router under random traffic, with back-pressure on every port; each flit accounted for."""

import itertools
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.golden.counters import ERRORS
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node_straps
from fingerpost.testbench.benches.stimulus import Flit, Packet, Scoreboard, Stimulus, Way
from fingerpost.testbench.packing import Columns, pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import link_fields

OFTEN = 16
"""Cycles between two looks at the counts of errors."""

DRAIN = 400
"""Cycles in which the router must empty itself once nothing comes in."""


EMPTY = 100
"""Cycles in which it must empty itself after credit violations."""


@dataclass
class Sender:
    """A channel of an input: the packet being sent on it, and the credits left."""

    credits: int
    packet: Packet | None = None
    sent: int = 0


@dataclass
class Pieces:
    """Takes the place of a scoreboard where flits are lost: heads and tails alternate."""

    inside: set[Way] = field(default_factory=set)

    def leave(self, port: int, flit: Flit) -> str:
        """Take a flit that came out by `port`; return what is wrong with it."""
        way = port, flit.channel
        if flit.head == (way in self.inside):
            return f"port, channel {way}: a packet begins in another, or has no head"
        (self.inside.discard if flit.tail else self.inside.add)(way)
        return ""


class Bench:
    """The bench's side of all ports of the router."""

    def __init__(self, dut: Any, network: Network, node: int, seed: int) -> None:
        self.dut, self.network, self.node = dut, network, node
        self.rng = random.Random(seed)
        self.stimulus = Stimulus(network, node, self.rng)
        self.board = Scoreboard(network.routing.header.width)
        self.taker: Scoreboard | Pieces = self.board
        self.fields = link_fields(network)
        local, node_type = network.topology.local, network.topology.node_type[node]
        self.ports = local + 1

        def ways(ports: tuple[int, ...]) -> list[Way]:
            """Return the channels of some links, and of the terminal if there is one."""
            links = itertools.product(ports, range(network.virtual_channels))
            classes = range(network.classes if node_type.terminal else 0)
            return [*links, *((local, c) for c in classes)]

        self.depth: dict[Way, int] = {
            way: network.terminal_depth if way[0] == local else network.buffer_depth
            for way in ways(node_type.inputs)
            if self.stimulus.cases[way[0]]
        }
        self.senders = {way: Sender(depth) for way, depth in self.depth.items()}
        # The far ends of the outputs: places left, and the cycles in which credits go back.
        self.room = dict.fromkeys(ways(node_type.outputs), network.buffer_depth)
        self.owed: dict[Way, list[int]] = {way: [] for way in self.room}
        self.errors = self.cycle = self.sent = self.overruns = 0
        # The errors sent before each of the last cycles: some are not counted yet.
        # Cycles after which the error of a flit is counted at the latest.
        late = network.hop_cycles + 1 + network.routing.header_cycles
        self.before = deque([0], maxlen=late)
        self.per_port = [0] * self.ports
        self.falling, self.settled = FallingEdge(dut.clk), ReadOnly()

    async def reset(self) -> None:
        """Drive every input and pass three cycles in reset."""
        self.dut.straps.value, self.dut.increments.value = node_straps(self.network, self.node)
        self.dut.rst.value, self.dut.sent.value = 1, 0
        Clock(self.dut.clk, 2, "ns").start()
        for _ in range(3):
            await self.falling
        self.dut.rst.value = 0

    def begin(self, way: Way, length: int, *, wanted: int | None = None, odd: float = 0.1) -> None:
        """Put a new packet on a way."""
        sender = self.senders[way]
        sender.packet = self.stimulus.packet(*way, length, wanted=wanted, odd=odd)
        sender.sent = 0

    def flit(self, way: Way) -> Flit:
        """Send the next flit of the packet on a way."""
        sender = self.senders[way]
        packet, index = sender.packet, sender.sent
        assert packet is not None
        if index == 0:
            self.board.enter(packet)
        sender.credits -= 1
        sender.sent += 1
        self.errors += packet.is_error(index)
        if sender.sent == len(packet.data):
            sender.packet = None
            if not packet.ways:
                del self.board.inside[packet.number]
        return packet.flit(index)

    async def overrun(self) -> str:
        """Let the terminal ignore credits while outputs have none; return what is wrong then.

        What does not enter is counted, and of what enters packets are whole: each flit gives one
        credit back, also the tails that the router makes.
        """
        local, packets = self.ports - 1, self.stimulus.cases[self.ports - 1]
        way, good = (local, 0), [case.port for case in packets if not case.error]
        if way not in self.senders or not good:
            return ""
        lanes = int(self.network.lanes.count[0])
        number = ((2 + lanes) * self.depth[way] + 14) // 3
        several = [self.stimulus.packet(*way, 3, wanted=good[0], odd=0) for _ in range(number)]
        flits = deque(packet.flit(i) for packet in several for i in range(3))
        sent, stop, sender = len(flits), self.cycle + len(flits), self.senders[way]
        self.taker = pieces = Pieces()
        sender.credits = -sent
        message = ""
        while not message and self.cycle < stop + EMPTY:
            message = await self.run(
                lambda port: flits.popleft() if port == local and flits else None,
                lambda: max(2, stop - self.cycle),
            )
        self.overruns = read(self.dut.overruns) or 0
        made = sender.credits + self.overruns  # tails: credits less flits that entered
        if not message and not (self.overruns and 0 <= made <= number and not pieces.inside):
            message = f"{sent} flits without credits: {self.overruns} overruns, {made} tails made"
        self.taker, sender.credits = self.board, self.depth[way]
        return message

    async def run(self, choose: Callable[[int], Flit | None], delay: Callable[[], int]) -> str:
        """Pass one cycle: send what `choose(port)` gives, take what comes, return what is wrong.

        `delay()` is the number of cycles after which a credit goes back.
        """
        self.dut.sent.value = pack(self.fields, self._send(choose))
        await self.settled
        value = read(self.dut.received)
        if value is None:
            return f"cycle {self.cycle}: undefined bits"
        seen = unpack(self.fields, self.ports, value)
        wrong = ""
        for port in range(self.ports):
            row = {name: int(column[port]) for name, column in seen.items()}
            wrong = wrong or self._credits(port, row) or self._take(port, row, delay)
        self.before.append(self.errors)
        if self.cycle % OFTEN == 0:
            wrong = wrong or self._counts()
        self.cycle += 1
        await self.falling
        return wrong and f"cycle {self.cycle - 1}, node {self.node}: {wrong}"

    def _send(self, choose: Callable[[int], Flit | None]) -> Columns:
        """Return what the bench drives in this cycle: flits, and the credits that are due."""
        columns = {name: np.zeros(self.ports, np.int64) for name, _ in self.fields}
        for port in range(self.ports):
            flit = choose(port)
            if flit is not None:
                columns["valid"][port] = 1 << flit.channel
                for name in ("head", "tail", "data"):
                    columns[name][port] = getattr(flit, name)
                self.sent += 1
        for (port, channel), due in self.owed.items():
            if due and due[0] <= self.cycle:
                heappop(due)
                columns["credit"][port] |= 1 << channel
                self.room[port, channel] += 1
        return columns

    def _credits(self, port: int, row: dict[str, int]) -> str:
        """Count the credits that an input gives back; return what is wrong with them."""
        wrong = ""
        for channel in range(self.network.virtual_channels):
            way = (port, channel)
            if row["credit"] >> channel & 1 and way in self.senders:
                self.senders[way].credits += 1
                if self.senders[way].credits > self.depth[way]:
                    wrong = wrong or f"port {port} gives a credit of channel {channel} too many"
        return wrong

    def _take(self, port: int, row: dict[str, int], delay: Callable[[], int]) -> str:
        """Take the flit that an output sends, if any; return what is wrong with it."""
        valid = row["valid"]
        if not valid:
            return ""
        if valid & (valid - 1):
            return f"port {port} sends on several channels at once: {valid:#b}"
        flit = Flit(valid.bit_length() - 1, bool(row["head"]), bool(row["tail"]), row["data"])
        way = (port, flit.channel)
        if way not in self.room:
            return f"port, channel {way}: a flit comes where there is no link"
        self.per_port[port] += 1
        self.room[way] -= 1
        if self.room[way] < 0:
            return f"port, channel {way}: a flit comes without a credit"
        heappush(self.owed[way], self.cycle + delay())
        return self.taker.leave(port, flit)

    def _counts(self) -> str:
        """Return what is wrong with the count of errors in the middle of traffic."""
        least, most = (min(ERRORS.most, x) for x in (self.before[0], self.before[-1]))
        seen = read(self.dut.errors)
        if seen is not None and least <= seen <= most:
            return ""
        return f"expected {least} to {most} errors, seen {seen}"

    def unfinished(self) -> str:
        """Return what is wrong after everything should have come out."""
        if self.board.inside:
            return f"packet {min(self.board.inside)} does not come out"
        for way, sender in self.senders.items():
            if sender.credits != self.depth[way]:
                return f"port, channel {way} has not given back all credits"
        overruns = read(self.dut.overruns)
        if overruns != self.overruns:
            return f"expected {self.overruns} overruns, seen {overruns}"
        expected, seen = min(ERRORS.most, self.errors), read(self.dut.errors)
        return "" if seen == expected else f"expected {expected} errors, seen {seen}"


@cocotb.test()
async def accounts_for_every_flit(dut: Any) -> None:
    """Random packets on all channels, random idling, credits given back at random times."""
    given = parameters()
    network = build(given["description"])
    bench = Bench(dut, network, given["seed"] % network.topology.nodes, given["seed"])
    rng, cycles = bench.rng, given["cycles"]
    await bench.reset()
    message = await bench.overrun()
    cycles += bench.cycle
    idle, patience, slow = 0.0, 1, 4 * network.buffer_depth  # such that credits run out

    def choose(port: int) -> Flit | None:
        if rng.random() < idle:
            return None
        ready = [way for way, sender in bench.senders.items() if way[0] == port and sender.credits]
        for way in rng.sample(ready, len(ready)):
            if bench.senders[way].packet is None and bench.cycle < cycles:
                bench.begin(way, rng.choice((1, 1, 2, 3, 8)))
            if bench.senders[way].packet is not None:
                return bench.flit(way)
        return None

    def delay() -> int:
        return 2 + rng.randrange(patience)

    while not message and bench.cycle < cycles + DRAIN:
        if bench.cycle % 250 == 0:  # now and then another mood
            idle, patience = rng.choice((0, 0.3, 0.9)), rng.choice((1, 2, slow))
        if bench.cycle >= cycles:
            idle, patience = 0.0, 1
        if bench.cycle % 64 == 0:
            tick(bench.cycle, cycles)
        message = await bench.run(choose, delay)
    message = message or bench.unfinished()
    report(
        cycles=bench.cycle,
        mismatches=int(bool(message)),
        message=message,
        flits=bench.sent,
        delivered=bench.board.came,
        errors=bench.errors,
    )
    assert not message, message


@cocotb.test()
async def runs_at_full_rate(dut: Any) -> None:
    """All ports stream at once on one channel each, to outputs that differ: no idle cycle."""
    given = parameters()
    network = build(given["description"])
    bench = Bench(dut, network, given["seed"] % network.topology.nodes, given["seed"])
    ports, cases = range(bench.ports), bench.stimulus.cases
    outs = [{case.port for case in cases[port] if not case.error} for port in ports]

    def busy(goal: tuple[int, ...]) -> list[int]:
        return [port for port in ports if goal[port] in outs[port]]

    goals = max(itertools.permutations(ports), key=lambda goal: len(busy(goal)))
    streams = busy(goals)
    await bench.reset()

    def choose(port: int) -> Flit | None:
        if port not in streams or not bench.senders[port, 0].credits:
            return None
        sender = bench.senders[port, 0]
        if sender.packet is None:
            bench.begin((port, 0), 1 + bench.cycle % 3, wanted=goals[port], odd=0)
        return bench.flit((port, 0))

    message, cycles = "", 300
    while not message and bench.cycle < cycles:
        message = await bench.run(choose, lambda: 2)  # as fast as another router
    started = network.hop_cycles + network.routing.header_cycles  # until the first flit is out
    slow = [goals[port] for port in streams if bench.per_port[goals[port]] < cycles - started]
    if not message and slow and network.buffer_depth >= network.pipeline.full_rate_depth:
        message = f"port {slow[0]} sends {bench.per_port[slow[0]]} flits in {cycles} cycles"
    if not message and read(dut.overruns):
        message = f"expected 0 overruns, seen {read(dut.overruns)}"
    if message:
        report(cycles=bench.cycle, mismatches=1, message=message)
    assert not message, message
