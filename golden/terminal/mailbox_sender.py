"""From registers to AXI4-Stream, a packet when it is complete; the twin of hdl's MailboxSender."""

from collections.abc import Collection

from fingerpost.golden.terminal.mailbox_layout import SEND


class MailboxSender:
    """Keeps packets until they are complete, then sends them; see hdl's MailboxSender.

    Parameters
    ----------
    rows, limit : int
        Of the memory; words of the longest packet.
    known : collection of int
        Nodes that have a terminal.

    Attributes
    ----------
    free, open : int
        Rows that are free; words that are still to be written of a packet that was begun.
    destination : int
        tdest.
    """

    def __init__(self, rows: int, *, limit: int, known: Collection[int]) -> None:
        self.limit, self.known = limit, known
        self.rows = [0] * rows
        self.write_ptr = self.read_ptr = self.front = 0
        self.free, self.open, self.reserved = rows, 0, 0
        self.packets = self.remaining = self.destination = 0

    @property
    def valid(self) -> bool:
        """Return tvalid."""
        return self.remaining != 0

    @property
    def data(self) -> int:
        """Return tdata."""
        return self.front

    @property
    def last(self) -> bool:
        """Return tlast."""
        return self.remaining == 1

    def misuses(self, head: int | None, word: int | None) -> set[str]:
        """Return what is wrong with what is written in this cycle."""
        if word is not None:
            return {"surplus"} if not self.open else set()
        if head is None:
            return set()
        length = SEND.cut("length", head)
        found = {"length"} if head >> SEND.width or not 0 < length <= self.limit else set()
        found |= {"destination"} if SEND.cut("destination", head) not in self.known else set()
        found |= {"unfinished"} if self.open else set()
        full = length >= self.free and not found & {"length", "unfinished"}
        return found | ({"full"} if full else set())

    def step(self, head: int | None, word: int | None, *, abort: bool, ready: bool) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        head, word : int, optional
            What is written to send, to send_data, with no `misuses`; at most one of them.
        abort : bool
            The packet that was begun is removed; not with one of these.
        ready : bool
            tready.
        """
        rows = len(self.rows)
        taken = self.valid and ready
        loads = not self.valid and self.packets != 0
        self.read_ptr = (self.read_ptr + (taken or loads)) % rows
        if loads:
            self.destination = SEND.cut("destination", self.front)
            self.remaining = SEND.cut("length", self.front)
        else:
            self.remaining -= taken
        self.front = self.rows[self.read_ptr]
        self.packets -= loads
        self.free += taken or loads
        if head is not None or word is not None:
            self.rows[self.write_ptr] = head if word is None else word  # type: ignore[assignment]
            self.write_ptr = (self.write_ptr + 1) % rows
        if head is not None:
            self.open = SEND.cut("length", head)
            self.reserved = self.open + 1
            self.free -= self.reserved
        elif word is not None:
            self.open -= 1
            self.packets += self.open == 0
        elif abort and self.open:
            self.write_ptr = (self.write_ptr - self.reserved + self.open) % rows
            self.free += self.reserved
            self.open = 0
