"""A peer at an OS-Link, from the rules of the wires alone: it counts bit times and uses no port.

As a transputer does it sends a byte when the one before has been acknowledged, and acknowledges one
that its program takes; or, if the program waits for it, as soon as its second bit is there.
"""

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import Event, RisingEdge, Timer

__all__ = ["LinkPeer"]


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
