"""Mailboxes under the AXI4-Lite managers of cocotbext-axi: what was sent is what is read."""

import random
from collections import Counter
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.constants import AxiResp

from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.terminal.mailbox import MISUSES, RECEIVED, ROOM, SEND
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from fingerpost.testbench.benches.exchange import Clocks, Exchange, counted
from fingerpost.testbench.runner import finish, parameters, tick

ERRORS = "refused", "expired", "errors", "overruns"
"""Counters of what does not happen here."""

MOST_NODES = 1 << SEND["destination"].width


def head(to: int, length: int) -> int:
    """Return what begins a packet."""
    return int(SEND.join(destination=to, length=length))


class Memory:
    """A memory beside a mailbox, now and then busy.

    Of class c the ring to send has descriptors from word 32 c on, its packet is at 128 + 32 c; the
    ring to receive, and its buffer, are 16 words further.
    """

    def __init__(self, dut: Any, node: int, words: int, clock: Any) -> None:
        names = "request", "write", "address", "wdata", "ready", "rdata"
        self.ports = {name: getattr(dut, f"mem_{node}_{name}") for name in names}
        self.words, self.clock, self.rng = [0] * words, clock, random.Random(node)
        self.ports["ready"].value = self.ports["rdata"].value = 0

    async def run(self) -> None:
        """Serve the mailbox."""
        ports, ready = self.ports, False
        while True:
            await RisingEdge(self.clock)
            if ready and int(ports["request"].value):
                address = int(ports["address"].value)
                if int(ports["write"].value):
                    self.words[address] = int(ports["wdata"].value)
                else:
                    ports["rdata"].value = self.words[address]
            ready = self.rng.random() < 0.7
            ports["ready"].value = ready


class Software:
    """A program at a terminal: it sends, receives and now and then does something wrong."""

    def __init__(
        self,
        dut: Any,
        network: AnyNetwork,
        exchange: Exchange,
        node: int,
        given: dict[str, Any],
        clock: tuple[Any, Any],
    ) -> None:
        self.network, self.exchange, self.node = network, exchange, node
        self.rng = random.Random(given["seed"] * MOST_NODES + node)
        self.misuse, self.rounds = given["misuse"], given["rounds"]
        self.limit: int = network.terminal.describe()["packet_limit"]
        self.at = {(each.name, c): at for each, c, at in mailbox_map(network).places()}
        bus = AxiLiteBus.from_prefix(dut, f"s_axil_{node}")
        self.manager = AxiLiteMaster(bus, *clock)
        self.wrong: Counter[str] = Counter()
        self.got = 0
        words = network.terminal.describe().get("memory_words")
        self.memory = Memory(dut, node, words, clock[0]) if words else None

    async def read(self, name: str, c: int = 0) -> tuple[int, bool]:
        """Return what a register reads as, and whether that is refused."""
        answer = await self.manager.read(self.at[name, c], 4)
        return int.from_bytes(answer.data, "little"), answer.resp != AxiResp.OKAY

    async def write(self, name: str, value: int, c: int = 0) -> bool:
        """Write to a register; return whether that is refused."""
        answer = await self.manager.write(self.at[name, c], value.to_bytes(4, "little"))
        refused: bool = answer.resp != AxiResp.OKAY
        return refused

    async def refused(self, what: str, name: str, value: int, c: int) -> None:
        """Do something wrong, and see it refused."""
        self.wrong[what] += 1
        self.expect(await self.write(name, value, c), f"{what} is not refused")

    def expect(self, good: bool, otherwise: str) -> None:
        """Remember what is wrong at this node first."""
        self.exchange.expect(good, f"node {self.node}: {otherwise}")

    async def misuse_begin(self, to: int, c: int) -> None:
        """Do one thing that is wrong while no packet is begun."""
        numbers = self.network.topology.terminal_numbers * self.network.terminal.endpoints
        strangers = [MOST_NODES - 1, numbers]
        match self.rng.randrange(5):
            case 0:
                length = self.rng.choice([0, self.limit + 1])
                await self.refused("length", "send", head(to, length), c)
            case 1:
                other = self.rng.choice(strangers)
                await self.refused("destination", "send", head(other, 1), c)
            case 2:
                await self.refused("surplus", "send_data", 1, c)
            case 3:
                answer = await self.manager.write(self.at["threshold", c], b"\1")
                self.wrong["partial"] += 1
                self.expect(answer.resp != AxiResp.OKAY, "a byte is written")
            case _:
                if await self.write("send", head(to, self.limit), c):
                    self.wrong["full"] += 1
                    return
                await self.write("send_data", 0xDEAD, c)
                await self.refused("unfinished", "send", head(to, self.limit), c)
                self.wrong["aborted"] += 1
                await self.write("control", 1, c)

    async def send(self, to: int, c: int) -> None:
        """Send a packet of any length."""
        length = self.rng.choice([1, self.limit, self.rng.randint(1, self.limit)])
        words = [self.rng.getrandbits(32) for _ in range(length)]
        while ROOM.cut("free", (await self.read("room", c))[0]) <= length:
            await self.receive()
        if self.rng.random() < self.misuse:
            await self.misuse_begin(to, c)
        self.exchange.send(self.node, to, words, c)
        self.expect(not await self.write("send", head(to, length), c), "a packet is refused")
        for word in words:
            await self.write("send_data", word, c)

    async def receive(self) -> None:
        """Take a packet of each class if there is one."""
        for c in range(self.network.classes):
            await self._receive(c)

    async def _receive(self, c: int) -> None:
        packet, _ = await self.read("receive", c)
        if not RECEIVED.cut("valid", packet):
            return
        words = []
        for _ in range(RECEIVED.cut("length", packet)):
            word, refused = await self.read("receive_data", c)
            words.append(word)
            self.expect(not refused, "a word is missing")
        self.got += 1
        self.exchange.arrive(int(RECEIVED.cut("source", packet)), self.node, words, c)

    async def run(self) -> None:
        """Read what is empty; then exchange packets with all others: no one ceases to receive."""
        self.expect((await self.read("node"))[0] == self.node, "its mailbox tells another number")
        classes = range(self.network.classes)
        for c in classes:  # before any packet can have come
            self.expect((await self.read("receive_data", c))[1], "a word is made up")
            self.wrong["empty"] += 1
        numbers = self.network.terminal.numbers(self.network.topology.terminals)
        others = [to for to in numbers if to != self.node]
        due = [(to, c) for to in others for c in classes] * self.rounds
        self.rng.shuffle(due)
        for to, c in due:
            await self.send(to, c)
            await self.receive()
        while self.got < len(due):  # all send as many
            await self.receive()
        self.got = 0

    async def by_memory(self, before: int, to: int, c: int) -> None:
        """Send a packet from memory, and receive one there from the node before."""
        assert self.memory
        words, clock, limit = self.memory.words, self.memory.clock, self.limit
        own, other = (
            [node << 16 | c << 8 | i for i in range(limit)] for node in (self.node, before)
        )
        # What is in a buffer, to whom it goes; what the descriptor tells then, and what is there.
        ways = {"send": (own, to, to, own), "receive": ([0] * limit, 0, before, other)}
        places = {way: (32 * c + 16 * i, 128 + 32 * c + 16 * i) for i, way in enumerate(ways)}
        for way, (packet, destination, _, _) in ways.items():
            ring, buffer = places[way]
            words[ring : ring + 2] = [4 * buffer, head(destination, limit)]
            words[buffer : buffer + limit] = packet
            self.expect(not await self.write(f"{way}_ring", 4 * ring | 1, c), f"no ring to {way}")
            await self.write(f"{way}_descriptors", 1, c)
        for way, (_, _, peer, packet) in ways.items():
            ring, buffer = places[way]
            for _ in range(2000):
                if RECEIVED.cut("valid", words[ring + 1]):
                    break
                await ClockCycles(clock, 1)
            due = RECEIVED.join(source=peer, length=limit, error=0, valid=1)
            self.expect(words[ring + 1] == due, f"descriptor to {way}: {words[ring + 1]:#x}")
            self.expect(words[buffer : buffer + limit] == packet, f"other words to {way}")
            await self.write(f"{way}_ring", 0, c)

    async def account(self) -> None:
        """See to it that errors and misuses are as they should be."""
        errors, misuses = (await self.read("errors"))[0], (await self.read("misuses"))[0]
        told = {name for place, name in enumerate(MISUSES) if errors >> place & 1}
        due, total = {*+self.wrong}, self.wrong.total()
        self.expect(told == due, f"errors {sorted(told)}, expected {sorted(due)}")
        self.expect(misuses == total, f"{total} misuses, {misuses} counted")


async def run(dut: Any, exchange: Exchange, software: list[Software], patience: int) -> int:
    """Run all programs, and return the cycles that it takes."""
    running = [cocotb.start_soon(each.run()) for each in software]
    cycles = 0
    while cycles < patience and not exchange.message:
        await ClockCycles(dut.clk, 16)
        cycles += 16
        tick(exchange.delivered, exchange.packets)
        if all(task.done() for task in running):
            break
    exchange.expect(all(task.done() for task in running), "a program waits for ever")
    exchange.complete()
    memories = [each for each in software if each.memory and not exchange.message]
    for c in range(software[0].network.classes):
        turn = zip(memories[-1:] + memories, memories, memories[1:] + memories[:1], strict=False)
        running = [cocotb.start_soon(x.by_memory(a.node, b.node, c)) for a, x, b in turn]
        for task in running:
            await task
    for each in software:
        if not exchange.message:
            await each.account()
    return cycles


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send packets between all pairs; count what is read.

    Of mailboxes with clocks of their own, one is then reset alone, and all is done again.
    """
    given = parameters()
    network = build_any(given["description"])
    terminals = network.terminal.numbers(network.topology.terminals)
    exchange = Exchange(terminals, in_order=network.in_order)
    clocks = Clocks(dut, network, given["seed"])
    software = [
        Software(dut, network, exchange, node, given, clocks.of[node]) for node in terminals
    ]
    await clocks.start()
    for each in software:
        if each.memory:
            cocotb.start_soon(each.memory.run())
    cycles = await run(dut, exchange, software, given["patience"])
    if clocks.own and not exchange.message:
        await clocks.reset(clocks.of[software[-1].node])
        software[-1].wrong.clear()
        cycles += await run(dut, exchange, software, given["patience"])
    for name in {each.name for each in network.node_counters} & {*ERRORS}:
        counts = counted(dut, name, network)
        exchange.expect(not any(counts), f"{name} is not 0")
    misuses = sum(each.wrong.total() for each in software)
    finish(exchange.message, cycles=cycles, **exchange.counts(), misuses=misuses)
