"""Messages between peers at the OS-Links of a network: what is sent, and what is due.

Peers follow the rules of the wires alone: they count bit times and use no port. As a transputer
does, a peer sends a byte when the one before has been acknowledged, and acknowledges one that its
program takes; or, if the program waits for it, as soon as its second bit is there.
"""

import random
from collections import deque
from collections.abc import Mapping
from typing import Any

import cocotb
from cocotb.triggers import Event, RisingEdge, Timer

from fingerpost.golden.network.network import Network
from fingerpost.testbench.benches.exchange import Exchange, counted
from fingerpost.testbench.runner import tick

PERIOD = 1000
"""Nanoseconds of a clock; only ratios matter."""


class LinkPeer:
    """What is at the other end of two wires.

    Parameters
    ----------
    hears, says : handles
        The wire to the peer and the wire from it.
    bit : int
        Its own bit time, in nanoseconds.
    rng : Random
    late : bool
        It acknowledges no byte before its end.
    pause : float
        The chance that its program is not there when a byte comes, or has the next one not ready.

    Attributes
    ----------
    received : list of bytes as numbers
        What its program has taken.
    deaf : bool
        Its program takes nothing.
    pace : float
        Bit times for which it rests after each byte.
    faults : list of str
        What no port may do on a wire.
    """

    def __init__(
        self, hears: Any, says: Any, *, bit: int, rng: random.Random, late: bool, pause: float
    ) -> None:
        self.hears, self.says, self.bit, self.rng = hears, says, bit, rng
        self.late, self.pause = late, pause
        self.received: list[int] = []
        self.deaf, self.pace = False, 0.0
        self._cut = False
        self.faults: list[str] = []
        self._bytes: deque[int] = deque()
        self._owed = 0  # acknowledges
        self._unacknowledged = False
        self._resting = False
        self._wake, self._listen = Event(), Event()
        says.value = 0

    def start(self) -> None:
        """Begin; the other end must have left its reset."""
        cocotb.start_soon(self._hear())
        cocotb.start_soon(self._speak())

    def send(self, data: bytes) -> None:
        """Send bytes after those that are still to be sent."""
        self._bytes += data
        self._wake.set()

    def cut(self) -> None:
        """Have both wires cut: they read low, and what is still to be sent is forgotten."""
        self._cut, self._unacknowledged = True, False
        self._bytes.clear()
        self.says.value = 0

    def acknowledge(self) -> None:
        """Send an acknowledge, owed or not."""
        self._owed += 1
        self._wake.set()

    def listen(self) -> None:
        """Let the program take bytes again."""
        self.deaf = False
        self._listen.set()

    @property
    def quiet(self) -> bool:
        """Return whether all has been sent, and acknowledged."""
        return not self._bytes and not self._unacknowledged

    async def _hear(self) -> None:
        """Take packets off the wire: a start bit, and then bits in their middles."""
        while True:
            await RisingEdge(self.hears)
            if self._cut:
                continue
            await self._wait(1.5)
            if not self._level():
                self._acknowledged()
                continue
            waits = not (self.deaf or self.late or self.rng.random() < self.pause)
            if waits:
                self.acknowledge()
            byte = 0
            for place in range(8):
                await self._wait(1)
                byte |= self._level() << place
            await self._wait(1)
            if self._level():
                self.faults.append(f"byte {byte:#x} has no stop bit")
            cocotb.start_soon(self._take(byte, acknowledged=waits))

    def _level(self) -> int:
        """Return what is on the wire; what is undefined is no level."""
        try:
            return int(self.hears.value)
        except ValueError:
            self.faults.append("the wire is undefined")
            return 0

    def _acknowledged(self) -> None:
        if not self._unacknowledged:
            self.faults.append("an acknowledge without an outstanding byte")
        self._unacknowledged = False
        pause = self.rng.uniform(1, 30) if self.rng.random() < self.pause else 0
        if pause + self.pace:
            self._resting = True
            cocotb.start_soon(self._rest(pause + self.pace))
        self._wake.set()

    async def _rest(self, bits: float) -> None:
        await self._wait(bits)
        self._resting = False
        self._wake.set()

    async def _take(self, byte: int, *, acknowledged: bool) -> None:
        """Give the program a byte, when it is there for it."""
        if not acknowledged:
            while self.deaf:
                self._listen.clear()
                await self._listen.wait()
            if self.rng.random() < self.pause:
                await self._wait(self.rng.uniform(1, 30))
        self.received.append(byte)
        if not acknowledged:
            self.acknowledge()

    async def _speak(self) -> None:
        """Send acknowledges and bytes, the former first, none into another."""
        while True:
            if self._owed:
                self._owed -= 1
                await self._packet(1, 0)
            elif self._bytes and not self._unacknowledged and not self._resting:
                byte = self._bytes.popleft()
                self._unacknowledged = True
                await self._packet(1, 1, *(byte >> place & 1 for place in range(8)), 0)
            else:
                self._wake.clear()
                await self._wake.wait()

    async def _packet(self, *levels: int) -> None:
        for level in levels:
            self.says.value = 0 if self._cut else level
            await self._wait(1)

    async def _wait(self, bits: float) -> None:
        await Timer(max(1, round(bits * self.bit)), "ns")


def word(number: int) -> bytes:
    """Return two bytes, the lower first."""
    return bytes([number & 0xFF, number >> 8])


class Messages(Exchange):
    """The peers, all that they send, and what is wrong with what comes.

    Attributes
    ----------
    bad : list of (source, node, data)
        Messages that came with a status.
    """

    def __init__(self, dut: Any, network: Network, given: dict[str, Any]) -> None:
        super().__init__(network.topology.terminals.tolist(), in_order=network.in_order)
        self.dut, self.network, self.given = dut, network, given
        self.rng = random.Random(given["seed"])
        self.clocks = network.terminal.describe()["clocks_per_bit"]
        self.bit = PERIOD * self.clocks
        self.bad: list[tuple[int, int, bytes]] = []
        self.peers = {node: self._peer(node) for node in self.terminals}

    def _peer(self, node: int) -> LinkPeer:
        off = self.rng.choice([-1, 1, self.rng.uniform(-1, 1)]) * self.given["offset"]
        return LinkPeer(
            getattr(self.dut, f"link_out_{node}"),
            getattr(self.dut, f"link_in_{node}"),
            bit=round(self.bit * (1 + off)),
            rng=random.Random(self.rng.random()),
            late=self.rng.random() < self.given["late"],
            pause=self.given["pause"],
        )

    def say(self, source: int, to: int, data: bytes | None = None) -> None:
        """Let a terminal send a message; it is due if its destination has a terminal."""
        content = self.rng.randbytes(self.rng.randint(0, self.given["most"]))
        content = content if data is None else data
        self.peers[source].send(word(to) + word(len(content)) + content)
        if len(content) > self.network.terminal.describe()["longest"]:
            self.refused += 1
        else:
            self.send(source, to, content)

    def take(self) -> int:
        """Take the messages that are complete; return how many are good."""
        before = self.delivered
        for node, peer in self.peers.items():
            said = peer.received
            while len(said) >= 5 and len(said) >= 5 + said[2] + 256 * said[3]:
                source, length = said[0] + 256 * said[1], said[2] + 256 * said[3]
                data, status = bytes(said[4 : 4 + length]), said[4 + length]
                del said[: 5 + length]
                if status:
                    self.bad.append((source, node, data))
                    self.expect(status == 1, f"node {node}: a status of {status}")
                else:
                    self.arrive(source, node, data)
            if peer.faults:
                self.wrong(f"node {node}: {peer.faults[0]}")
        return self.delivered - before

    async def settle(self, *, but: int = -1) -> None:
        """Wait until all that is due has come, but to one node, and all has been sent."""
        quiet = 0
        while not self.message:
            await Timer(100 * self.bit, "ns")
            quiet = 0 if self.take() else quiet + 1
            tick(self.delivered, self.packets)
            missing = sum(len(due) for (_, to, _), due in self.due.items() if to != but)
            if not missing and all(peer.quiet for peer in self.peers.values()):
                return
            if quiet == 10 * self.given["patience"]:
                self.wrong(f"{missing} messages do not come out")

    async def rest(self, bits: int) -> None:
        """Wait for some bit times."""
        await Timer(bits * self.bit, "ns")
        self.take()

    def counted(self, name: str) -> list[int]:
        """Return a counter of every terminal, or of its node."""
        every = counted(self.dut, name, self.network)
        numbers = self.network.topology.terminal_numbers
        return [every[terminal * len(every) // numbers] for terminal in self.terminals]

    def count(self, name: str, due: Mapping[int, int] | None = None) -> None:
        """See to it that a counter is 0 but at some places among the terminals."""
        counts = [(due or {}).get(place, 0) for place in range(len(self.terminals))]
        seen = self.counted(name)
        self.expect(seen == counts, f"{name} is {seen}, not {counts}")
