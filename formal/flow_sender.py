"""The sender of a terminal with flow control, and the windows and the pace that it keeps to."""

from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, about, claim_room, level, past, stays
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.terminal.flow_sender import FlowSender, answer_layout
from fingerpost.hdl.terminal.windows import Pace, Windows

AHEAD = 6
"""Sevenths of a flit by which the invitations of a window may exceed 5/7 flits a cycle."""


def windows(*, peers: int, eager: int, ordered: bool = True) -> Contract:
    """Return what the windows promise of any one peer, whatever is done with the others.

    Units are issued to the peer that was read last, when the windows had been cleared; once after
    each reading, not while another is read, and no more than fit. The peer acknowledges no more
    than was issued. Then it is told whether an eager packet fits into the window beside the units
    issued before the cycle of reading, but for those acknowledged two cycles before it or earlier.
    """
    flow = FlowControl(peers, eager, eager, eager, ordered)
    contract, m, dut = about(Windows(flow))
    width, number = len(dut.units), len(dut.peer)
    peer, reads = contract.free(dut, "peer", "read")
    issued, units = contract.free(dut, "issued", "units")
    acked, source, returned = contract.free(dut, "acked", "acked_peer", "acked_units")
    before = Signal(number)
    m.d.comb += dut.issued_peer.eq(before)
    its = contract.constant("its", number)
    contract.assume((its < peers) & (peer < peers) & (source < peers))
    cycles = Signal(range(flow.clearing + 1))
    cleared = cycles == flow.clearing
    with m.If(~cleared):
        m.d.sync += cycles.eq(cycles + 1)
    contract.claim("cleared", dut.cleared == cleared)
    fresh = Signal()  # nothing was issued since the last reading
    with m.If(reads):
        m.d.sync += [before.eq(peer), fresh.eq(cleared)]
    with m.Elif(issued):
        m.d.sync += fresh.eq(0)
    contract.assume(cleared | ~acked)
    contract.assume(~issued | (fresh & ~reads))

    up = Mux(issued & (before == its), units, 0)
    down = Mux(acked & (source == its), returned, 0)
    outstanding = level(contract, "outstanding", flow.window, up=up, down=down, init=flow.withheld)
    contract.assume((outstanding + up <= flow.window) & (down <= outstanding))
    late, read = Signal(width), Signal(range(flow.window + 1))
    m.d.sync += late.eq(down)
    with m.If(reads):
        m.d.sync += read.eq(outstanding + late)
    shown = contract.see("shown", fresh & (before == its))
    contract.see("read", read)
    contract.claim("fits", ~shown | (dut.fits == (flow.window - read >= eager)))
    issues, count, first = issued & (before == its), Signal(flow.units), Signal(flow.units)
    m.d.sync += count.eq(count + Mux(issues, units, 0))
    with m.If(reads):
        m.d.sync += first.eq(count)
    contract.claim("sequence", ~shown | (dut.sequence == first))
    contract.claim("never_more", ~(shown & dut.fits) | (flow.window - outstanding >= eager))
    return contract


def pace(*, limit: int, eager: int, classes: int = 1) -> Contract:
    """Return what a pace promises of receivers that begin packets only while it is open.

    Receivers grant packets of up to `limit` beats, and hand over the beats of eager packets, also
    while it is closed. Whatever arrives:

    - Over any window of T cycles at whose end it is open, 7 F <= 5 T + `AHEAD` for the F flits that
      were invited. A leaky bucket holds the greatest 7 F - 5 T of all windows that end now.
    - While so many flits arrive in a row that there is a queue in routers, it does not open.
    - When nothing is invited, it opens within a bounded number of cycles, and stays open. Only
      those cycles count in which there is no such queue.
    - While there is no such queue, F flits keep it closed for 7 F / 5 cycles and one more at most.
    """
    flow = FlowControl(peers=1, eager=eager, packet_limit=limit, receive=limit, ordered=True)
    contract, m, dut = about(Pace(flow, classes))
    arrives, opens = contract.anything("arrives"), contract.see("open", dut.open)
    m.d.comb += dut.arrives.eq(arrives)
    each = [_invited(contract, c, opens, limit, eager) for c in range(classes)]
    for c, flits in enumerate(each):
        m.d.comb += getattr(dut, f"invited_{c}").eq(flits)
    invited = contract.see("flits", sum(each[1:], each[0]))
    m.d.comb += dut.invites.eq(invited != 0)

    row = Signal(range(flow.full + 1))
    m.d.sync += row.eq(Mux(arrives, Mux(row == flow.full, row, row + 1), 0))
    queue = row == flow.full

    # At most that is outstanding: what is invited while it is open, and beats of eager packets.
    most = classes * (limit + eager + 2) + 1
    bucket = Signal(range(7 * most + AHEAD + 8))
    level = bucket + 7 * invited
    m.d.sync += bucket.eq(Mux(level > 5, level - 5, 0))
    contract.claim("rate", ~opens | (bucket <= AHEAD))

    held = past(m, ~opens & queue)
    contract.claim("queue", ~(held & queue & opens))

    latest = (7 * most + 4) // 5 + 3
    idle = Signal(range(latest + 1))
    with m.If(invited != 0):
        m.d.sync += idle.eq(0)
    with m.Elif(~queue & (idle != latest)):
        m.d.sync += idle.eq(idle + 1)
    contract.claim("opens", opens | (idle != latest))

    # What keeps it closed, 7 for each flit; after a queue that may be all that is outstanding.
    closes = Signal.like(bucket)
    kept = closes + 7 * invited
    m.d.sync += closes.eq(Mux(queue | (kept > 7 * most), 7 * most, Mux(kept > 5, kept - 5, 0)))
    paid = past(m, ~queue & (kept <= 5))
    contract.claim("in_time", ~paid | queue | opens)
    return contract


def _invited(contract: Contract, c: int, opens: Value, limit: int, eager: int) -> Signal:
    """Return the flits that a receiver invites, of a grant and of eager packets."""
    m = contract.m
    length = contract.anything(f"grant_{c}", range(limit + 2))  # with the head; 0: none
    beat = contract.anything(f"beat_{c}")
    rest = contract.anything(f"rest_{c}", range(max(2, eager)))
    left = Signal(range(max(2, eager)), name=f"left_{c}")
    contract.assume((length == 0) | (opens & (length != 1) & (length <= limit + 1)))
    contract.assume(~beat | opens | (left != 0))
    contract.assume(rest < eager)
    with m.If(beat):
        m.d.sync += left.eq(Mux(left == 0, rest, left - 1))
    flits = Signal(range(limit + 4), name=f"invited_{c}")
    m.d.comb += flits.eq(length + Mux(beat, Mux(left == 0, 2, 1), 0))
    return flits


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
    taken, in order, once each. Each packet that is dropped is counted, below the 255 where the
    contract `count` has the counter stop.

    Within `limit` + 3 cycles with a credit an answer is taken. If there is none, all windows have
    room and all requests are granted, then within as many a flit of a complete packet is sent, the
    stream is ready, and a packet that is dropped is counted.
    """
    limit = eager + 1
    flow = FlowControl(PEERS, eager, limit, limit, ordered, slots)
    layout = FlowLayout(
        data_width=8, peers=PEERS, header=1, packet_limit=limit, sequence=flow.sequence
    )
    width = max(layout.head.width, layout.body.width)
    contract, m, dut = about(FlowSender(layout, flow, flit_width=width, credits=credits))
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
    there = claim_room(contract, "", credits, valid=valid, credit=credit)
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

    # Windows.
    all_open: Value = Const(1)  # room for an eager packet in each
    for peer in range(PEERS):
        own = head.header == peer
        up = Mux(eager_head & own, head.length, request & own)
        down = Mux(dut.acked & (dut.acked_peer == peer), dut.acked_units, 0)
        outstanding, delivered = (  # of these, what packets were sent
            Signal(range(2 * flow.window + 1), name=f"{name}_{peer}", init=flow.withheld)
            for name in ("outstanding", "delivered")
        )
        contract.see(f"outstanding_{peer}", outstanding)
        carried = Mux(eager_head & own, head.length, data_head & own)
        m.d.sync += [
            outstanding.eq(outstanding + up - down),
            delivered.eq(delivered + carried - down),
        ]
        contract.assume(down <= delivered)
        contract.claim(f"window_{peer}", (up == 0) | (outstanding + up <= flow.window))
        all_open &= outstanding <= flow.window - eager

    # One packet.
    ready = contract.see("tready", stream.tready)
    taken = stream.tvalid & ready
    beats, write = Signal(range(limit + 2)), Signal(range(slots))
    dest, now = Signal.like(dut.dest), Signal.like(dut.dest)
    its = contract.constant("its", 1)
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

    # Packets that are dropped: of a number without a terminal, or too long.
    refused = contract.see("refused", dut.refused)
    contract.assume(~refused.all())
    counts, owed = Signal.like(refused), Signal(range(slots + 2))
    m.d.comb += counts.eq(refused - past(m, refused))
    drops = (taken & (beats == limit)) + (ends & ~known.bit_select(now, 1))
    m.d.sync += owed.eq(owed + drops - counts)
    contract.claim("counted", counts <= owed)

    # Nothing waits for long.
    able = (there != credits) & dut.cleared
    rests = ~dut.answer_valid & ~valid & ~asked.any() & all_open
    for name, event in (
        ("answers_soon", dut.answer_valid & ~dut.answered),
        ("sends_soon", rests & full.any()),
        ("takes_soon", rests & ~ready),
        ("counts_soon", rests & (owed != 0) & (counts == 0)),
    ):
        waited = Signal(limit + 3, name=f"{name}_waited")
        m.d.sync += waited.eq(Mux(event, Mux(able, Cat(1, waited), waited), 0))
        contract.claim(name, ~(able & event & waited.all()))

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
