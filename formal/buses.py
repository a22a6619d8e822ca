"""Buses, and the registers of an OS-Link port behind one."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value

from fingerpost.formal.contract import Contract, about, level, stays
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.bus.registers import AxiLitePort, WishbonePort
from fingerpost.hdl.lib.registers import WORD, constants
from fingerpost.hdl.link.registered_port import PortRegisters

SLAVE_ERROR = 2
"""The answer where there is no register."""

OUTPUTS = "awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready"
INPUTS = "awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"

WISHBONE_OUTPUTS = "adr", "dat_w", "sel", "we", "cyc", "stb"


def axi_lite(*, address_width: int) -> Contract:
    """Return what the port promises to any manager, polite or not, whatever registers are behind.

    One answer to each access, and none without; it stays as it is until it is taken. While none
    is due an access is taken at once. A read is answered in the third cycle after it, with what
    the registers said of its address in the second, which is told; a write in the second cycle
    after address and data have come, and in the first it is done, once, with what came. Neither
    waits for the other.
    """
    contract, _, dut = about(AxiLitePort(address_width))
    manage(contract, dut.bus)
    contract.free(dut, "data", "bad", "refuse")
    _reads(contract, dut)
    _writes(contract, dut)
    return contract


def manage(contract: Contract, bus: Any) -> None:
    """Let a manager do anything at any time."""
    contract.free(bus, *OUTPUTS)
    for name in INPUTS:
        contract.see(name, getattr(bus, name))


def when(m: Module, event: Value, value: Value) -> Signal:
    """Return what a value was at the last event before this cycle."""
    kept = Signal.like(value)
    with m.If(event):
        m.d.sync += kept.eq(value)
    return kept


def _reads(contract: Contract, dut: AxiLitePort) -> None:
    m, bus = contract.m, dut.bus
    asked = contract.see("asked", bus.arvalid & bus.arready)
    due = level(contract, "due", 1, up=asked, down=bus.rvalid & bus.rready)
    contract.claim("one_read", ~(asked & due))
    contract.claim("read_taken", bus.arready | due)
    answer = Cat(bus.rdata, bus.rresp)
    contract.claim("read_stays", stays(m, bus.rvalid, bus.rready, answer))

    since = Signal(range(3))
    m.d.sync += since.eq(Mux(due & (since != 2), since + 1, Mux(asked, 0, since)))
    contract.claim("read_in_time", bus.rvalid == (due & (since == 2)))
    contract.claim("read_once", dut.read == (due & (since == 1)))
    named = when(m, asked, bus.araddr[2:])
    contract.claim("read_named", ~due | bus.rvalid | (dut.address == named))
    said = when(m, ~bus.rvalid, Cat(dut.data, dut.bad * SLAVE_ERROR))
    contract.claim("read_answer", ~bus.rvalid | (answer == said))


def _writes(contract: Contract, dut: AxiLitePort) -> None:
    m, bus = contract.m, dut.bus
    addressed = contract.see("addressed", bus.awvalid & bus.awready)
    filled = contract.see("filled", bus.wvalid & bus.wready)
    ends = bus.bvalid & bus.bready
    to = level(contract, "to", 1, up=addressed, down=ends)
    what = level(contract, "what", 1, up=filled, down=ends)
    contract.claim("one_write", ~(addressed & to) & ~(filled & what))
    contract.claim("write_taken", (bus.awready | to) & (bus.wready | what))
    contract.claim("write_stays", stays(m, bus.bvalid, bus.bready, bus.bresp))

    done = Signal()
    m.d.sync += done.eq((done | dut.write) & ~ends)
    contract.see("write", dut.write)
    contract.claim("write_once", dut.write == (to & what & ~done))
    contract.claim("write_in_time", bus.bvalid == done)
    place = when(m, addressed, bus.awaddr[2:])
    data = when(m, filled, Cat(bus.wdata, bus.wstrb))
    as_it_came = (dut.written == place) & (Cat(dut.value, dut.strobe) == data)
    contract.claim("write_as_it_came", ~dut.write | as_it_came)
    refused = when(m, dut.write, dut.refuse)
    contract.claim("write_answer", ~bus.bvalid | (bus.bresp == refused * SLAVE_ERROR))


def wishbone(*, address_width: int) -> Contract:
    """Return what the port promises to a manager that keeps an access until it is answered.

    No answer without an access, and one to each: ack or err, not both. A read is answered in the
    third cycle after it came, with what the registers said of its address in the second, which is
    told; a write in the second, and in the first it is done, once, with what came. The next access
    may come in the cycle after the answer.
    """
    contract, m, dut = about(WishbonePort(address_width))
    bus = dut.bus
    contract.free(bus, *WISHBONE_OUTPUTS)
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


def port_registers(*, breaks: bool) -> Contract:
    """Return what the registers promise, whatever a manager and a link do.

    A byte is accepted only when the one before has gone to the link, goes there once, as it was,
    and nothing else does. A byte is taken from the link just when a read of receive is answered
    with it. An error is reported from its cycle on until a 1 is written to it, and no other is; a
    break is sent exactly when it was requested. The interrupt is asserted exactly while an enabled
    cause is. What never changes is as the map says; all else that is read or written is
    refused.
    """
    contract, m, dut = about(PortRegisters(OsLinkParameters(breaks=breaks)))
    bus, tx, rx = dut.bus, dut.tx, dut.rx
    manage(contract, bus)
    contract.free(tx, "ready", prefix="tx_")
    contract.free(rx, "valid", "payload", prefix="rx_")
    contract.free(dut, "wrong", "idle")
    at = {register.name: register.address // WORD for register in dut.registers}

    # What was written: it is so in the first cycle of the answer.
    place = when(m, bus.awvalid & bus.awready, bus.awaddr[2:])
    data = when(m, bus.wvalid & bus.wready, bus.wdata)
    strobes = when(m, bus.wvalid & bus.wready, bus.wstrb)
    always = Value.cast(1)
    answered = bus.bvalid & ~when(m, always, bus.bvalid)

    def written(name: str) -> Value:
        if name not in at:
            return Value.cast(0)
        return answered & (bus.bresp == 0) & (place == at[name]) & strobes[0]

    waits = Signal()
    sends = contract.see("sends", written("send"))
    m.d.sync += waits.eq((sends | waits) & ~tx.ready)
    contract.claim("room", ~(sends & waits))
    contract.claim("sent_once", tx.valid == (sends | waits))
    contract.claim(
        "sent", ~tx.valid | (tx.payload == Mux(sends, data[:8], when(m, sends, data[:8])))
    )
    full = when(m, always, tx.valid)
    able = Cat(place == at[name] for name in ("errors", "enable", "control") if name in at)
    fits = able.any() | ((place == at["send"]) & ~full)
    contract.claim("refused", ~answered | (bus.bresp == Mux(fits, 0, SLAVE_ERROR)))

    # What is read: it was so in the last cycle before the answer.
    named = when(m, bus.arvalid & bus.arready, bus.araddr[2:])
    tells = contract.see("tells", bus.rvalid & ~when(m, always, bus.rvalid))
    word = bus.rdata

    def told(name: str, value: Value | int) -> Value:
        before = when(m, always, Value.cast(value))
        return ~tells | (named != at[name]) | (word == before)

    took = when(m, always, rx.valid & rx.ready)
    contract.claim("received", took == (tells & (named == at["receive"]) & word[8]))
    contract.claim("as_it_came", told("receive", Mux(rx.valid, Cat(rx.payload, 1), 0)))
    contract.claim("status", told("status", Cat(~tx.valid, rx.valid, dut.idle & ~tx.valid)))

    # Errors and the interrupt.
    kept, errors = Signal(len(ERRORS)), Signal(len(ERRORS))
    forgets = Mux(written("errors"), data[: len(ERRORS)], 0)
    m.d.comb += errors.eq((kept & ~forgets) | when(m, always, dut.wrong))
    m.d.sync += kept.eq(errors)
    contract.claim("errors", told("errors", contract.see("errors", errors)))
    enable = Mux(written("enable"), data[:3], when(m, written("enable"), data[:3]))
    contract.claim("enabled", told("enable", enable))
    reasons = Cat(~tx.valid, rx.valid, errors.any())
    contract.claim("interrupt", dut.irq == (reasons & enable).any())
    asked = when(m, always, dut.tx_break)
    contract.claim("break", asked == (written("control") & data[0]))

    fixed = {address // WORD: value for address, value in constants(dut.registers)}
    zeros = [at[name] for name in ("send", "control") if name in at]
    as_told = Cat((named != where) | (word == value) for where, value in fixed.items())
    contract.claim("constant", ~tells | as_told.all())
    contract.claim("zero", ~tells | ~Cat(named == where for where in zeros).any() | (word == 0))
    there = Cat(named == where for where in at.values()).any()
    contract.claim("read_refused", ~tells | (bus.rresp == Mux(there, 0, SLAVE_ERROR)))
    return contract
