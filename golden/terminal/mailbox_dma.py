"""Between a memory and mailboxes, packets as descriptors say; the twin of hdl's MailboxDma."""

from collections.abc import Sequence
from typing import NamedTuple

from fingerpost.golden.terminal.mailbox_layout import RECEIVED, SEND
from fingerpost.golden.terminal.mailbox_receiver import MailboxReceiver
from fingerpost.golden.terminal.mailbox_sender import MailboxSender


class Request(NamedTuple):
    """An access to the memory, at a word."""

    address: int
    write: bool = False
    data: int = 0


class Moves(NamedTuple):
    """What is done to the sender or the receiver of a message class."""

    message_class: int = 0
    head: int | None = None
    word: int | None = None
    take: bool = False


class MailboxDma:
    """Serves rings of descriptors, one of them at a time; see hdl's MailboxDma.

    Ring 2 c is that of packets to send in message class c, ring 2 c + 1 that of buffers for those
    that arrive.

    Parameters
    ----------
    senders, receivers : sequence
        By message class.
    descriptors : int
        Of a ring.
    memory_words : int

    Attributes
    ----------
    enabled, serves : list of bool
        By ring: it is served; a sender or receiver is its own, until a cycle after that.
    head, tail : list of int
        By ring: descriptors that were served, and that were given, modulo 2 `descriptors`.
    """

    def __init__(
        self,
        senders: Sequence[MailboxSender],
        receivers: Sequence[MailboxReceiver],
        *,
        descriptors: int,
        memory_words: int,
    ) -> None:
        self.senders, self.receivers = senders, receivers
        self.descriptors, self.memory_words = descriptors, memory_words
        rings = 2 * len(senders)
        self.enabled, self.serves = [False] * rings, [False] * rings
        self.base, self.head, self.tail = [0] * rings, [0] * rings, [0] * rings
        self.job, self.state = 0, "idle"
        self.address = self.header = self.status = self.left = 0
        self.arrives = self.pushes = False

    def busy(self, ring: int) -> bool:
        """Return whether a descriptor of a ring is being served."""
        return self.state != "idle" and self.job == ring

    def wrong_ring(self, ring: int, value: int) -> bool:
        """Return whether a ring cannot be begun, or ended, with this value."""
        if not value & 1:
            return False
        size = 8 * self.descriptors
        opened = ring % 2 == 0 and self.senders[ring // 2].open != 0
        outside = value >= 4 * self.memory_words or value % size != 1
        return self.enabled[ring] or self.busy(ring) or opened or outside

    def wrong_tail(self, ring: int, value: int) -> bool:
        """Return whether a ring has no room for so many descriptors, or had more."""
        turn = 2 * self.descriptors
        given = (self.tail[ring] - self.head[ring]) % turn
        asked = (value - self.head[ring]) % turn
        return not self.enabled[ring] or not given <= asked <= self.descriptors

    @property
    def request(self) -> Request | None:
        """Return the access of this cycle."""
        ring = self.base[self.job] + 2 * (self.head[self.job] % self.descriptors)
        match self.state:
            case "address":
                return Request(ring)
            case "header":
                return Request(ring + 1)
            case "move" if self.job % 2:
                front = self.receivers[self.job // 2].front
                return Request(self.address >> 2, write=True, data=front)
            case "move":
                return Request(self.address >> 2)
            case "finish":
                return Request(ring + 1, write=True, data=self.status)
        return None

    def _waits(self) -> bool:
        """Return whether a descriptor can be served without waiting for anything but memory."""
        job = self.job
        if not self.enabled[job] or self.head[job] == self.tail[job]:
            return False
        if job % 2:
            return self.receivers[job // 2].valid
        sender = self.senders[job // 2]
        return sender.free > sender.limit

    def step(
        self,
        *,
        ready: bool,
        rdata: int,
        ring: tuple[int, int] | None = None,
        tail: tuple[int, int] | None = None,
    ) -> tuple[Moves, int | None]:
        """Go through a clock edge, before senders and receivers do.

        Parameters
        ----------
        ready : bool
            The memory accepts the access.
        rdata : int
            What it has read, if it accepted a read in the cycle before.
        ring, tail : tuple of int, optional
            A ring and what is written for it; not wrong.

        Returns
        -------
        What is done, and the message class in which a descriptor was finished.
        """
        job, c = self.job, self.job // 2
        moves, finished = Moves(c, word=rdata if self.pushes else None), None
        self.serves = [on or self.busy(i) for i, on in enumerate(self.enabled)]
        accepted = self.request is not None and ready
        arrives, self.arrives, self.pushes = self.arrives, False, False
        match self.state:
            case "idle" if self._waits():
                self.state = "address"
            case "idle":
                self.job = (job + 1) % len(self.enabled)
            case "address" if accepted:
                self.state, self.arrives = "header", True
            case "header":
                self.address = rdata if arrives else self.address
                self.state = "fill" if accepted else "header"
            case "fill":
                self.header, self.state = rdata, "check"
            case "check":
                moves = self._check(moves)
            case "move" if accepted:
                self.address += 4
                self.left -= 1
                self.pushes = job % 2 == 0
                moves = moves._replace(take=job % 2 == 1)
                self.state = "finish" if self.left == 0 else "move"
            case "finish" if accepted:
                self.head[job] = (self.head[job] + 1) % (2 * self.descriptors)
                finished = c
                self.job, self.state = (job + 1) % len(self.enabled), "idle"
        if ring is not None:
            number, value = ring
            self.enabled[number] = bool(value & 1)
            if value & 1:
                self.base[number], self.head[number], self.tail[number] = value >> 2, 0, 0
                self.serves[number] = True
        if tail is not None:
            self.tail[tail[0]] = tail[1] % (2 * self.descriptors)
        return moves, finished

    def _check(self, moves: Moves) -> Moves:
        """Begin to move a packet, or find something wrong with the descriptor."""
        receiver, sender = self.receivers[self.job // 2], self.senders[self.job // 2]
        sending, room = self.job % 2 == 0, SEND.cut("length", self.header)
        length = room if sending else receiver.left
        wrong = bool(self.address % 4) or (self.address >> 2) + length > self.memory_words
        wrong |= bool(sender.misuses(self.header, None)) if sending else room < length
        status: int = self.header % (1 << SEND.width) if sending else 0
        if not sending and not wrong:
            source, error = RECEIVED.cut("source", receiver.received), receiver.received >> 30 & 1
            status = RECEIVED.join(source=source, length=length, error=error)  # type: ignore[assignment]
        self.status = status | RECEIVED.join(error=int(wrong), valid=1)  # type: ignore[assignment]
        self.left, self.state = length, "finish" if wrong else "move"
        return moves._replace(head=self.header) if sending and not wrong else moves
