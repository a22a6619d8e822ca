"""From AXI4-Stream to registers, a packet when it is complete; twin of hdl's MailboxReceiver."""

from fingerpost.golden.terminal.mailbox_layout import RECEIVED, TOTAL


class MailboxReceiver:
    """Keeps packets until software has read them; see hdl's MailboxReceiver.

    Parameters
    ----------
    rows, limit : int
        Of the memory; words of the longest packet.
    most : int
        Of a count, all ones, at which it stops.

    Attributes
    ----------
    received : int
        What is told of the packet at the front.
    left : int
        Words of it that have not been read.
    front : int
        The next one.
    bad : int
        Packets with an error.
    """

    def __init__(self, rows: int, *, limit: int, most: int = TOTAL) -> None:
        self.limit, self.most = limit, most
        self.rows = [0] * rows
        self.head_ptr, self.write_ptr, self.read_ptr = 0, 1, 0
        self.used = self.count = self.packets = 0
        self.middle = self.closing = self.closed = self.error = False
        self.source = self.received = self.left = self.front = self.bad = 0

    @property
    def valid(self) -> bool:
        """Return whether there is a packet."""
        return self.left != 0

    @property
    def ready(self) -> bool:
        """Return tready."""
        has_room = self.used <= len(self.rows) - self.limit - 1
        return not self.closing and (self.middle or has_room)

    def step(
        self,
        valid: bool,
        data: int,
        *,
        last: bool,
        source: int,
        error: bool,
        take: bool,
        discard: bool,
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        valid : bool
            tvalid.
        data, last, source, error
            tdata, tlast, and the parts of tuser.
        take, discard : bool
            The word at the front is read; the rest of its packet is removed. Only while `valid`.
        """
        rows = len(self.rows)
        taken, closing = valid and self.ready, self.closing
        ends = take and self.left == 1
        discard = discard and not ends
        removed = self.left if discard else int(take)
        loads = not self.valid and self.packets != 0
        self.read_ptr = (self.read_ptr + removed + loads) % rows
        self.packets += self.closed - loads
        self.used -= removed + loads
        if loads:
            self.received = self.front
            self.left = RECEIVED.cut("length", self.front)
        else:
            self.left -= removed
        self.front = self.rows[self.read_ptr]
        self.closed = closing
        if closing:
            self.rows[self.head_ptr] = RECEIVED.join(  # type: ignore[call-overload]
                source=self.source, length=self.count, error=int(self.error), valid=1
            )
            self.bad = min(self.bad + self.error, self.most)
            self.head_ptr, self.write_ptr = self.write_ptr, (self.write_ptr + 1) % rows
            self.used += 1
            self.count = 0
        self.closing = taken and last
        if taken:
            self.source = source
            fits = self.count < self.limit
            self.error = last and (error or not fits)
            if fits:
                self.rows[self.write_ptr] = data
                self.write_ptr = (self.write_ptr + 1) % rows
                self.count += 1
                self.used += 1
            self.middle = not last
