"""The Wishbone port: each access is answered once, soon, and by the register that it named."""

from amaranth import Cat, Mux, Signal, Value

from fingerpost.formal.axi_lite import when
from fingerpost.formal.contract import Contract, stays
from fingerpost.hdl.bus.wishbone import WishbonePort

__all__ = ["wishbone"]

OUTPUTS = "adr", "dat_w", "sel", "we", "cyc", "stb"


def wishbone(*, address_width: int) -> Contract:
    """Return what the port promises to a manager that keeps an access until it is answered.

    No answer without an access, and one to each: ack or err, not both. A read is answered in the
    third cycle after it came, with what the registers said of its address in the second, which is
    told; a write in the second, and in the first it is done, once, with what came. The next access
    may come in the cycle after the answer.
    """
    contract = Contract()
    m = contract.m
    dut = m.submodules.dut = WishbonePort(address_width)
    bus = dut.bus
    contract.free(bus, *OUTPUTS)
    contract.free(dut, "data", "bad", "refuse")
    asks = contract.see("asks", bus.cyc & bus.stb)
    answered = contract.see("answered", bus.ack | bus.err)
    given = Cat(bus.adr, bus.dat_w, bus.sel, bus.we, bus.cyc, bus.stb)
    contract.assume(stays(m, asks, answered, given))

    always = Value.cast(1)
    age = Signal(range(4))  # cycles since the access came
    m.d.sync += age.eq(Mux(asks & ~answered, age + 1, 0))
    reads, writes = asks & ~bus.we, asks & bus.we
    contract.claim("one_answer", ~(bus.ack & bus.err))
    contract.claim("in_time", answered == ((reads & (age == 3)) | (writes & (age == 2))))
    contract.claim("read_once", dut.read == (reads & (age == 2)))
    contract.claim("write_once", dut.write == (writes & (age == 1)))
    looked = reads & ((age == 1) | (age == 2))
    contract.claim("read_named", ~looked | (dut.address == bus.adr[2:]))
    said = when(m, always, Cat(dut.data, dut.bad))
    contract.claim("read_answer", ~(answered & reads) | (Cat(bus.dat_r, bus.err) == said))
    as_it_came = Cat(dut.written, dut.value, dut.strobe) == Cat(bus.adr[2:], bus.dat_w, bus.sel)
    contract.claim("write_as_it_came", ~dut.write | as_it_came)
    refused = when(m, always, dut.refuse)
    contract.claim("write_answer", ~(answered & writes) | (bus.err == refused))
    return contract
