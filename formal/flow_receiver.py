"""Receiver with end-to-end flow control: every flit is taken, and beats come out in order."""

from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, about, level, past, stays
from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    ANSWERS,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    SLOTS,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.terminal.flow_receiver import FlowReceiver
from fingerpost.hdl.terminal.reassembly import Reassembly

PEERS = 2

CALM = 5
"""Cycles without an event after which a queue has its front."""

SOON = 4
"""Cycles: through a queue, and one for an acknowledge."""


def reassembly(*, eager: int) -> Contract:
    """Return what is promised of beats and requests that keep within their windows.

    Each of two sources has any fixed packets and requests in each round of its sequence numbers,
    and sends them in any order within its window, each once. Requests are for 2 * eager beats,
    which come in any order, too, once they are granted: at any time there is space.

    A beat that is offered is the next of its stream, has come, is as it came, and stays. Between
    the beats of a packet there is none of another. A request is offered once all before it has
    been handed over, as it came, once, and nothing behind it comes out before what was granted.
    Granted packets come out in the order of grants, with their sources. When all is calm nothing
    waits that is the next of its stream.
    """
    long = 2 * eager
    flow = FlowControl(PEERS, eager, long, 2 * long, False)
    layout = FlowLayout(
        data_width=8, peers=PEERS, header=1, packet_limit=long, sequence=flow.sequence
    )
    contract, m, dut = about(Reassembly(layout, flow))
    contract.free(dut, "push", "granted", "source", "sequence", "request", "body", "last", "pop")
    (grant,) = contract.free(dut, "grant")
    cycles = Signal(range(flow.clearing + 1))
    cleared = cycles == flow.clearing
    with m.If(~cleared):
        m.d.sync += cycles.eq(cycles + 1)
    m.d.comb += [dut.clear.eq(cycles), dut.cleared.eq(cleared)]
    contract.assume(cleared | ~dut.push)
    valid = contract.see("valid", dut.valid)
    contract.assume(valid | ~dut.pop)
    request = dut.request & ~dut.granted
    contract.assume(dut.granted <= ~dut.request)
    its, number = contract.constant("its", PEERS + 1), contract.constant("number", flow.sequence)
    kept: Any = Signal(len(dut.body) + 1)
    word = Cat(dut.last, dut.body)
    shown = Cat(dut.front_last, dut.front_body)
    wanted: Any = dut.wanted

    # What was granted: the oldest one is handed over.
    oldest, second, granted = Signal(1), Signal(1), Signal(range(3))
    over = dut.pop & dut.front_last & ~dut.front_eager
    with m.If(over):
        m.d.sync += oldest.eq(Mux(granted == 2, second, wanted.peer))
    with m.If(grant):
        m.d.sync += second.eq(wanted.peer)
        with m.If(granted == 0):
            m.d.sync += oldest.eq(wanted.peer)
    m.d.sync += granted.eq(granted + grant - over)
    contract.claim("of_whom", ~valid | dut.front_eager | (dut.front_source == oldest))
    contract.claim("granted", ~valid | dut.front_eager | (granted != 0))
    promised = Signal(range(2 * long + 1))
    m.d.sync += promised.eq(promised + Mux(grant, long, 0) - (dut.pop & ~dut.front_eager))
    contract.assume(~grant | (dut.wanted_valid & dut.may_grant & (promised <= long)))
    contract.see("promised", promised)

    calm = Signal(range(CALM + 1))
    quiet = ~valid & ~dut.push & ~dut.wanted_valid & ~grant
    m.d.sync += calm.eq(Mux(quiet, Mux(calm == CALM, calm, calm + 1), 0))
    inside, of = Signal(), Signal(range(PEERS + 1))
    now = Mux(dut.front_eager, dut.front_source, PEERS)
    contract.claim("one_at_a_time", ~(inside & valid) | (now == of))
    with m.If(dut.pop):
        m.d.sync += [inside.eq(~dut.front_last), of.eq(now)]
    contract.claim("stays", stays(m, valid, dut.pop, shown))
    contract.claim("rests", ~past(m, dut.rests) | ~valid)
    full = contract.see("full", ~dut.may_grant & (granted != 2))
    contract.claim("may_grant", ~(full & past(m, full)))

    waiting = list[Value]()
    for stream in range(PEERS + 1):
        source = stream < PEERS
        rows, window = (flow.rows, flow.window) if source else (flow.space, promised)
        width = bits(2 * rows)
        next_ = Signal(width, name=f"next_{stream}")
        contract.see(f"next_{stream}", next_)
        there = Signal(rows, name=f"there_{stream}")
        sequence = dut.sequence[:width]
        comes = dut.push & ((dut.source == stream) & ~dut.granted if source else dut.granted)
        contract.assume(~comes | ((sequence - next_)[:width] < window))
        contract.assume(~comes | ~there.bit_select(sequence[: width - 1], 1))
        offered = valid & (now == stream)
        goes = dut.pop & offered
        asks, answered, asked = Value.cast(0), Value.cast(0), Signal(name=f"asked_{stream}")
        if source:
            lasts = contract.constant(f"lasts_{stream}", 2 * rows)
            requests = contract.constant(f"requests_{stream}", 2 * rows)
            # A request is a packet by itself.
            contract.assume((requests & ~(lasts & lasts.rotate_left(1))) == 0)
            contract.assume(~comes | (dut.last == lasts.bit_select(sequence, 1)))
            contract.assume(~comes | (dut.request == requests.bit_select(sequence, 1)))
            contract.assume(~(comes & request) | (dut.body[: layout.length] == long))
            asks = requests.bit_select(next_, 1)
            turn = dut.wanted_valid & (wanted.peer == stream)
            contract.claim(f"turn_{stream}", ~turn | (asks & there.bit_select(next_[:-1], 1)))
            contract.claim(f"once_{stream}", ~turn | ~asked)
            same = (wanted.length == long) & (
                wanted.slot == kept[1 + layout.length :][: bits(SLOTS)]
            )
            ours = turn & (its == stream) & (next_ == number[:width])
            contract.claim(f"as_asked_{stream}", ~ours | same)
            contract.claim(f"follows_{stream}", ~turn | (wanted.follows == (next_ + 1)[:width]))
            answered = over & (oldest == stream)
            with m.If(grant & turn):
                m.d.sync += asked.eq(1)
            with m.If(answered):
                m.d.sync += asked.eq(0)
            contract.claim(f"held_back_{stream}", ~offered | ~asks)
        else:
            contract.assume(~comes | (dut.last == (sequence[: bits(long)] == long - 1)))
            contract.claim("base", dut.base == (next_ + promised)[:width])
        steps: Value = goes | answered
        place = Const(1, rows) << next_[:-1]
        written = Const(1, rows) << sequence[: width - 1]
        m.d.sync += [
            next_.eq(next_ + steps),
            there.eq((there | Mux(comes, written, 0)) & ~Mux(steps, place, 0)),
        ]
        contract.claim(f"come_{stream}", ~offered | there.bit_select(next_[:-1], 1))
        with m.If(comes & (its == stream) & (sequence == number[:width])):
            m.d.sync += kept.eq(word)
        mine = offered & (its == stream) & (next_ == number[:width])
        same_word = shown == kept[: len(shown)]
        contract.claim(f"as_it_came_{stream}", ~mine | same_word)
        idle = there.bit_select(next_[:-1], 1) & ~asked
        another = inside & (of != stream)
        contract.claim(f"nothing_waits_{stream}", (calm != CALM) | ~idle | another)
        waiting.append(idle)
    still = Signal(range(CALM + 1))
    nothing = ~dut.push & ~inside & ~Cat(*waiting).any()
    m.d.sync += still.eq(Mux(nothing, Mux(still == CALM, still, still + 1), 0))
    contract.claim("rests_soon", (still != CALM) | dut.rests)
    return contract


def flow_receiver(*, eager: int, receive: int, answers: int = ANSWERS) -> Contract:
    """Return what a receiver of one byte promises, whatever its user does, to senders that behave.

    It is that of a network that keeps the order of packets; see `reassembly` for others.

    Two nodes send whole packets, one at a time, as `FlowSender` does: no more units than the
    window are outstanding from either, and a packet of eager + 1 beats, here the only long ones,
    comes for each grant. Bit 0 of each beat marks a long packet, so that this is known
    where it is delivered. Answers are sent at any time, or never; it may invite at any time.

    A credit goes back for every flit in the cycle after it. What is offered stays, as it is. Any
    one beat comes out once, in order, with its source. Any one request is granted once, in order.
    Nothing begins, and nothing is granted, while it may not invite; what it invites is told.
    Never more than `receive` beats are granted that were not handed over; a request for which there
    is space is granted, and a beat is offered, within `SOON` cycles of calm. No more units are
    acknowledged than were handed over, and when all is quiet there is room for a longest packet.
    """
    limit = eager + 1
    flow = FlowControl(PEERS, eager, limit, receive, True, answers=answers)
    layout = FlowLayout(data_width=8, peers=PEERS, header=1, packet_limit=limit)
    width = max(layout.head.width, layout.body.width)
    contract, m, dut = about(FlowReceiver(layout, flow, flit_width=width))
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
    may = dut.open & ~dut.answer_valid
    due = (requests != 0) & (promised + limit <= receive) & may
    for name, waits in (("granted", due), ("offered", (held != 0) & ~offers & may)):
        waited = Signal(SOON + 1, name=f"{name}_waited")
        m.d.sync += waited.eq(Mux(waits, Cat(1, waited), 0))
        contract.claim(f"{name}_soon", ~waited.all())

    # Windows.
    place, handed = Signal(range(limit)), taken & stream.tlast
    with m.If(taken):
        m.d.sync += place.eq(Mux(stream.tlast, 0, place + 1))
    # Packets begin, and requests are granted, only while it may invite; it says what it invites.
    starts, beats = ~past(m, offers & ~ready) & (place == 0) & ~long, Signal(2)
    m.d.comb += beats.eq(Mux(taken & ~long, 1 + (place == 0), 0))
    contract.claim("begins", ~(offers & starts) | dut.open)
    granting = dut.invited - beats
    contract.claim("invites", dut.invites == (dut.invited != 0))
    contract.claim("invited", (granting == 0) | (dut.open & (granting == limit + 1)))
    issued = level(contract, "issued", flow.requests, up=granting != 0, down=grants)
    contract.claim("issued", ~grants | (issued != 0))

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
