"""From the network to AXI4-Stream: tvalid stays, the payload is stable, credits are kept."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.armed import Armed
from fingerpost.formal.contract import Contract, level
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.lib.flit import flit_layout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi_receiver import AxiReceiver

__all__ = ["axi_receiver"]


def axi_receiver(*, depth: int, status: int = 0) -> Contract:
    """Return what a receiver of two bytes promises, of any flits and any reader.

    What is offered stays, as it is, until it is taken. Any one flit that is no head comes out
    once, in order, with its data, its mark and the source of the last head before it. Heads do
    not come out; each leaves as soon as it is at the front. One credit goes back for each flit,
    in the cycle after it has left.
    """
    contract = Contract()
    m = contract.m
    layout = AxiLayout(data_width=16, nodes=3, header=2, status=status)
    width = layout.body.width + status
    m.submodules.dut = dut = AxiReceiver(layout, flit_width=width, depth=depth)
    stream, eject = dut.stream, dut.eject
    valid, word = contract.free(eject, "valid", "flit")
    (ready,) = contract.free(stream, "tready")
    flit: Any = data.View(flit_layout(width), word)
    offers = contract.see("tvalid", stream.tvalid)

    # The router sends no more than it has credits for.
    there = level(contract, "there", depth, up=valid, down=eject.credit)
    contract.assume((there != depth) | ~valid)
    credit = contract.see("credit", eject.credit)
    contract.claim("credit", ~credit | (there != 0))

    # What is offered stays.
    payload = Cat(stream.tdata, stream.tkeep, stream.tlast, stream.tuser)
    contract.claim_stays(offers, ready, payload)

    # Something leaves in every cycle, or is offered and not taken.
    held = Signal(range(depth + 1), name="held")
    goes, went = Signal(), Signal()
    m.d.comb += goes.eq(Mux(offers, ready, held != 0))
    m.d.sync += [held.eq(held + valid - goes), went.eq(goes)]
    contract.see("held", held)
    contract.claim("of_nothing", ~offers | (held != 0))
    contract.claim("one_credit", credit == went)

    source, now = Signal(layout.number), Signal(layout.number)
    head: Any = data.View(struct(layout.head), flit.data[: layout.head.width])
    m.d.comb += now.eq(Mux(flit.head, head.source, source))
    with m.If(valid):
        m.d.sync += source.eq(now)
    armed = Armed(contract, valid, goes, held)
    kept: Any = data.View(flit_layout(width), armed.keep("kept", word))
    kept_source = armed.keep("source", now)
    body: Any = data.View(struct(layout.body), kept.data[: layout.body.width])
    bad = kept.tail & (body.error | kept.data[layout.body.width :].any())
    both = Cat(1, ~kept.tail | body.last_byte)
    contract.claim("no_head", ~armed.front | (offers == ~kept.head))
    comes = armed.front & offers
    contract.claim("data", ~comes | (stream.tdata == body.data))
    contract.claim("last", ~comes | (stream.tlast == kept.tail))
    contract.claim("keep", ~comes | (stream.tkeep == both))
    contract.claim("user", ~comes | (stream.tuser == Cat(bad, kept_source)))
    return contract
