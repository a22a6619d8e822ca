"""An OS-Link port's registers: no byte is lost, and none made up, between the bus and the link."""

from amaranth import Cat, Mux, Signal, Value

from fingerpost.formal.buses import SLAVE_ERROR, manage, when
from fingerpost.formal.contract import Contract
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.lib.registers import WORD, constants
from fingerpost.hdl.os_link_port.registered_port import PortRegisters


def port_registers(*, breaks: bool) -> Contract:
    """Return what the registers promise, whatever a manager and a link do.

    A byte is accepted only when the one before has gone to the link, goes there once, as it was,
    and nothing else does. A byte is taken from the link just when a read of receive is answered
    with it. An error is reported from its cycle on until a 1 is written to it, and no other is; a
    break is sent exactly when it was requested. The interrupt is asserted exactly while an enabled
    cause is. What never changes is as the map says; all else that is read or written is
    refused.
    """
    contract = Contract()
    m = contract.m
    dut = m.submodules.dut = PortRegisters(OsLinkParameters(breaks=breaks))
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
