"""Reassembly: beats come out in order by stream, none lost or doubled, whatever order they had."""

from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.contract import Contract, stays
from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import SLOTS, FlowControl, FlowLayout
from fingerpost.hdl.terminal.reassembly import Reassembly

__all__ = ["reassembly"]

PEERS = 2

CALM = 5
"""Cycles without an event after which a queue has its front."""


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
    contract = Contract()
    m = contract.m
    long = 2 * eager
    flow = FlowControl(PEERS, eager, long, 2 * long, False)
    layout = FlowLayout(
        data_width=8, nodes=PEERS, header=1, packet_limit=long, sequence=flow.sequence
    )
    m.submodules.dut = dut = Reassembly(layout, flow)
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
    quiet = dut.rests & ~dut.push & ~dut.wanted_valid & ~grant
    m.d.sync += calm.eq(Mux(quiet, Mux(calm == CALM, calm, calm + 1), 0))
    inside, of = Signal(), Signal(range(PEERS + 1))
    now = Mux(dut.front_eager, dut.front_source, PEERS)
    contract.claim("one_at_a_time", ~(inside & valid) | (now == of))
    with m.If(dut.pop):
        m.d.sync += [inside.eq(~dut.front_last), of.eq(now)]
    contract.claim("stays", stays(m, valid, dut.pop, shown))

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
            answered = over & (oldest == stream)
            with m.If(grant & turn):
                m.d.sync += asked.eq(1)
            with m.If(answered):
                m.d.sync += asked.eq(0)
            contract.claim(f"held_back_{stream}", ~offered | ~asks)
        else:
            contract.assume(~comes | (dut.last == (sequence[: bits(long)] == long - 1)))
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
        contract.claim(f"nothing_waits_{stream}", (calm != CALM) | ~idle)
    return contract
