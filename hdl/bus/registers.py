"""The buses over which software reaches registers of 32 bits: AXI4-Lite and Wishbone."""

from collections.abc import Callable
from typing import Any, NamedTuple

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.bus.axi import Axi4Signature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, ports_of


class RegisterPort(Component):
    """A port through which a manager reads and writes registers.

    Parameters
    ----------
    bus : wiring.Signature
        Signature of the bus, as its manager sees it.
    address_width : int

    Members
    -------
    bus : ``In(bus)``
    address : ``Out(address_width - 2)``     The register that is read.
    data : ``In(32)``, bad : ``In(1)``       What it has, and that there is none: in the second
                                             cycle after its address came.
    read : ``Out(1)``                        It is in this cycle that it is read.
    write : ``Out(1)``                       A register is written, in this cycle.
    written : ``Out(address_width - 2)``     Which.
    value : ``Out(32)``                      What is written.
    strobe : ``Out(4)``                      To which of its bytes.
    refuse : ``In(1)``                       That cannot be; in the same cycle.
    """

    def __init__(self, bus: wiring.Signature, address_width: int) -> None:
        word = address_width - 2
        super().__init__(
            bus=In(bus),
            address=Out(word),
            data=In(32),
            bad=In(1),
            read=Out(1),
            write=Out(1),
            written=Out(word),
            value=Out(32),
            strobe=Out(4),
            refuse=In(1),
        )


AXI_LITE_MEANINGS = {
    "awaddr": "byte address to write",
    "awvalid": "s_axil_awaddr is valid",
    "awready": "the address is accepted",
    "wdata": "data to write",
    "wstrb": "bytes to write",
    "wvalid": "s_axil_wdata is valid",
    "wready": "the data is accepted",
    "bresp": "0 (OKAY), or 2 (SLVERR): not written",
    "bvalid": "s_axil_bresp is valid",
    "bready": "the response is accepted",
    "araddr": "byte address to read",
    "arvalid": "s_axil_araddr is valid",
    "arready": "the address is accepted",
    "rdata": "data read",
    "rresp": "0 (OKAY), or 2 (SLVERR)",
    "rvalid": "s_axil_rdata is valid",
    "rready": "the data is accepted",
}
"""What the signals mean."""


def axi_lite_ports(address_width: int) -> list[Port]:
    """Return the ports of a module that is a subordinate."""
    return ports_of(AxiLiteSignature(address_width).flip(), "s_axil", AXI_LITE_MEANINGS)


class AxiLiteSignature(Axi4Signature):
    """AXI4-Lite with 32 bits of data and no protection signals, seen from the manager."""

    def __init__(self, address_width: int) -> None:
        super().__init__(address_width, 32, id_width=0, protection=False)


class AxiLitePort(RegisterPort):
    """One read and one write at a time; all outputs to the manager are registers.

    Parameters
    ----------
    address_width : int
    """

    def __init__(self, address_width: int) -> None:
        super().__init__(AxiLiteSignature(address_width), address_width)

    def elaborate(self, platform: object) -> Module:
        """Read and write, apart from each other."""
        m = Module()
        self._read(m)
        self._write(m)
        return m

    def _read(self, m: Module) -> None:
        bus = self.bus
        with m.FSM(name="reading"):
            with m.State("IDLE"):
                m.d.comb += bus.arready.eq(1)
                m.d.sync += self.address.eq(bus.araddr[2:])
                with m.If(bus.arvalid):
                    m.next = "LOOK"
            with m.State("LOOK"):
                m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += self.read.eq(1)
                m.d.sync += [
                    bus.rdata.eq(self.data),
                    bus.rresp.eq(self.bad << 1),
                    bus.rvalid.eq(1),
                ]
                m.next = "OFFER"
            with m.State("OFFER"):
                with m.If(bus.rready):
                    m.d.sync += bus.rvalid.eq(0)
                    m.next = "IDLE"

    def _write(self, m: Module) -> None:
        bus = self.bus
        has_address, has_data = Signal(), Signal()
        m.d.comb += [
            bus.awready.eq(~has_address),
            bus.wready.eq(~has_data),
            self.write.eq(has_address & has_data & ~bus.bvalid),
        ]
        with m.If(bus.awvalid & bus.awready):
            m.d.sync += [has_address.eq(1), self.written.eq(bus.awaddr[2:])]
        with m.If(bus.wvalid & bus.wready):
            m.d.sync += [has_data.eq(1), Cat(self.value, self.strobe).eq(Cat(bus.wdata, bus.wstrb))]
        with m.If(self.write):
            m.d.sync += [bus.bvalid.eq(1), bus.bresp.eq(self.refuse << 1)]
        with m.If(bus.bvalid & bus.bready):
            m.d.sync += [bus.bvalid.eq(0), has_address.eq(0), has_data.eq(0)]


WISHBONE_MEANINGS = {
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
    return ports_of(WishboneSignature(address_width).flip(), "wb", WISHBONE_MEANINGS)


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


class Bus(NamedTuple):
    """A bus: what begins the names of its ports, these, its signature and what is behind it.

    All take the width of an address.
    """

    prefix: str
    ports: Callable[[int], list[Port]]
    signature: Callable[[int], Any]
    port: Callable[[int], Any]


BUSES = {
    "axi-lite": Bus("s_axil", axi_lite_ports, AxiLiteSignature, AxiLitePort),
    "wishbone": Bus("wb", wishbone_ports, WishboneSignature, WishbonePort),
}
"""By their names in network files."""
