"""A mailbox behind its bus; the twin of hdl's MailboxRegisters."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from fingerpost.golden.terminal.mailbox_layout import ENABLE, MISUSES, ROOM, TOTAL
from fingerpost.golden.terminal.mailbox_receiver import MailboxReceiver
from fingerpost.golden.terminal.mailbox_sender import MailboxSender

__all__ = ["Access", "Beat", "MailboxRegisters"]


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
    """

    def __init__(
        self,
        *,
        classes: int,
        send_words: int,
        receive_words: int,
        packet_limit: int,
        known: Collection[int],
    ) -> None:
        self.senders = [
            MailboxSender(send_words, limit=packet_limit, known=known) for _ in range(classes)
        ]
        self.receivers = [
            MailboxReceiver(receive_words, limit=packet_limit) for _ in range(classes)
        ]
        self.threshold = [0] * classes
        self.errors = self.misuses = self.enable = 0

    @property
    def pending(self) -> int:
        """Return the reasons for an interrupt that are there, enabled or not."""
        pairs = zip(self.senders, self.threshold, strict=True)
        return ENABLE.join(  # type: ignore[return-value]
            received=sum(receiver.valid << c for c, receiver in enumerate(self.receivers)),
            room=sum((sender.free > least) << c for c, (sender, least) in enumerate(pairs)),
            errors=int(self.errors != 0),
        )

    @property
    def irq(self) -> bool:
        """Return the interrupt."""
        return bool(self.pending & self.enable)

    def read(self, name: str, message_class: int) -> tuple[int, bool]:
        """Return what a register reads as in this cycle, and whether that is refused."""
        sender, receiver = self.senders[message_class], self.receivers[message_class]
        if name == "receive_data":
            return (receiver.front if receiver.valid else 0), not receiver.valid
        values = {
            "errors": self.errors,
            "misuses": self.misuses,
            "enable": self.enable,
            "pending": self.pending,
            "receive": receiver.received if receiver.valid else 0,
            "room": ROOM.join(free=sender.free, open=sender.open),
            "left": receiver.left,
            "threshold": self.threshold[message_class],
            "bad": receiver.bad,
        }
        return values.get(name, 0), False  # type: ignore[return-value]

    def wrong(self, write: Access) -> set[str]:
        """Return what is wrong with a write to a register that can be written."""
        if not write.whole:
            return {"partial"}
        sender, receiver = self.senders[write.message_class], self.receivers[write.message_class]
        if write.name == "control":
            abort, discard = write.value & 1, write.value >> 1 & 1
            found = {"aborted"} if abort and sender.open else set()
            return found | ({"empty"} if discard and not receiver.valid else set())
        head = write.value if write.name == "send" else None
        word = write.value if write.name == "send_data" else None
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
        """
        wrong = self.wrong(write) if write else set()
        done = write if write and not self.refuses(write) else None
        reads = take if take and take.name == "receive_data" else None
        empty = reads is not None and not self.receivers[reads.message_class].valid
        both = zip(self.senders, self.receivers, strict=True)
        for c, (sender, receiver) in enumerate(both):
            mine = done if done and done.message_class == c else None
            control = mine.value if mine and mine.name == "control" else 0
            takes = reads is not None and reads.message_class == c and receiver.valid
            sender.step(
                mine.value if mine and mine.name == "send" else None,
                mine.value if mine and mine.name == "send_data" else None,
                abort=bool(control & 1),
                ready=ready[c],
            )
            receiver.step(
                *beats[c][:2],
                last=beats[c].last,
                source=beats[c].source,
                error=beats[c].error,
                take=takes,
                discard=bool(control & 2) and receiver.valid,
            )
            if mine and mine.name == "threshold":
                self.threshold[c] = mine.value & 0xFFFF
        if done and done.name == "enable":
            self.enable = done.value & ((1 << ENABLE.width) - 1)
        if done and done.name == "errors":
            self.errors &= ~done.value
        names = wrong | ({"empty"} if empty else set())
        self.errors |= sum(1 << place for place, name in enumerate(MISUSES) if name in names)
        self.misuses = min(self.misuses + bool(wrong) + empty, TOTAL)
