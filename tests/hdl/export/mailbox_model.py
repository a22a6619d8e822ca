"""What software sees of a mailbox, for the C driver: packets as lists, and no cycles.

Contracts prove the hardware (fingerpost.formal: mailbox_registers, mailbox_dma, mailbox); this is
written from the register map.
"""

import ctypes
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fingerpost.golden.terminal.mailbox import ENABLE, MISUSES, RECEIVED, RING, ROOM, SEND

STARTS = "send_ring", "receive_ring"
RINGS = "send_descriptors", "receive_descriptors"
"""Registers of the two rings of a message class."""


class Beat(NamedTuple):
    """A word of a packet that arrives."""

    data: int
    last: bool
    source: int
    error: bool = False


@dataclass
class Sender:
    """Packets of a message class that wait, and the words of one that was begun."""

    rows: int
    packets: deque[tuple[int, list[int]]] = field(default_factory=deque)
    begun: list[int] = field(default_factory=list)
    to: int = 0
    open: int = 0

    @property
    def free(self) -> int:
        """Return the rows that are free: a packet takes one more than it has words."""
        used = sum(1 + len(words) for _, words in self.packets)
        begun = 1 + len(self.begun) + self.open if self.open else 0
        return self.rows - used - begun

    def push(self, word: int) -> None:
        """Add a word to the packet that was begun."""
        self.begun.append(word)
        self.open -= 1
        if not self.open:
            self.packets.append((self.to, self.begun))
            self.begun = []


@dataclass
class Receiver:
    """Packets of a message class that have arrived; the first is told, and one may be arriving."""

    rows: int
    limit: int
    packets: deque[tuple[int, list[int]]] = field(default_factory=deque)
    arriving: list[int] = field(default_factory=list)
    inside: bool = False
    told: int = 0
    bad: int = 0

    @property
    def valid(self) -> bool:
        """Return whether there is a packet that is complete."""
        return bool(self.packets)

    @property
    def ready(self) -> bool:
        """Return whether a word can arrive: a packet begins with room for the longest."""
        used = sum(1 + len(words) for _, words in self.packets) - self.valid
        return self.inside or used <= self.rows - self.limit - 1

    def arrive(self, beat: Beat) -> None:
        """Take a word; those beyond the limit are dropped, and the packet is marked."""
        fits = len(self.arriving) < self.limit
        self.arriving += [beat.data] * fits
        self.inside = not beat.last
        if beat.last:
            wrong = beat.error or not fits
            self.bad += wrong
            told = RECEIVED.join(
                source=beat.source, length=len(self.arriving), error=int(wrong), valid=1
            )
            self.packets.append((int(told), self.arriving))
            self.arriving = []

    def take(self) -> int:
        """Remove a word."""
        word = self.packets[0][1].pop(0)
        if not self.packets[0][1]:
            self.packets.popleft()
        return word


@dataclass
class Ring:
    """A ring of descriptors, each a word with an address and one with what is to be moved."""

    enabled: bool = False
    base: int = 0
    head: int = 0
    tail: int = 0


class Mailbox:
    """The registers of a node.

    Parameters
    ----------
    classes, send_words, receive_words, packet_limit : int
    known : collection of int
        Nodes that have a terminal.
    descriptors : int
        Of a ring.
    memory : array of words, optional
        In which they are; without it there are no rings.
    """

    def __init__(
        self,
        *,
        classes: int,
        send_words: int,
        receive_words: int,
        packet_limit: int,
        known: Collection[int],
        descriptors: int,
        memory: ctypes.Array[ctypes.c_uint32] | None = None,
    ) -> None:
        self.known, self.limit = known, packet_limit
        self.descriptors = descriptors
        self.memory = (ctypes.c_uint32 * 0)() if memory is None else memory
        self.senders = [Sender(send_words) for _ in range(classes)]
        self.receivers = [Receiver(receive_words, packet_limit) for _ in range(classes)]
        self.rings = [Ring() for _ in range(2 * classes)]  # by message class: to send, to receive
        self.threshold = [0] * classes
        self.errors = self.misuses = self.enable = self.finished = 0
        self.job, self.busy = 0, False

    def _served(self, ring: int) -> bool:
        """Return whether a sender or a receiver belongs to a ring, and not to software."""
        return self.rings[ring].enabled or (self.busy and self.job == ring)

    def _valid(self, c: int) -> bool:
        return self.receivers[c].valid and not self._served(2 * c + 1)

    def _free(self, c: int) -> int:
        return 0 if self._served(2 * c) else self.senders[c].free

    @property
    def pending(self) -> int:
        """Return the reasons for an interrupt that are there, enabled or not."""
        classes = range(len(self.senders))
        room = sum((self._free(c) > self.threshold[c]) << c for c in classes)
        received = sum(self._valid(c) << c for c in classes)
        errors = int(self.errors != 0)
        found = ENABLE.join(received=received, room=room, errors=errors, finished=self.finished)
        return int(found)

    @property
    def irq(self) -> bool:
        """Return the interrupt."""
        return bool(self.pending & self.enable)

    def _wrong(self, *names: str) -> bool:
        """Count a misuse, if there is one."""
        for name in names:
            self.errors |= 1 << list(MISUSES).index(name)
        self.misuses += bool(names)
        return bool(names)

    def read(self, name: str, c: int) -> tuple[int, bool]:
        """Return what a register reads as, and whether that is refused; take what is read once."""
        sender, receiver, there = self.senders[c], self.receivers[c], self._valid(c)
        if name == "receive_data":
            return (0, self._wrong("empty")) if not there else (receiver.take(), False)
        if name in RINGS:
            number = 2 * c + RINGS.index(name)
            ring, busy = self.rings[number], self.busy and self.job == number
            flags = {"enabled": int(ring.enabled), "busy": int(busy)}
            return int(RING.join(tail=ring.tail, head=ring.head, **flags)), False
        told, words = receiver.packets[0] if there else (0, [])
        opened = 0 if self._served(2 * c) else sender.open
        values = {
            "errors": self.errors,
            "misuses": self.misuses,
            "enable": self.enable,
            "pending": self.pending,
            "finished": self.finished,
            "receive": told,
            "room": int(ROOM.join(free=self._free(c), open=opened)),
            "left": len(words),
            "threshold": self.threshold[c],
            "bad": receiver.bad,
        }
        return values.get(name, 0), False

    def write(self, name: str, c: int, word: int) -> bool:
        """Write a register; return whether that is refused."""
        sender, receiver = self.senders[c], self.receivers[c]
        match name:
            case "send" if self._served(2 * c):
                return self._wrong("full")
            case "send":
                if self._wrong(*self._misuses(sender, word)):
                    return True
                sender.to, sender.open = SEND.cut("destination", word), SEND.cut("length", word)
            case "send_data" if not sender.open or self._served(2 * c):
                return self._wrong("surplus")
            case "send_data":
                sender.push(word)
            case "control":
                if word & 2 and not self._valid(c):
                    return self._wrong("empty")
                if word & 1 and sender.open and not self._served(2 * c):
                    self._wrong("aborted")
                    sender.open, sender.begun = 0, []
                if word & 2:
                    receiver.packets.popleft()
            case "send_ring" | "receive_ring":
                return self._start(2 * c + STARTS.index(name), word)
            case "send_descriptors" | "receive_descriptors":
                return self._give(self.rings[2 * c + RINGS.index(name)], word)
            case "threshold":
                self.threshold[c] = word & 0xFFFF
            case "enable":
                self.enable = word & ((1 << ENABLE.width) - 1)
            case "errors":
                self.errors &= ~word
            case "finished":
                self.finished &= ~word
        return False

    def _misuses(self, sender: Sender, head: int) -> list[str]:
        """Return what is wrong with what is to begin a packet."""
        length = SEND.cut("length", head)
        found = ["length"] * (head >> SEND.width != 0 or not 0 < length <= self.limit)
        found += ["destination"] * (SEND.cut("destination", head) not in self.known)
        found += ["unfinished"] * (sender.open != 0)
        return found or ["full"] * (length >= sender.free)

    def _start(self, number: int, word: int) -> bool:
        """Begin or end a ring."""
        ring, size = self.rings[number], 8 * self.descriptors
        opened = number % 2 == 0 and self.senders[number // 2].open
        outside = word >= 4 * len(self.memory) or word % size != 1
        if word & 1 and (self._served(number) or opened or outside):
            return self._wrong("ring")
        self.rings[number] = Ring(True, word >> 2) if word & 1 else replace(ring, enabled=False)
        return False

    def _give(self, ring: Ring, word: int) -> bool:
        """Give descriptors."""
        turn = 2 * self.descriptors
        given, asked = (ring.tail - ring.head) % turn, (word - ring.head) % turn
        if not ring.enabled or not given <= asked <= self.descriptors:
            return self._wrong("ring")
        ring.tail = word % turn
        return False

    def serve(self) -> None:
        """Begin with a descriptor, or finish one; or go to the next ring."""
        c, ring, receives = self.job // 2, self.rings[self.job], self.job % 2
        if self.busy:
            self._finish(c, ring)
        elif ring.enabled and ring.head != ring.tail:
            able = self.receivers[c].valid if receives else self.senders[c].free > self.limit
            self.busy = able
        if not self.busy:
            self.job = (self.job + 1) % len(self.rings)

    def _finish(self, c: int, ring: Ring) -> None:
        """Move the packet of a descriptor, and say so in it."""
        sender, receiver = self.senders[c], self.receivers[c]
        place = ring.base + 2 * (ring.head % self.descriptors)
        address, header = self.memory[place], self.memory[place + 1]
        room, at = SEND.cut("length", header), address >> 2
        length = len(receiver.packets[0][1]) if self.job % 2 else room
        wrong = address % 4 != 0 or at + length > len(self.memory)
        if self.job % 2:
            wrong |= room < length
            status = 0 if wrong else receiver.packets[0][0]
            for i in range(0 if wrong else length):
                self.memory[at + i] = receiver.take()
        else:
            wrong |= bool(self._misuses(sender, header))
            status = header % (1 << SEND.width)
            if not wrong:
                sender.to, sender.open = SEND.cut("destination", header), length
                for i in range(length):
                    sender.push(self.memory[at + i])
        self.memory[place + 1] = status | int(RECEIVED.join(error=int(wrong), valid=1))
        ring.head = (ring.head + 1) % (2 * self.descriptors)
        self.finished |= 1 << c
        self.busy = False
