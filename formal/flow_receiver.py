"""Receiver with end-to-end flow control: every flit is taken, and no queue overflows."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, level, past
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    ANSWERS,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.lib.flit import flit_layout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.flow_receiver import FlowReceiver

__all__ = ["flow_receiver"]

PEERS = 2

SOON = 4
"""Cycles: through a queue, and one for an acknowledge."""


def flow_receiver(*, eager: int, receive: int, answers: int = ANSWERS) -> Contract:
    """Return what a receiver of one byte promises, whatever its user does, to senders that behave.

    It is that of a network that keeps the order of packets; see `reassembly` for others.

    Two nodes send whole packets, one at a time, as `FlowSender` does: no more units than the
    window are outstanding from either, and a packet of eager + 1 beats, here the only long ones,
    comes for each grant. Bit 0 of each beat marks a long packet, so that this is known
    where it is delivered. Answers are sent at any time, or never; it may invite at any time.

    A credit goes back for every flit in the cycle after it. What is offered stays, as it is. Any
    one beat comes out once, in order, with its source. Any one request is granted once, in order.
    Never more than `receive` beats are granted that were not handed over; a request for which there
    is space is granted within `SOON` cycles of calm. No more units are acknowledged than were
    handed over, and when all is quiet there is room for a longest packet.
    """
    contract = Contract()
    m = contract.m
    limit = eager + 1
    flow = FlowControl(PEERS, eager, limit, receive, True, answers=answers)
    layout = FlowLayout(data_width=8, nodes=PEERS, header=1, packet_limit=limit)
    width = max(layout.head.width, layout.body.width)
    m.submodules.dut = dut = FlowReceiver(layout, flow, flit_width=width)
    stream, eject = dut.stream, dut.eject
    valid, word = contract.free(eject, "valid", "flit")
    (ready,) = contract.free(stream, "tready")
    answered, _ = contract.free(dut, "answered", "open")
    contract.assume(dut.answer_valid | ~answered)
    cycles = Signal(range(PEERS + 1))
    with m.If(cycles != PEERS):
        m.d.sync += cycles.eq(cycles + 1)
    m.d.comb += [dut.clear.eq(cycles), dut.cleared.eq(cycles == PEERS)]
    contract.assume((cycles == PEERS) | ~valid)

    # What arrives is whole packets.
    flit: Any = data.View(flit_layout(width), word)
    head: Any = data.View(struct(layout.head), flit.data[: layout.head.width])
    is_head, left = valid & flit.head, Signal(range(limit + 1))
    kind, source = head.kind, head.source
    short = (kind == ACK) | (kind == GRANT) | (kind == REQUEST)
    eager_head, data_head = is_head & (kind == EAGER), is_head & (kind == DATA)
    request = contract.see("request", is_head & (kind == REQUEST))
    with m.If(eager_head | data_head):
        m.d.sync += left.eq(head.length)
    with m.Elif(valid & ~is_head):
        m.d.sync += left.eq(left - 1)
    contract.assume(~valid | (flit.head == (left == 0)))
    contract.assume(~is_head | ((kind <= DATA) & (flit.tail == short)))
    contract.assume(~valid | flit.head | (flit.tail == (left == 1)))
    contract.assume(~eager_head | ((head.length != 0) & (head.length <= eager)))
    contract.assume(~(request | data_head) | (head.length == limit))
    contract.see("left", left)

    its_source, its_eager = Signal(1), Signal()
    with m.If(is_head):
        m.d.sync += [its_source.eq(source), its_eager.eq(kind == EAGER)]
    body: Any = data.View(struct(layout.body), flit.data[: layout.body.width])
    contract.assume(~valid | flit.head | (body.data[0] == ~its_eager))

    # Beats, and what is handed over.
    offers, taken = contract.see("offers", stream.tvalid), Signal()
    m.d.comb += taken.eq(stream.tvalid & ready)
    beat = valid & ~flit.head
    held = level(contract, "held", flow.arrivals, up=beat, down=taken)
    overflows = (held == flow.arrivals) & beat & ~taken
    contract.claim("fits", ~overflows)
    contract.claim("of_nothing", ~offers | (held != 0))
    payload = Cat(stream.tdata, stream.tlast, stream.tuser)
    contract.claim_stays(offers, ready, payload)
    contract.claim("credit", eject.credit == past(m, valid))
    armed = Armed(contract, beat, taken, held)
    comes = armed.front & taken
    contract.claim("data", ~comes | (stream.tdata == armed.keep("its_data", body.data)))
    contract.claim("last", ~comes | (stream.tlast == armed.keep("its_last", flit.tail)))
    user = Cat(flit.tail & body.error, its_source)
    contract.claim("user", ~comes | (stream.tuser == armed.keep("its_user", user)))

    # What is known of acknowledges and grants that arrive.
    contract.claim("told", dut.acked == (is_head & (kind == ACK)))
    contract.claim("told_grant", dut.granted == (is_head & (kind == GRANT)))

    # Requests are granted in turn, and there is space for what was granted.
    answer: Any = dut.answer
    acks = contract.see("acks", answered & ~answer.grant)
    grants = contract.see("grants", answered & answer.grant)
    requests = level(contract, "requests", flow.requests, up=request, down=grants)
    contract.claim("asked", ~grants | (requests != 0))
    wanted = Armed(contract, request, grants, requests)
    its_peer, its_slot = wanted.keep("its_peer", source), wanted.keep("its_slot", head.slot)
    turn = wanted.front & grants
    contract.claim("in_turn", ~turn | ((answer.peer == its_peer) & (answer.number == its_slot)))
    promised = Signal(range(receive + limit + 1))
    long = stream.tdata[0]
    m.d.sync += promised.eq(promised + Mux(grants, limit, 0) - (taken & long))
    contract.see("promised", promised)
    contract.claim("space", promised <= receive)
    due = (requests != 0) & (promised + limit <= receive) & dut.open & ~dut.answer_valid
    waited = Signal(SOON + 1)
    m.d.sync += waited.eq(Mux(due, Cat(1, waited), 0))
    contract.claim("granted_soon", ~waited.all())

    # Windows.
    place, handed = Signal(range(limit)), taken & stream.tlast
    with m.If(taken):
        m.d.sync += place.eq(Mux(stream.tlast, 0, place + 1))
    units = Mux(long, 1, place + 1)
    recent = Signal(3)
    m.d.sync += recent.eq(Cat(handed, recent))
    for peer in range(PEERS):
        own = source == peer
        up = Mux(eager_head & own, head.length, request & own)
        down = Mux(acks & (answer.peer == peer), answer.number, 0)
        kept = flow.withheld
        outstanding = level(
            contract, f"outstanding_{peer}", flow.window, up=up, down=down, init=kept
        )
        contract.assume(outstanding + up <= flow.window)
        granted = grants & (answer.peer == peer)
        grants_left = level(
            contract, f"granted_{peer}", flow.window, up=granted, down=data_head & own
        )
        contract.assume(~(data_head & own) | (grants_left != 0))
        more = Mux(handed & (stream.tuser[1] == peer), units, 0)
        debt = level(contract, f"debt_{peer}", flow.window, up=more, down=down, init=kept)
        contract.claim(f"paid_{peer}", down <= debt)
        quiet = ~handed & ~recent.any() & ~dut.answer_valid
        contract.claim(f"nothing_withheld_{peer}", ~quiet | (debt <= flow.window - eager))
    return contract
