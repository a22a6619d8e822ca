"""Cells of OS-Links: flits and credits go through as bytes, and no damage stays unseen."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, about, at_most_one, level, past
from fingerpost.golden.link.cells import CREDITS, FLIT, STATUS
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.lib.logic import select
from fingerpost.hdl.link.cell_link import CellReceiver, CellSender

CHANNELS, DEPTH, WIDTH = 2, 1, 24

POLYNOMIAL, INITIAL = 0x1021, 0xFFFF
"""Of CRC-16/IBM-3740."""


def cells(*, damage: bool = False) -> Contract:
    """Return what a sender and a receiver of cells promise, with bytes that wait at will.

    Every flit comes out once, in the order of its channel, as it was; the status of a tail is 0, or
    all ones, and then its packet is bad. So many credits come out of each channel as went in. A
    byte is offered until it is taken, and without a pause of more than a cycle while some wait.

    Parameters
    ----------
    damage : bool
        A byte of one flit changes on its way: then its packet, and no other, is bad.
    """
    sender = CellSender(channels=CHANNELS, depth=DEPTH, flit_width=WIDTH)
    receiver = CellReceiver(channels=CHANNELS, flit_width=WIDTH)
    contract, m, dut = about(Module())
    dut.submodules.sender, dut.submodules.receiver = sender, receiver
    valid, word = contract.free(sender.link, "valid", "flit")
    (credit,) = contract.free(sender, "credit")
    ready = contract.anything("ready")
    flit: Any = data.View(flit_layout(WIDTH), word)
    out = receiver.link

    # The bytes between both, one of which may change.
    passes, place, channel = _cells(contract, sender.bytes, ready, CHANNELS)
    changes, hit, before = Signal(8), Signal(), Signal()
    if damage:
        m.d.comb += [
            changes.eq(contract.anything("changes", 8)),
            hit.eq(passes & (place != 0) & changes.any() & ~before),
        ]
        m.d.sync += before.eq(before | hit)
    m.d.comb += [
        sender.bytes.ready.eq(ready),
        receiver.bytes.valid.eq(sender.bytes.valid & ready),
        receiver.bytes.payload.eq(sender.bytes.payload ^ Mux(hit, changes, 0)),
    ]
    contract.see("hit", hit)
    for name, value in (("byte", receiver.bytes.payload), ("passes", passes), ("out", out.valid)):
        contract.see(name, value)
    contract.claim_stays(sender.bytes.valid, ready, sender.bytes.payload)
    contract.claim("takes", receiver.bytes.ready)

    # The router sends whole packets, and no more than it has credits for; so do the credits.
    contract.assume(at_most_one(valid))
    held, inside = list[Signal](), Signal(CHANNELS)
    credits = list[Signal]()
    for v in range(CHANNELS):
        came = receiver.credit[v]
        held.append(level(contract, f"held{v}", DEPTH, up=valid[v], down=out.valid[v]))
        credits.append(level(contract, f"credits{v}", DEPTH, up=credit[v], down=came))
        contract.assume(~valid[v] | (held[v] != DEPTH))
        contract.assume(~credit[v] | (credits[v] != DEPTH))
        contract.assume(~valid[v] | (flit.head ^ inside[v]))
        with m.If(valid[v]):
            m.d.sync += inside[v].eq(~flit.tail)
        contract.claim(f"of_nothing{v}", ~out.valid[v] | (held[v] != 0))
        contract.claim(f"no_credit{v}", ~came | (credits[v] != 0))
    contract.claim("one_at_a_time", at_most_one(out.valid))
    waits = Cat(*held, *credits).any() & ~sender.bytes.valid & (place == 0)
    low = contract.see("low", waits & past(m, waits))
    contract.claim("not_stuck", ~(low & past(m, low, 2)))

    # What holds for one channel holds for all; with one place it has one flit on its way.
    its, kept = contract.constant("its"), Signal.like(word, name="kept")
    sent, comes = valid.bit_select(its, 1), out.valid.bit_select(its, 1)
    with m.If(sent):
        m.d.sync += kept.eq(word)
    was: Any = data.View(flit_layout(WIDTH), kept)
    hurt = Signal()
    m.d.sync += hurt.eq((hurt & ~(comes & was.tail)) | (hit & (channel == its)))
    bad = contract.see("bad", was.tail & (hurt | was.data[-STATUS:].any()))
    status = Mux(was.tail, bad.replicate(STATUS), was.data[-STATUS:])
    contract.claim("head", ~comes | (out.flit.head == was.head))
    contract.claim("tail", ~comes | (out.flit.tail == was.tail))
    same = (out.flit.data == Cat(was.data[:-STATUS], status)) | hurt
    contract.claim("data", ~comes | same)
    contract.claim("status", ~comes | ~was.tail | (out.flit.data[-STATUS:] == status))
    contract.claim("bad_packet", ~comes | (receiver.bad_packet == bad))
    contract.claim("of_a_packet", ~receiver.bad_packet | out.valid.any())
    contract.claim("bad_cell", ~receiver.bad_cell)
    return contract


def cell_sender(*, channels: int, depth: int) -> Contract:
    """Return what a sender of cells promises, of any flits and credits within credits.

    Each flit is a cell, once, in order: what it is, then its bytes; of a tail the last ones are
    those of a CRC, of which `cells` tells. So many credits are given as came, and no other byte. A
    byte is offered until it is taken, and without a pause of more than a cycle while some wait.
    """
    contract, m, dut = about(CellSender(channels=channels, depth=depth, flit_width=WIDTH))
    valid, word = contract.free(dut.link, "valid", "flit")
    (credit,) = contract.free(dut, "credit")
    (ready,) = contract.free(dut.bytes, "ready")
    offers, byte = dut.bytes.valid, dut.bytes.payload
    passes, place, _ = _cells(contract, dut.bytes, ready, channels)
    contract.claim_stays(offers, ready, byte)
    first = contract.see("first", offers & (place == 0))

    control: Any = data.View(struct(FLIT), byte[: FLIT.width])
    given: Any = data.View(struct(CREDITS), byte)
    gives = first & ~control.flit
    owed = list[Signal]()
    for v in range(channels):
        its = gives & given.channels[v]
        owed.append(level(contract, f"owed{v}", depth, up=credit[v], down=its & ready))
        contract.assume(~credit[v] | (owed[v] != depth))
        contract.claim(f"no_credit{v}", ~its | (owed[v] != 0))
    some = given.channels.any() & ~given.channels[channels:].any()
    contract.claim("credits", ~gives | some)

    comes, goes = valid.any(), passes & (place == WIDTH // 8)
    held = level(contract, "held", channels * depth, up=comes, down=goes)
    contract.assume(at_most_one(valid) & (~comes | (held != channels * depth)))
    begins = first & control.flit
    contract.claim("of_nothing", ~begins | (held != 0))
    armed = Armed(contract, comes, goes, held)
    flit: Any = data.View(flit_layout(WIDTH), armed.keep("its_flit", word))
    its_channel = armed.keep("its_channel", valid)
    wanted = Cat(1, flit.head, flit.tail)
    told = (Cat(control.flit, control.head, control.tail) == wanted) & ~byte[FLIT.width :].any()
    of_it = its_channel == Const(1) << control.channel
    contract.claim("control", ~(begins & armed.front) | (told & of_it))
    content = armed.front & offers & (place != 0)
    is_crc = flit.tail & (place > WIDTH // 8 - STATUS // 8)
    its_byte = flit.data.word_select((place - 1)[: len(place)], 8)
    contract.claim("content", ~content | is_crc | (byte == its_byte))

    waits = (Cat(*owed).any() | (held != 0)) & ~offers
    contract.claim("not_stuck", ~(waits & past(m, waits)))
    return contract


def cell_receiver(*, channels: int) -> Contract:
    """Return what a receiver of cells makes of any bytes.

    A byte that begins a cell and is none of a flit or of credits is told, and skipped. The credits
    of any other come out in the next cycle, and so does a flit after its last byte, with the bytes
    in their places; no credit and no flit comes out otherwise.

    The CRC of a channel begins with a head that is outside a packet, goes on with each byte of the
    channel's cells but the last two of a tail, and is initial after a reset. A packet is bad if its
    tail ends with other bytes than this CRC; the status of the tail is all ones then, else 0.
    """
    contract, m, dut = about(CellReceiver(channels=channels, flit_width=WIDTH))
    valid, byte = contract.free(dut.bytes, "valid", "payload")
    _, place, _ = _cells(contract, dut.bytes, dut.bytes.ready, channels)
    control: Any = data.View(struct(FLIT), byte[: FLIT.width])
    right = (control.channel < channels) & ~byte[FLIT.width :].any()
    credits: Any = data.View(struct(CREDITS), byte)
    first = valid & (place == 0)
    some = credits.channels.any() & ~credits.channels[channels:].any()
    wrong = first & Mux(control.flit, ~right, ~some)
    contract.claim("bad_cell", dut.bad_cell == past(m, wrong))
    given = Mux(first & ~control.flit & some, credits.channels[:channels], 0)
    contract.claim("credit", dut.credit == past(m, given))
    last = valid & (place == WIDTH // 8)
    contract.claim("flit", dut.link.valid.any() == past(m, last))
    contract.claim("one_channel", at_most_one(dut.link.valid))
    kept, content = Signal(FLIT.width), Signal(WIDTH)
    starts = first & control.flit & right
    with m.If(starts):
        m.d.sync += kept.eq(byte)
    with m.If(valid & (place != 0)):
        m.d.sync += content.eq(Cat(content[8:], byte))
    was: Any = data.View(struct(FLIT), kept)
    flit, comes = dut.link.flit, dut.link.valid.any()
    as_it_came = (flit.head == was.head) & (flit.tail == was.tail)
    contract.claim("control", ~comes | (as_it_came & dut.link.valid.bit_select(was.channel, 1)))
    contract.claim("low", ~comes | (flit.data[:-STATUS] == content[:-STATUS]))
    contract.claim("high", ~comes | was.tail | (flit.data[-STATUS:] == content[-STATUS:]))

    crcs, in_crc = list[Value](), was.tail & (place >= WIDTH // 8 - 1)
    for v in range(channels):
        crc, inside = Signal(STATUS, init=INITIAL, name=f"crc{v}"), Signal(name=f"inside{v}")
        begins = starts & (control.channel == v)
        goes_on = valid & (place != 0) & (was.channel == v) & ~in_crc
        with m.If(begins):
            m.d.sync += inside.eq((control.head | inside) & ~control.tail)
        with m.If(begins | goes_on):
            m.d.sync += crc.eq(_crc(Mux(begins & control.head & ~inside, INITIAL, crc), byte))
        crcs.append(crc)
    its_crc = select(Cat(was.channel == v for v in range(channels)), crcs)
    bad = was.tail & (content[-STATUS:] != its_crc)
    contract.claim("bad_packet", dut.bad_packet == (comes & bad))
    contract.claim("status", ~comes | ~was.tail | (flit.data[-STATUS:] == bad.replicate(STATUS)))
    return contract


def _crc(crc: Value, byte: Value) -> Value:
    """Return CRC-16/IBM-3740 after a byte, bit by bit."""
    for bit in reversed(byte):
        crc = Cat(0, crc[:-1]) ^ Mux(crc[-1] ^ bit, POLYNOMIAL, 0)
    return crc


def _cells(
    contract: Contract, bytes: Any, ready: Value, channels: int
) -> tuple[Value, Signal, Signal]:
    """Return whether a byte passes, its place in its cell, and the channel of that."""
    m = contract.m
    passes = bytes.valid & ready
    control: Any = data.View(struct(FLIT), bytes.payload[: FLIT.width])
    right = control.flit & (control.channel < channels) & ~bytes.payload[FLIT.width :].any()
    place, channel = (
        Signal(range(WIDTH // 8 + 1), name="place"),
        Signal(range(channels), name="channel"),
    )
    with m.If(passes & ((place != 0) | right)):
        m.d.sync += place.eq(Mux(place == WIDTH // 8, 0, place + 1))
    with m.If(passes & (place == 0)):
        m.d.sync += channel.eq(control.channel)
    return passes, contract.see("place", place), channel
