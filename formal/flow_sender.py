"""Sender with end-to-end flow control: whole packets, within their windows, in order."""

from typing import Any

from amaranth import Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, level, stays
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.lib.flit import flit_layout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.flow_sender import FlowSender, answer_layout

__all__ = ["flow_sender"]

PEERS = 2


def flow_sender(*, eager: int, credits: int, slots: int = 2, ordered: bool = True) -> Contract:
    """Return what a sender of one byte promises, whatever its terminal does.

    Receivers acknowledge no more than was sent to them, and grant each request once, those of a
    destination in the order in which they came. The header is the number of the destination, and
    one number may have no terminal.

    No flit without a credit. Packets are sent one at a time: a head, then as many beats as it
    says, the last of which is the tail; acknowledges, grants and requests are of one flit. No more
    units than the window are outstanding to any one destination. Any one packet is sent only when
    it is complete, and granted if it is long; as it was taken; and before later ones to the same
    destination, or else, if the network does not keep the order of packets, with the sequence
    number behind theirs, and behind its grant with that of the grant. Answers are sent as they were
    taken, in order, once each.
    """
    contract = Contract()
    m = contract.m
    limit = eager + 1
    flow = FlowControl(PEERS, eager, limit, limit, ordered, slots)
    layout = FlowLayout(
        data_width=8, nodes=PEERS, header=1, packet_limit=limit, sequence=flow.sequence
    )
    width = max(layout.head.width, layout.body.width)
    m.submodules.dut = dut = FlowSender(layout, flow, flit_width=width, credits=credits)
    stream, inject = dut.stream, dut.inject
    contract.free(stream, "tvalid", "tdata", "tlast", "tuser")
    contract.free(dut, "dest", "answer_valid", "acked", "acked_peer", "acked_units", "granted")
    (granted_slot,) = contract.free(dut, "granted_slot")
    if not ordered:
        contract.free(dut, "granted_base")
    (word,), (credit,) = contract.free(dut, "answer"), contract.free(inject, "credit")
    known = contract.constant("known", PEERS)
    m.d.comb += [
        *(dut.header.eq(dut.peer), dut.known.eq(known.bit_select(dut.peer, 1))),
        dut.source.eq(contract.constant("source", len(dut.source))),
    ]
    contract.assume(stays(m, dut.answer_valid, dut.answered, word))

    # Flits.
    valid = contract.see("valid", inject.valid)
    flit: Any = data.View(flit_layout(width), inject.flit)
    head: Any = data.View(struct(layout.head), flit.data[: layout.head.width])
    contract.see("head", flit.head)
    contract.see("kind", head.kind)
    is_head, kind = valid & flit.head, head.kind
    there = level(contract, "there", credits, up=valid, down=credit)
    contract.assume((there != 0) | ~credit)
    contract.claim("room", (there != credits) | ~valid)
    eager_head, data_head = is_head & (kind == EAGER), is_head & (kind == DATA)
    request = contract.see("request", is_head & (kind == REQUEST))
    whole = eager_head | data_head
    left = Signal(range(limit + 1))
    with m.If(whole):
        m.d.sync += left.eq(head.length)
    with m.Elif(valid & ~flit.head):
        m.d.sync += left.eq(left - 1)
    contract.see("left", left)
    contract.claim("one_at_a_time", ~valid | (flit.head == (left == 0)))
    contract.claim("tail", ~valid | (flit.tail == Mux(flit.head, ~whole, left == 1)))
    # There is no gap but for credits.
    contract.claim("contiguous", valid | (left == 0) | (there == credits))
    contract.claim("lengths", ~is_head | _fits(kind, head.length, eager, limit))
    contract.claim("named", ~is_head | (head.source == dut.source))
    replies = is_head & ((kind == ACK) | (kind == GRANT))
    held = level(contract, "answers", 2, up=dut.answered, down=replies)
    contract.claim("answer", (~dut.answered | dut.answer_valid) & (~replies | (held != 0)))
    reply = Armed(contract, dut.answered, replies, held)
    told: Any = data.View(answer_layout(layout, flow), reply.keep("told", word))
    same = (head.header == told.peer) & ((kind == GRANT) == told.grant)
    same &= head.slot == Mux(told.grant, told.number, 0)
    same &= head.length == Mux(told.grant, 0, told.number)
    contract.claim("as_answered", ~(reply.front & replies) | same)

    # The window of one destination.
    its = contract.constant("its", 1)
    own = head.header == its
    up = Mux(eager_head & own, head.length, request & own)
    down = Mux(dut.acked & (dut.acked_peer == its), dut.acked_units, 0)
    outstanding = Signal(range(2 * flow.window + 1), init=flow.withheld)
    contract.see("outstanding", outstanding)
    m.d.sync += outstanding.eq(outstanding + up - down)
    delivered = Signal.like(outstanding, init=flow.withheld)  # of these, what packets were sent
    m.d.sync += delivered.eq(delivered + Mux(eager_head & own, head.length, data_head & own) - down)
    contract.assume(down <= delivered)
    contract.claim("window", (up == 0) | (outstanding + up <= flow.window))

    # One packet.
    ready = contract.see("tready", stream.tready)
    taken = stream.tvalid & ready
    beats, write = Signal(range(limit + 2)), Signal(range(slots))
    dest, now = Signal.like(dut.dest), Signal.like(dut.dest)
    ends = contract.see("ends", taken & stream.tlast & (beats < limit))
    m.d.comb += now.eq(Mux(beats == 0, dut.dest, dest))
    with m.If(taken):
        m.d.sync += [
            beats.eq(Mux(stream.tlast, 0, Mux(beats > limit, beats, beats + 1))),
            dest.eq(now),
        ]
    m.d.sync += write.eq(write + ends)
    arm, here, before = contract.anything("arm"), Signal(), Signal()
    armed = contract.see("armed", arm & ends & ~before & (now == its) & known.bit_select(its, 1))
    slot, to, length = Signal.like(write), Signal.like(dest), Signal(range(limit + 1))
    with m.If(armed):
        m.d.sync += [here.eq(1), before.eq(1), slot.eq(write), to.eq(now), length.eq(beats + 1)]
    sent = contract.see("sent", here & whole & (head.slot == slot))
    later = Signal(slots)  # slots of later packets to the same destination
    with m.If(here & ends & (now == to)):
        m.d.sync += later.bit_select(write, 1).eq(1)
    with m.If(sent):
        m.d.sync += [here.eq(0), later.eq(0)]
    contract.claim("as_stored", ~sent | ((head.header == to) & (head.length == length)))
    overtakes = here & whole & later.bit_select(head.slot[: len(write)], 1)
    if ordered:
        contract.claim("in_order", ~overtakes)
    else:
        issued, its_first = Signal(flow.units), Signal(flow.units)
        fresh = ends & (now == its) & known.bit_select(its, 1)
        with m.If(fresh):
            m.d.sync += issued.eq(issued + Mux(beats < eager, beats + 1, 1))
        with m.If(armed):
            m.d.sync += its_first.eq(issued)
        base = Signal.like(dut.granted_base)
        with m.If(dut.granted & (granted_slot == slot)):
            m.d.sync += base.eq(dut.granted_base)
        of_it = here & (head.slot == slot)
        numbered = of_it & (eager_head | request)
        contract.claim("numbered", ~numbered | (head.sequence == its_first))
        contract.claim("as_granted", ~(of_it & data_head) | (head.sequence == base))
        contract.claim("base", ~(reply.front & replies & told.grant) | (head.sequence == told.base))

    # Requests, and grants of them.
    asked, granted = Signal(slots), Signal(slots)
    place = head.slot[: len(write)]
    with m.If(request):
        m.d.sync += asked.bit_select(place, 1).eq(1)
    with m.If(dut.granted):
        m.d.sync += [
            asked.bit_select(granted_slot, 1).eq(0),
            granted.bit_select(granted_slot, 1).eq(1),
        ]
    with m.If(data_head):
        m.d.sync += granted.bit_select(place, 1).eq(0)
    contract.assume(~dut.granted | asked.bit_select(granted_slot, 1))
    overtaking = here & asked.bit_select(slot, 1) & later.bit_select(granted_slot, 1)
    contract.assume(~(dut.granted & overtaking))
    contract.claim("asked_once", ~request | ~asked.bit_select(place, 1))
    contract.claim("granted", ~data_head | granted.bit_select(place, 1))

    # Only packets that are complete, and not yet sent.
    full = Signal(slots)
    with m.If(whole):
        m.d.sync += full.bit_select(place, 1).eq(0)
    with m.If(ends):
        m.d.sync += full.bit_select(write, 1).eq(known.bit_select(now, 1))
    contract.claim("complete", ~whole | full.bit_select(place, 1))
    contract.claim("not_overwritten", ~(ends & full.bit_select(write, 1)))

    # A beat of the packet that is armed: the one at `index`.
    index, mark = contract.constant("index", len(Signal(range(limit)))), Signal()
    first: Any = Signal(struct(layout.body))
    with m.If(taken & (beats == index) & ~here):
        m.d.sync += [first.data.eq(stream.tdata), first.error.eq(stream.tlast & stream.tuser)]
    kept: Any = Signal(struct(layout.body))
    with m.If(armed):
        m.d.sync += [
            kept.data.eq(Mux(beats == index, stream.tdata, first.data)),
            kept.error.eq(Mux(beats == index, stream.tuser, first.error)),
        ]
    with m.If(whole):
        m.d.sync += mark.eq(sent)
    body = flit.data[: layout.body.width]
    at = valid & ~flit.head & mark & (left + index == length)
    contract.claim("as_it_is", ~at | (body == kept.as_value()))
    return contract


def _fits(kind: Any, length: Any, eager: int, limit: int) -> Any:
    """Return whether a packet of this kind may have this length."""
    short = (length != 0) & (length <= eager)
    long = (length > eager) & (length <= limit)
    return Mux(kind == EAGER, short, Mux((kind == DATA) | (kind == REQUEST), long, 1))
