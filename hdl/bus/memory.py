"""The signals of a memory that hardware reads and writes: one word in each cycle."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.ports import Port, ports_of

MEANINGS = {
    "request": "there is an access; it stays until it is accepted",
    "ready": "the access is accepted",
    "write": "it is a write of a word, else a read",
    "address": "the word",
    "wdata": "what is to be written",
    "rdata": "what was read, in the cycle after the read is accepted",
}
"""What the signals mean."""


class MemorySignature(wiring.Signature):
    """A synchronous memory of 32-bit words, seen from what accesses it.

    An access is done in the cycle in which `request` and `ready` are 1; a port of a block RAM keeps
    `ready` at 1.

    Parameters
    ----------
    address_width : int
        Bits of the number of a word.

    Members
    -------
    request, write : ``Out(1)``
    ready : ``In(1)``
    address : ``Out(address_width)``
    wdata : ``Out(32)``
    rdata : ``In(32)``
    """

    def __init__(self, address_width: int) -> None:
        self.address_width = address_width
        super().__init__(
            {
                "request": Out(1),
                "ready": In(1),
                "write": Out(1),
                "address": Out(address_width),
                "wdata": Out(32),
                "rdata": In(32),
            }
        )


def memory_ports(address_width: int) -> list[Port]:
    """Return the ports of a module that accesses a memory."""
    return ports_of(MemorySignature(address_width), "mem", MEANINGS)
