"""Mailboxes under the AXI4-Lite managers of cocotbext-axi: what was sent is what is read."""

import random
from collections import Counter, defaultdict, deque
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.constants import AxiResp

from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.terminal.mailbox import MISUSES, RECEIVED, ROOM, SEND
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from fingerpost.testbench.runner import parameters, report, tick

MOST_NODES = 1 << SEND["destination"].width


def head(to: int, length: int) -> int:
    """Return what begins a packet."""
    return int(SEND.join(destination=to, length=length))


class Software:
    """A program at a terminal: it sends, receives and now and then does something wrong."""

    def __init__(self, dut: Any, network: AnyNetwork, node: int, given: dict[str, Any]) -> None:
        self.dut, self.network, self.node = dut, network, node
        self.rng = random.Random(given["seed"] * MOST_NODES + node)
        self.misuse, self.rounds = given["misuse"], given["rounds"]
        self.limit: int = network.terminal.describe()["packet_limit"]
        self.at = {(each.name, c): at for each, c, at in mailbox_map(network).places()}
        bus = AxiLiteBus.from_prefix(dut, f"s_axil_{node}")
        self.manager = AxiLiteMaster(bus, dut.clk, dut.rst)
        self.wrong: Counter[str] = Counter()
        self.sent: dict[tuple[int, int], deque[list[int]]] = defaultdict(deque)
        self.got: dict[tuple[int, int], deque[list[int]]] = defaultdict(deque)
        self.message = ""

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
        if not await self.write(name, value, c):
            self.message = self.message or f"node {self.node}: {what} is not refused"

    async def misuse_begin(self, to: int, c: int) -> None:
        """Do one thing that is wrong while no packet is begun."""
        strangers = [MOST_NODES - 1, self.network.topology.nodes * self.network.terminal.endpoints]
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
                if answer.resp == AxiResp.OKAY:
                    self.message = self.message or f"node {self.node}: a byte is written"
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
        self.sent[to, c].append(words)
        if await self.write("send", SEND.join(destination=to, length=length), c):  # type: ignore[arg-type]
            self.message = self.message or f"node {self.node}: a packet with room is refused"
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
            if refused:
                self.message = self.message or f"node {self.node}: a word is missing"
        self.got[RECEIVED.cut("source", packet), c].append(words)

    async def run(self) -> None:
        """Read what is empty; then exchange packets with all others: no one ceases to receive."""
        if (await self.read("node"))[0] != self.node:
            self.message = f"node {self.node}: its mailbox tells another number"
        classes = range(self.network.classes)
        for c in classes:  # before any packet can have come
            if not (await self.read("receive_data", c))[1]:
                self.message = self.message or f"node {self.node}: a word is made up"
            self.wrong["empty"] += 1
        numbers = self.network.terminal.numbers(self.network.topology.terminals)
        others = [to for to in numbers if to != self.node]
        due = [(to, c) for to in others for c in classes] * self.rounds
        self.rng.shuffle(due)
        for to, c in due:
            await self.send(to, c)
            await self.receive()
        while sum(map(len, self.got.values())) < len(due):  # all send as many
            await self.receive()

    async def account(self) -> str:
        """Return what is wrong with errors and misuses."""
        errors, misuses = (await self.read("errors"))[0], (await self.read("misuses"))[0]
        told = {name for place, name in enumerate(MISUSES) if errors >> place & 1}
        if told != {name for name, count in self.wrong.items() if count}:
            return f"node {self.node}: errors {sorted(told)}, expected {sorted(+self.wrong)}"
        if misuses != self.wrong.total():
            return f"node {self.node}: {self.wrong.total()} misuses, {misuses} counted"
        return ""


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send packets between all pairs; count what is read."""
    given = parameters()
    network = build_any(given["description"])
    terminals = network.terminal.numbers(network.topology.terminals)
    dut.rst.value = 1
    software = {node: Software(dut, network, node, given) for node in terminals}
    await Timer(1, "ns")  # by then nothing that is driven is undefined
    Clock(dut.clk, 2, "ns").start()
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0

    running = [cocotb.start_soon(each.run()) for each in software.values()]
    expected = len(terminals) * (len(terminals) - 1) * network.classes * given["rounds"]
    cycles = 0
    while cycles < given["patience"] and not any(s.message for s in software.values()):
        await ClockCycles(dut.clk, 16)
        cycles += 16
        delivered = sum(len(packets) for s in software.values() for packets in s.got.values())
        tick(delivered, expected)
        if all(task.done() for task in running):
            break
    message = next((s.message for s in software.values() if s.message), "")
    delivered = sum(len(packets) for s in software.values() for packets in s.got.values())
    if not message and delivered != expected:
        message = f"{expected - delivered} packets do not come out"
    for source in terminals:
        for (to, c), packets in software[source].sent.items():
            got = software[to].got[source, c]
            same = got == packets if network.in_order else sorted(got) == sorted(packets)
            if not message and not same:
                message = f"node {to}: packets of {source} in class {c} are not as they were sent"
    for s in software.values():
        message = message or await s.account()
    for name in ("refused", "expired", "errors", "overruns"):
        if not message and hasattr(dut, name) and int(getattr(dut, name).value):
            message = f"{name} is not 0"
    report(
        cycles=cycles,
        mismatches=int(bool(message)),
        message=message,
        packets=expected,
        delivered=delivered,
        misuses=sum(s.wrong.total() for s in software.values()),
    )
    assert not message, message
