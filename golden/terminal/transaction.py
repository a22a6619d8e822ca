"""The layouts of AXI4 transactions as beats, shared by hardware, model and manifest.

A request is the beats of `request`, lowest bits first, and behind a write its data; a response to
a read is its data, to a write one beat. Where a beat of data is twice as wide as one of the
network, it is two, the lower half first.
"""

from dataclasses import dataclass
from functools import cached_property

from fingerpost.golden.header import Layout, bits

OKAY, EXOKAY, SLVERR, DECERR = range(4)
"""Responses."""

FIXED, INCR, WRAP = range(3)
"""Kinds of burst."""

LONGEST_BURST = 256
"""Beats."""


@dataclass(frozen=True)
class TransactionLayout:
    """What is in the beats of a transaction.

    Parameters
    ----------
    data_width : int
        Bits of a beat of data.
    flit_data : int
        Those of them that a beat of the network has: all, or half.
    address_width : int
    outstanding : int
        Reads, and writes, that a manager can have in flight.
    """

    data_width: int
    flit_data: int
    address_width: int
    outstanding: int

    @property
    def parts(self) -> int:
        """Return the beats of the network that a beat of data takes."""
        return self.data_width // self.flit_data

    @cached_property
    def tag(self) -> int:
        """Return the bits of the number of a transaction."""
        return bits(self.outstanding)

    @cached_property
    def request(self) -> Layout:
        """Return the layout of what begins a request; first what is constant with AXI4-Lite."""
        return Layout.sequence(
            length=(8, "beats but one"),
            size=(3, "log2 of the bytes of a beat"),
            burst=(2, "0 FIXED, 1 INCR, 2 WRAP"),
            cache=(4, "AxCACHE"),
            qos=(4, "AxQOS"),
            write=(1, "a write, else a read"),
            tag=(self.tag, "number of the transaction at its manager"),
            prot=(3, "AxPROT"),
            address=(self.address_width, "in bytes"),
        )

    @cached_property
    def write(self) -> Layout:
        """Return the layout of a beat with data to write."""
        return Layout.sequence(
            strobe=(self.flit_data // 8, "bytes to write"), data=(self.flit_data, "data")
        )

    @cached_property
    def response(self) -> Layout:
        """Return the layout of a beat of a response."""
        return Layout.sequence(
            write=(1, "of a write, which has no data; else of a read"),
            tag=(self.tag, "that of the request"),
            resp=(2, "0 OKAY, 2 SLVERR, 3 DECERR"),
            data=(self.flit_data, "data that was read"),
        )

    @cached_property
    def width(self) -> int:
        """Return the bits of tdata; no whole bytes, so that beats have no tkeep."""
        width = max(self.write.width, self.response.width)
        return width + (width % 8 == 0)

    @cached_property
    def request_beats(self) -> int:
        """Return the beats of what begins a request."""
        return -(-self.request.width // self.width)

    @cached_property
    def longest(self) -> int:
        """Return the beats of the longest packet, a write."""
        return self.request_beats + LONGEST_BURST * self.parts
