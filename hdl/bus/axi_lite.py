"""An AXI4-Lite port of 32 bits in front of registers."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.bus.register_port import RegisterPort
from fingerpost.hdl.lib.ports import Port, ports_of

MEANINGS = {
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
    return ports_of(AxiLiteSignature(address_width).flip(), "s_axil", MEANINGS)


class AxiLiteSignature(wiring.Signature):
    """AXI4-Lite with 32 bits of data, seen from the manager.

    There are no protection signals.

    Parameters
    ----------
    address_width : int

    Members
    -------
    awaddr, araddr : ``Out(address_width)``
    awvalid, wvalid, bready, arvalid, rready : ``Out(1)``
    wdata : ``Out(32)``
    wstrb : ``Out(4)``
    awready, wready, bvalid, arready, rvalid : ``In(1)``
    rdata : ``In(32)``
    bresp, rresp : ``In(2)``
    """

    def __init__(self, address_width: int) -> None:
        self.address_width = address_width
        super().__init__(
            {
                "awaddr": Out(address_width),
                "awvalid": Out(1),
                "awready": In(1),
                "wdata": Out(32),
                "wstrb": Out(4),
                "wvalid": Out(1),
                "wready": In(1),
                "bresp": In(2),
                "bvalid": In(1),
                "bready": Out(1),
                "araddr": Out(address_width),
                "arvalid": Out(1),
                "arready": In(1),
                "rdata": In(32),
                "rresp": In(2),
                "rvalid": In(1),
                "rready": Out(1),
            }
        )


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
