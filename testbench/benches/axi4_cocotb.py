"""AXI4 managers and memories of cocotbext-axi at every terminal: what was written is what is read.

A manager has a part of every memory to itself, so that what it reads follows from what it wrote.
The addresses of a burst are worked out here, and by the memories of cocotbext-axi again.
"""

import random
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice, repeat
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, Event
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteRam, AxiRam, axi_channels, axil_channels

from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.terminal.memory_map import PAGE
from fingerpost.golden.terminal.transaction import (
    DECERR,
    FIXED,
    INCR,
    LONGEST_BURST,
    OKAY,
    SLVERR,
    WRAP,
)
from fingerpost.hdl.terminal.axi4 import sides
from fingerpost.testbench.benches.exchange import Clocks, chance
from fingerpost.testbench.runner import finish, parameters, tick

MEMORY = 1 << 16
"""Bytes of the memory at a subordinate side; it sees the lowest bits of addresses."""


@dataclass
class Burst:
    """A transaction: its address channel, and what is expected of it."""

    write: bool
    id: int
    address: int
    length: int
    size: int
    kind: int
    node: int | None
    data: list[dict[int, int]] = field(default_factory=list)
    """Of each beat the bytes by their addresses."""

    def beats(self) -> Iterator[range]:
        """Yield the addresses of the bytes of each beat."""
        width = 1 << self.size
        aligned, span = self.address // width * width, width * self.length
        for i in range(self.length):
            if self.kind == FIXED or i == 0:
                yield range(self.address, aligned + width)
            elif self.kind == INCR:
                yield range(aligned + i * width, aligned + (i + 1) * width)
            else:
                low = self.address // span * span
                at = low + (self.address - low + i * width) % span
                yield range(at, at + width)

    def place(self, address: int) -> tuple[int, int]:
        """Return the memory in which a byte is, by its node, and where there."""
        assert self.node is not None
        return self.node, address % MEMORY

    @property
    def touched(self) -> set[tuple[int, int]]:
        """Return the places of all its bytes."""
        return {self.place(address) for beat in self.beats() for address in beat}


MANAGERS: dict[str, dict[str, int]] = {"deaf": {"b": 0, "r": 0}, "halt": {"w": 40}}
MEMORIES: dict[str, dict[str, int]] = {
    "mute": {"b": 0, "r": 0}, "shut": {"aw": 0, "ar": 0, "w": 0}, "errs": {}
}  # fmt: skip
"""How they misbehave: channels that they leave for ever, and from which cycle on."""


def stalls(rng: random.Random, given: dict[str, Any], leaves: int | None) -> Iterator[bool] | None:
    """Return in which cycles a channel stalls, which it `leaves` for ever at last; None: never."""
    some = chance(rng, given["pause"])
    if leaves is not None:
        return chain(islice(some, leaves), repeat(True))
    return some if given["pause"] else None


async def refuse(*access: Any) -> bytes:
    """Read or write nothing.

    Raises
    ------
    OSError
        Always.
    """
    raise OSError(access)


class Manager:
    """A manager with transactions in flight, and what its parts of the memories hold."""

    def __init__(
        self,
        dut: Any,
        network: AnyNetwork,
        node: int,
        given: dict[str, Any],
        clock: tuple[Any, Any],
        *,
        lite: bool,
        how: str = "",
    ) -> None:
        terminal = network.terminal
        assert isinstance(terminal, Axi4Terminal)
        self.terminal, self.node, self.lite, self.given = terminal, node, lite, given
        self.rng = random.Random(given["seed"] * 1000 + node)
        self.map = terminal.memory_map(network.topology)
        places = self.map.ranges()
        managers = terminal.nodes_of("managers", network.topology)
        # A manager's part of a memory, by its first address in the map, and the node.
        share = MEMORY >> (len(managers) - 1).bit_length()
        self.share = min(share, PAGE)
        self.parts = [
            (base + managers.index(node) * share, target)
            for base, size, target in places
            if size >= MEMORY
        ]
        self.hole = self._hole()
        self.held: dict[tuple[int, int], int] = {}
        self.busy: Counter[tuple[int, int]] = Counter()  # bytes that a transaction in flight has
        self.message, self.beats, self.done = "", 0, 0
        self.issued: dict[bool, deque[Burst]] = {True: deque(), False: deque()}
        self.finished = Event()
        kinds, prefix, bus_type = (
            (axil_channels, "AxiLite", AxiLiteBus) if lite else (axi_channels, "Axi", AxiBus)
        )
        self.kinds, self.prefix = kinds, prefix
        bus = bus_type.from_prefix(dut, f"s_axi{'l' * lite}_{node}")
        ends = {"aw": "Source", "w": "Source", "b": "Sink", "ar": "Source", "r": "Sink"}
        self.channels = {
            name: getattr(kinds, f"{prefix}{name.upper()}{end}")(
                getattr(bus.write if name in ("aw", "w", "b") else bus.read, name),
                *clock,
            )
            for name, end in ends.items()
        }
        for number, (name, channel) in enumerate(self.channels.items()):
            seed = random.Random(given["seed"] * 10_000 + 10 * node + number)
            channel.set_pause_generator(stalls(seed, given, MANAGERS.get(how, {}).get(name)))

    def _hole(self) -> int:
        """Return an address that no node has."""
        while True:
            address = self.rng.randrange(0, 1 << self.terminal.address_width, PAGE)
            if self.map.node(address) is None:
                return address

    def draw(self) -> Burst | None:
        """Return a transaction that touches no byte of another; None if chance finds none."""
        rng, most = self.rng, (self.terminal.data_width // 8).bit_length() - 1
        size = most if self.lite or rng.random() < 0.5 else rng.randint(0, most)
        kind = INCR if self.lite else rng.choice([INCR, INCR, INCR, FIXED, WRAP])
        width = 1 << size
        longest = min(LONGEST_BURST, self.share // width, self.given["longest"])
        length = 1 if self.lite else rng.randint(1, rng.choice([1, 4, 16, longest]))
        if kind == WRAP:
            length = rng.choice([2, 4, 8, 16])
        elif kind == FIXED:
            length = min(length, 16)
        write = rng.random() < self.given["writes"]
        base, node = rng.choice(self.parts)
        where = None if rng.random() < self.given["unmapped"] else node
        if where is None:
            base = self.hole
        offset = rng.randrange(self.share)
        if kind == WRAP or self.lite:
            offset = offset // width * width
        elif kind == INCR:
            offset = min(offset, self.share - width * length)
        if kind == INCR and where is not None and rng.random() < self.given["unmapped"]:
            # An INCR burst across 4 KB: refused, and so nothing is done.
            page = base // PAGE * PAGE
            found = Burst(write, 0, page + PAGE - width, max(2, length), size, INCR, None)
            if not self.lite:
                found.id = rng.randrange(1 << self.terminal.id_width)
                return found
        id = 0 if self.lite else rng.randrange(1 << self.terminal.id_width)
        found = Burst(write, id, base + offset, length, size, kind, where)
        if where is not None and any(self.busy[place] for place in found.touched):
            return None
        return found

    async def issue(self, burst: Burst) -> None:
        """Send a transaction."""
        if burst.node is not None:
            self.busy.update(burst.touched)
        self.issued[burst.write].append(burst)
        channel = "aw" if burst.write else "ar"
        kind = getattr(self.kinds, f"{self.prefix}{channel.upper()}Transaction")
        fields = {"addr": burst.address}
        if not self.lite:
            fields |= {"id": burst.id, "len": burst.length - 1, "size": burst.size}
            fields |= {"burst": burst.kind}
        if burst.write:
            self._write(burst)
        await self.channels[channel].send(kind(**{channel + x: y for x, y in fields.items()}))

    def _write(self, burst: Burst) -> None:
        """Draw the data of a write, and queue it."""
        lanes = self.terminal.data_width // 8
        kind = getattr(self.kinds, f"{self.prefix}WTransaction")
        for number, beat in enumerate(burst.beats()):
            given = {
                address: self.rng.randrange(256) for address in beat if self.rng.random() < 0.9
            }
            burst.data.append(given)
            strobe = sum(1 << address % lanes for address in given)
            data = sum(byte << address % lanes * 8 for address, byte in given.items())
            last = {} if self.lite else {"wlast": int(number == burst.length - 1)}
            self.channels["w"].send_nowait(kind(wdata=data, wstrb=strobe, **last))

    def expect(self, good: bool, otherwise: str) -> None:
        """Remember what is wrong at this manager first."""
        if not good and not self.message:
            self.message = f"node {self.node}: {otherwise}"

    def due(self, burst: Burst) -> int:
        """Return the response that a transaction must have."""
        if burst.node is None:
            return DECERR
        bad = self.given["misbehave"] in MEMORIES and burst.node == min(self.map.subordinates)
        return SLVERR if bad else OKAY

    async def writes(self) -> None:
        """Take responses of writes, which come in order."""
        while True:
            response = await self.channels["b"].recv()
            queue = self.issued[True]
            self.expect(bool(queue), "a response to no write")
            if not queue:
                continue
            burst = queue.popleft()
            due = self.due(burst)
            self.expect(int(response.bresp) == due, f"{burst}: bresp {int(response.bresp)}")
            if not self.lite:
                self.expect(int(response.bid) == burst.id, f"{burst}: bid {int(response.bid)}")
            if due == OKAY:
                for beat in burst.data:
                    self.held |= {burst.place(address): byte for address, byte in beat.items()}
            self._finish(burst)

    async def reads(self) -> None:
        """Take what is read, in order."""
        lanes = self.terminal.data_width // 8
        while True:
            first = await self.channels["r"].recv()
            queue = self.issued[False]
            self.expect(bool(queue), "a response to no read")
            if not queue:
                continue
            burst = queue[0]  # until all of it is there
            for number, addresses in enumerate(burst.beats()):
                beat = first if number == 0 else await self.channels["r"].recv()
                due = self.due(burst)
                self.expect(int(beat.rresp) == due, f"{burst}: rresp {int(beat.rresp)}")
                if not self.lite:
                    last = number == burst.length - 1
                    self.expect(int(beat.rid) == burst.id, f"{burst}: rid {int(beat.rid)}")
                    self.expect(int(beat.rlast) == last, f"{burst}: rlast of beat {number}")
                for address in addresses if due == OKAY else ():
                    byte = int(beat.rdata) >> address % lanes * 8 & 0xFF
                    held = self.held.get(burst.place(address), 0)
                    self.expect(byte == held, f"{burst}: {byte:#x} at {address:#x}, not {held:#x}")
            queue.popleft()
            self._finish(burst)

    def _finish(self, burst: Burst) -> None:
        if burst.node is not None:
            self.busy.subtract(burst.touched)
        self.beats += burst.length
        self.done += 1
        self.finished.set()

    async def run(self) -> None:
        """Issue transactions until there were enough; then wait for the last."""
        for task in (self.writes(), self.reads()):
            cocotb.start_soon(task)
        for _ in range(self.given["transactions"]):
            while (burst := self.draw()) is None:
                self.finished.clear()
                await self.finished.wait()
            await self.issue(burst)
            while sum(map(len, self.issued.values())) >= self.given["outstanding"]:
                self.finished.clear()
                await self.finished.wait()
        while any(self.issued.values()):
            self.finished.clear()
            await self.finished.wait()


def memory(
    dut: Any, node: int, given: dict[str, Any], clock: tuple[Any, Any], *, lite: bool, how: str
) -> Any:
    """Return the memory at a subordinate side; it stalls as managers do."""
    bus = (AxiLiteBus if lite else AxiBus).from_prefix(dut, f"m_axi{'l' * lite}_{node}")
    found = (AxiLiteRam if lite else AxiRam)(bus, *clock, size=MEMORY)
    ends = {"write_if": ("aw", "w", "b"), "read_if": ("ar", "r")}
    for side, names in ends.items():
        for name in names:
            rng = random.Random(f"{given['seed']} {node} {name}")
            channel = getattr(getattr(found, side), f"{name}_channel")
            channel.set_pause_generator(stalls(rng, given, MEMORIES.get(how, {}).get(name)))
        if how == "errs":
            interface = getattr(found, side)
            interface._write = interface._read = refuse
    return found


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Read and write at random from every manager to every subordinate."""
    given = parameters()
    network = build_any(given["description"])
    clocks = Clocks(dut, network, given["seed"])
    managers: list[Manager] = []
    memories: list[Any] = []
    for node, side in sides(network):
        if side.manager:
            how = given["misbehave"] if managers else ""  # all but the first
            managers.append(
                Manager(dut, network, node, given, clocks.of[node], lite=side.lite, how=how)
            )
        else:
            how = given["misbehave"] if not memories else ""  # the first
            memories.append(memory(dut, node, given, clocks.of[node], lite=side.lite, how=how))
    await clocks.start()
    running = [cocotb.start_soon(each.run()) for each in managers]
    if given["misbehave"] in MANAGERS:
        managers, running = managers[:1], running[:1]  # those of which responses are due
    cycles = quiet = done = 0
    message = ""
    while quiet < given["patience"] and not message:
        await ClockCycles(dut.clk, 16)
        cycles += 16
        now = sum(each.done for each in managers)
        quiet, done = (0 if now > done else quiet + 16), now
        tick(done, len(managers) * given["transactions"])
        message = next((each.message for each in managers if each.message), "")
        if all(task.done() for task in running):
            break
    if not message and not all(task.done() for task in running):
        message = "a transaction has no response"
    finish(
        message,
        cycles=cycles,
        transactions=done,
        beats=sum(each.beats for each in managers),
    )
