"""A Wishbone port of 32 bits in front of registers."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.bus.register_port import RegisterPort
from fingerpost.hdl.lib.ports import Port, ports_of

MEANINGS = {
    "adr": "address, in bytes",
    "dat_w": "what is to be written",
    "dat_r": "what was read",
    "sel": "which of the bytes are to be written",
    "we": "it is a write",
    "cyc": "a cycle goes on",
    "stb": "there is an access",
    "ack": "it is done",
    "err": "it cannot be done",
}
"""What the signals mean."""


def wishbone_ports(address_width: int) -> list[Port]:
    """Return the ports of a module that is a subordinate."""
    return ports_of(WishboneSignature(address_width).flip(), "wb", MEANINGS)


class WishboneSignature(wiring.Signature):
    """Wishbone B4 with 32 bits of data in classic cycles, seen from the manager.

    Parameters
    ----------
    address_width : int
        Bits of an address in bytes; the lowest two mean nothing.

    Members
    -------
    adr : ``Out(address_width)``
    dat_w : ``Out(32)``
    dat_r : ``In(32)``
    sel : ``Out(4)``
    we, cyc, stb : ``Out(1)``
    ack, err : ``In(1)``
    """

    def __init__(self, address_width: int) -> None:
        self.address_width = address_width
        super().__init__(
            {
                "adr": Out(address_width),
                "dat_w": Out(32),
                "dat_r": In(32),
                "sel": Out(4),
                "we": Out(1),
                "cyc": Out(1),
                "stb": Out(1),
                "ack": In(1),
                "err": In(1),
            }
        )


class WishbonePort(RegisterPort):
    """One access at a time; all outputs to the manager are registers.

    A write is acknowledged in the second cycle after it came, a read in the third.

    Parameters
    ----------
    address_width : int
    """

    def __init__(self, address_width: int) -> None:
        super().__init__(WishboneSignature(address_width), address_width)

    def elaborate(self, platform: object) -> Module:
        """Take an access, do it, answer it."""
        m, bus = Module(), self.bus
        m.d.comb += self.written.eq(self.address)
        m.d.sync += [bus.ack.eq(0), bus.err.eq(0)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [
                    self.address.eq(bus.adr[2:]),
                    self.value.eq(bus.dat_w),
                    self.strobe.eq(bus.sel),
                ]
                with m.If(bus.cyc & bus.stb & ~(bus.ack | bus.err)):
                    with m.If(bus.we):
                        m.next = "WRITE"
                    with m.Else():
                        m.next = "LOOK"
            with m.State("WRITE"):
                m.d.comb += self.write.eq(1)
                m.d.sync += [bus.ack.eq(~self.refuse), bus.err.eq(self.refuse)]
                m.next = "IDLE"
            with m.State("LOOK"):
                m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += self.read.eq(1)
                m.d.sync += [bus.dat_r.eq(self.data), bus.ack.eq(~self.bad), bus.err.eq(self.bad)]
                m.next = "IDLE"
        return m
