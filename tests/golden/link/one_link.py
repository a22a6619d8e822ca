"""What makes bytes of the flits of a link, and flits of bytes, clock by clock and alone."""

from types import SimpleNamespace
from typing import Any

from fingerpost.golden.engine.links import cell_start
from fingerpost.golden.jit.plain import view
from fingerpost.golden.link import cells
from fingerpost.golden.link.parameters import OsLinkParameters

Flit = tuple[int, int, int, int]
"""Channel, head, tail, data."""


class OneLink:
    """A sender and a receiver that nothing joins.

    Attributes
    ----------
    sender, receiver : records
        See `fingerpost.golden.link.cells`.
    """

    def __init__(self, *, channels: int, depth: int, flit_width: int) -> None:
        shape = {"channels": channels, "depth": depth, "flit_width": flit_width}
        links, state = cell_start(OsLinkParameters(), 1, 1, **shape)
        self.config: Any = SimpleNamespace(channels=channels, links=view(links))
        self.state = view(_first(state))
        self.sender, self.receiver = self.state.sender[0], self.state.receiver[0]
        self._written = 0

    def send(self, flit: Flit | None, credits: int, *, ready: bool) -> None:
        """Go through a clock edge of the sender.

        `credits` are the channels of those that a router gives back, as a mask; `ready`: the
        OS-Link takes the byte.
        """
        if flit is not None:
            row = self.state.row[self._written % self.config.links.rows]
            row.channel, row.head, row.tail, row.data = flit
            self._written += 1
            self.sender.pushed = True
        self.sender.returned = credits
        cells.step_sender(0, ready, self.config, self.state)
        if self.sender.gone:  # it has arrived
            self.sender.gone, self.sender.read = 0, (self.sender.read + 1) % self.config.links.rows

    def receive(self, byte: int, valid: bool) -> None:
        """Go through a clock edge of the receiver, with a byte if `valid`."""
        cells.step_receiver(0, byte, valid, self.config, self.state)

    @property
    def arrived(self) -> Flit | None:
        """Return the flit that arrives in this clock."""
        r = self.receiver
        data = cells.arrived_data(0, self.config, self.state)
        return (r.channel, int(r.head), int(r.tail), data) if r.arrived else None

    @property
    def bad_packet(self) -> bool:
        """Return whether the tail that arrives is of a packet in which something was wrong."""
        return cells.is_bad_packet(0, self.config, self.state)


def _first(part: Any) -> Any:
    """Return the arrays of the only run."""
    return type(part)(*map(_first, part)) if isinstance(part, tuple) else part[0]
