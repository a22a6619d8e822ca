"""A mailbox behind its bus; the twin of hdl's MailboxRegisters."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from fingerpost.golden.terminal.mailbox_dma import MailboxDma, Moves
from fingerpost.golden.terminal.mailbox_layout import ENABLE, MISUSES, RING, ROOM, TOTAL
from fingerpost.golden.terminal.mailbox_receiver import MailboxReceiver
from fingerpost.golden.terminal.mailbox_sender import MailboxSender

STARTS = {"send_ring": 0, "receive_ring": 1}
RINGS = {"send_descriptors": 0, "receive_descriptors": 1}
"""Registers of rings, and the number of a ring in its message class."""


class Access(NamedTuple):
    """A read or a write of a register by its name; of those of a message class also the class."""

    name: str
    message_class: int = 0
    value: int = 0
    whole: bool = True


class Beat(NamedTuple):
    """A beat of a stream of a message class, and whether there is one."""

    valid: bool = False
    data: int = 0
    last: bool = False
    source: int = 0
    error: bool = False


class MailboxRegisters:
    """Registers in front of a sender and a receiver for each message class.

    Parameters
    ----------
    classes, send_words, receive_words, packet_limit : int
    known : collection of int
        Nodes that have a terminal.
    descriptors, memory_words : int
        Those of `MailboxDma`; without memory there is none.
    most : int
        Of a count, all ones, at which it stops.

    Attributes
    ----------
    dma : MailboxDma, optional
    finished : int
        Message classes in which descriptors were finished, as bits.
    """

    def __init__(
        self,
        *,
        classes: int,
        send_words: int,
        receive_words: int,
        packet_limit: int,
        known: Collection[int],
        descriptors: int = 0,
        memory_words: int = 0,
        most: int = TOTAL,
    ) -> None:
        self.most = most
        self.senders = [
            MailboxSender(send_words, limit=packet_limit, known=known) for _ in range(classes)
        ]
        self.receivers = [
            MailboxReceiver(receive_words, limit=packet_limit, most=most) for _ in range(classes)
        ]
        self.threshold = [0] * classes
        self.errors = self.misuses = self.enable = self.finished = 0
        self.dma: MailboxDma | None = None
        if memory_words:
            sizes = {"descriptors": descriptors, "memory_words": memory_words}
            self.dma = MailboxDma(self.senders, self.receivers, **sizes)

    def _served(self, ring: int) -> bool:
        """Return whether software finds a sender full, or a receiver empty, as a ring has it."""
        return self.dma is not None and self.dma.serves[ring]

    def _free(self, c: int) -> int:
        return 0 if self._served(2 * c) else self.senders[c].free

    def _open(self, c: int) -> int:
        return 0 if self._served(2 * c) else self.senders[c].open

    def _valid(self, c: int) -> bool:
        return self.receivers[c].valid and not self._served(2 * c + 1)

    @property
    def pending(self) -> int:
        """Return the reasons for an interrupt that are there, enabled or not."""
        return ENABLE.join(  # type: ignore[return-value]
            received=sum(self._valid(c) << c for c in range(len(self.receivers))),
            room=sum((self._free(c) > least) << c for c, least in enumerate(self.threshold)),
            errors=int(self.errors != 0),
            finished=self.finished,
        )

    @property
    def irq(self) -> bool:
        """Return the interrupt."""
        return bool(self.pending & self.enable)

    def read(self, name: str, message_class: int) -> tuple[int, bool]:
        """Return what a register reads as in this cycle, and whether that is refused."""
        c, receiver = message_class, self.receivers[message_class]
        if name == "receive_data":
            return (receiver.front if self._valid(c) else 0), not self._valid(c)
        if name in RINGS and self.dma:
            ring, dma = 2 * c + RINGS[name], self.dma
            flags = {"enabled": int(dma.enabled[ring]), "busy": int(dma.busy(ring))}
            return int(RING.join(tail=dma.tail[ring], head=dma.head[ring], **flags)), False
        values = {
            "errors": self.errors,
            "misuses": self.misuses,
            "enable": self.enable,
            "pending": self.pending,
            "finished": self.finished,
            "receive": receiver.received if self._valid(c) else 0,
            "room": ROOM.join(free=self._free(c), open=self._open(c)),
            "left": receiver.left if self._valid(c) else 0,
            "threshold": self.threshold[message_class],
            "bad": receiver.bad,
        }
        return values.get(name, 0), False  # type: ignore[return-value]

    def wrong(self, write: Access) -> set[str]:
        """Return what is wrong with a write to a register that can be written."""
        if not write.whole:
            return {"partial"}
        c, sender = write.message_class, self.senders[write.message_class]
        if write.name == "control":
            abort, discard = write.value & 1, write.value >> 1 & 1
            found = {"aborted"} if abort and self._open(c) else set()
            return found | ({"empty"} if discard and not self._valid(c) else set())
        if self.dma and write.name in STARTS:
            ring = 2 * c + STARTS[write.name]
            return {"ring"} if self.dma.wrong_ring(ring, write.value) else set()
        if self.dma and write.name in RINGS:
            ring = 2 * c + RINGS[write.name]
            return {"ring"} if self.dma.wrong_tail(ring, write.value) else set()
        head = write.value if write.name == "send" else None
        word = write.value if write.name == "send_data" else None
        if self._served(2 * c):
            return {"full"} if head is not None else {"surplus"} if word is not None else set()
        return sender.misuses(head, word)

    def refuses(self, write: Access) -> bool:
        """Return whether a write is answered with an error; an abort is not."""
        return bool(self.wrong(write) - {"aborted"})

    def step(
        self,
        write: Access | None,
        take: Access | None,
        ready: Sequence[bool],
        beats: Sequence[Beat],
        memory: tuple[bool, int] = (False, 0),
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        write : Access, optional
            What is written in this cycle, to a register that can be written.
        take : Access, optional
            What is answered in this cycle to a read.
        ready : sequence of bool
            tready of the streams that are sent.
        beats : sequence of Beat
            What arrives.
        memory : tuple of bool and int
            Of the memory of `MailboxDma`: ready, rdata.
        """
        wrong = self.wrong(write) if write else set()
        done = write if write and not self.refuses(write) else None
        reads = take if take and take.name == "receive_data" else None
        empty = reads is not None and not self._valid(reads.message_class)
        valid = [self._valid(c) for c in range(len(self.receivers))]
        sends = [self._served(2 * c) for c in range(len(self.receivers))]
        moves, finished = self._serve(done, memory)
        both = zip(self.senders, self.receivers, strict=True)
        for c, (sender, receiver) in enumerate(both):
            mine = done if done and done.message_class == c else None
            control = mine.value if mine and mine.name == "control" else 0
            takes = reads is not None and reads.message_class == c and valid[c]
            moved = moves if moves.message_class == c else Moves()
            sender.step(
                mine.value if mine and mine.name == "send" else moved.head,
                mine.value if mine and mine.name == "send_data" else moved.word,
                abort=bool(control & 1) and not sends[c],
                ready=ready[c],
            )
            receiver.step(
                *beats[c][:2],
                last=beats[c].last,
                source=beats[c].source,
                error=beats[c].error,
                take=takes or moved.take,
                discard=bool(control & 2) and valid[c],
            )
            if mine and mine.name == "threshold":
                self.threshold[c] = mine.value & 0xFFFF
        if done and done.name == "enable":
            self.enable = done.value & ((1 << ENABLE.width) - 1)
        if done and done.name == "errors":
            self.errors &= ~done.value
        if done and done.name == "finished":
            self.finished &= ~done.value
        if finished is not None:
            self.finished |= 1 << finished
        names = wrong | ({"empty"} if empty else set())
        self.errors |= sum(1 << place for place, name in enumerate(MISUSES) if name in names)
        self.misuses = min(self.misuses + bool(wrong) + empty, self.most)

    def _serve(self, done: Access | None, memory: tuple[bool, int]) -> tuple[Moves, int | None]:
        """Let descriptors be served."""
        if self.dma is None:
            return Moves(), None
        ring = tail = None
        if done and done.name in STARTS:
            ring = 2 * done.message_class + STARTS[done.name], done.value
        if done and done.name in RINGS:
            tail = 2 * done.message_class + RINGS[done.name], done.value
        return self.dma.step(ready=memory[0], rdata=memory[1], ring=ring, tail=tail)
