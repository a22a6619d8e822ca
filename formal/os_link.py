"""OS-Link ports: a receiver, its samples, one port, and two that are joined."""

from typing import Literal

from amaranth import Cat, Const, Mux, ResetInserter, Signal

from fingerpost.formal.contract import Armed, Contract, about, at_most_one, level, past
from fingerpost.golden.link.parameters import ERRORS, HOLD, QUIET, STOP, OsLinkParameters
from fingerpost.hdl.link.os_link import OsLink, Receiver

ACKNOWLEDGE, BYTE = 2, 11
"""Bits of a packet, the start bit and a last low one among them."""

SYNCHRONIZER = 2
"""Clocks from the wire to where the receiver sees it."""


def os_link(
    *, clocks_per_bit: int = 4, fifo: int = 1, slot: int = 0, late: bool = False
) -> Contract:
    """Return what a port promises on any wire: of any levels at any time, acknowledged or not.

    A byte is accepted when the previous one is acknowledged and the wire is free, unless an
    acknowledge is due; it is on the wire from the next clock on, unchanged: two high bits, its
    eight from the lowest, a low one, each as long as it should be. All else on the wire are
    acknowledges: a high bit and a low one, for each byte that a receiver finds on the other wire,
    once, as soon as there is room for another. These bytes come out in order, as they were, but
    those for which there is no room. An error is reported when it occurs, and at no other time.

    Parameters
    ----------
    clocks_per_bit, fifo, slot
        As of `OsLinkParameters`.
    late : bool
        Whether acknowledges are late.
    """
    parameters = OsLinkParameters(
        clocks_per_bit=clocks_per_bit,
        fifo=fifo,
        slot=slot,
        acknowledge="late" if late else "overlap",
    )
    contract, m, dut = about(OsLink(parameters))
    byte = contract.anything("byte", 8)
    m.d.comb += [
        dut.link_in.eq(contract.anything("link_in")),
        dut.tx.valid.eq(contract.anything("offered")),
        dut.tx.payload.eq(byte),
        dut.rx.ready.eq(contract.anything("reads")),
        dut.tx_break.eq(contract.anything("tx_break")),
    ]
    taken = contract.see("taken", dut.tx.valid & dut.tx.ready)
    wire = contract.see("wire", dut.link_out)
    m.submodules.found = found = Receiver(parameters)  # which has a contract of its own
    m.d.comb += found.link_in.eq(dut.link_in)

    # What must be on the wire: the bits that are left, the lowest now; and for how many clocks.
    bits, tick = Signal(BYTE), Signal(range(clocks_per_bit))
    left = Signal(range(max(HOLD, slot) + 1), init=HOLD)
    now, rest = Signal.like(bits), Signal.like(left)
    ends = tick == clocks_per_bit - 1
    begins = contract.see("begins", wire & (left == 0))  # an acknowledge
    m.d.comb += [
        now.eq(Mux(begins, 1, bits)),
        rest.eq(Mux(begins, max(ACKNOWLEDGE, slot), left)),
    ]
    m.d.sync += [
        tick.eq(Mux(ends | (rest == 0), 0, tick + 1)),
        bits.eq(Mux(ends, now >> 1, now)),
        left.eq(Mux(ends & (rest != 0), rest - 1, rest)),
    ]
    with m.If(taken):
        m.d.sync += [bits.eq(byte << 2 | Const(0b11)), left.eq(max(BYTE, slot)), tick.eq(0)]
    contract.claim("wire", wire == now[0])

    # Bytes that have come.
    stores, leaves = Signal(), contract.see("leaves", dut.rx.valid & dut.rx.ready)
    held = level(contract, "held", fifo, up=stores, down=leaves)
    m.d.comb += stores.eq(found.byte & (held != fifo))
    contract.claim("received", dut.rx.valid == (held != 0))
    came = Armed(contract, stores, leaves, held)
    contract.claim("same", ~came.front | (dut.rx.payload == came.keep("its_data", found.data)))

    # Acknowledges, of which one that is sent is seen in the next clock.
    waits, arriving, owed, owes = Signal(), Signal(), Signal(), found.byte if late else found.header
    m.d.comb += owed.eq(past(m, owes) | (past(m, owed) & ~begins))
    m.d.sync += [
        waits.eq(taken | (waits & ~found.acknowledge)),
        arriving.eq(found.header | (arriving & ~found.byte & ~found.bad_stop)),
    ]
    free = (rest == 0) | ((rest == 1) & ends)
    due = contract.see("due", owed & (held + arriving < fifo))
    in_turn = Signal()  # if acknowledges are as long as bytes, they take turns
    m.d.comb += in_turn.eq((begins | (past(m, in_turn) & ~past(m, taken))) & (slot >= BYTE))
    contract.claim("ready", dut.tx.ready == (free & ~waits & (~due | in_turn)))
    contract.claim("acknowledges", begins == past(m, free & due & ~taken))
    contract.claim("done", dut.tx_done == (found.acknowledge & waits))
    contract.claim("idle", dut.idle == ~(waits | owed | found.active | (rest != 0)))
    errors = {
        "err_frame": found.bad_stop,
        "err_ack": found.acknowledge & ~waits,
        "err_window": found.header & owed,
        "err_over": found.byte & (held == fifo),
    }
    for name, event in errors.items():
        contract.claim(name, getattr(dut, name) == event)
    return contract


def os_links(
    *,
    clocks_per_bit: int = 4,
    fifo: int = 1,
    slots: tuple[int, int] = (0, 0),
    skew: int = 0,
    both: bool = True,
    bound: int = 0,
) -> Contract:
    """Return what two ports promise each other, whatever is sent and whenever it is read.

    Bytes come out in order, as they were, none is lost and none made, and no more are away than
    there is room for; each is acknowledged once before the next is taken; neither port finds
    anything wrong. One of them leaves its reset up to `skew` clocks after the other.

    Parameters
    ----------
    clocks_per_bit, fifo : int
        As of `OsLinkParameters`.
    slots : pair of int
        As `slot` there, of each port.
    skew : int
    both : bool
        Whether both send.
    bound : int
        If not 0, both always send and read, and in so many clocks each has a byte acknowledged.
    """
    contract = Contract()
    m = contract.m
    one, other = (
        OsLink(OsLinkParameters(clocks_per_bit=clocks_per_bit, fifo=fifo, slot=slot))
        for slot in slots
    )
    m.submodules.one = one
    if not skew:
        m.submodules.other = other
    else:
        late, clock = contract.constant("late", range(skew + 1)), Signal(range(skew + 1))
        m.d.sync += clock.eq(Mux(clock == skew, clock, clock + 1))
        m.submodules.other = ResetInserter(clock < late)(other)
    m.d.comb += [one.link_in.eq(other.link_out), other.link_in.eq(one.link_out)]
    for name, port in (("one", one), ("other", other)):
        offers, reads = (contract.anything(f"{name}_{x}") for x in ("offers", "reads"))
        if bound:
            contract.assume(offers & reads)
        m.d.comb += [
            port.tx.valid.eq(offers if both or name == "one" else 0),
            port.tx.payload.eq(contract.anything(f"{name}_byte", 8)),
            port.rx.ready.eq(reads),
        ]
    wrong = [getattr(port, error) for port in (one, other) for error in ERRORS]
    contract.claim("sound", ~Cat(wrong).any())
    ways = [_Way(contract, "one", one, other)]
    ways += [_Way(contract, "other", other, one)] if both else []
    for claim in ("none_made", "room", "once", "same"):
        contract.claim(claim, Cat(getattr(way, claim) for way in ways).all())
    if bound:
        for name, way in zip(("one", "other"), ways, strict=True):
            waited = Signal(range(bound + 1), name=f"{name}_waited")
            m.d.sync += waited.eq(Mux(way.done, 0, waited + 1))
            contract.claim(f"{name}_served", waited != bound)
    return contract


class _Way:
    """What is claimed of the bytes of one direction."""

    def __init__(self, contract: Contract, name: str, source: OsLink, sink: OsLink) -> None:
        m, fifo = contract.m, source.parameters.fifo
        taken = contract.see(f"{name}_taken", source.tx.valid & source.tx.ready)
        come = contract.see(f"{name}_come", sink.rx.valid & sink.rx.ready)
        done = contract.see(f"{name}_done", source.tx_done)
        away = Signal(range(fifo + 3), name=f"{name}_away")
        m.d.sync += away.eq(away + taken - come)
        self.none_made = ~(come & (away == 0))
        self.room = away <= fifo + 1
        waits = Signal(name=f"{name}_waits")
        m.d.sync += waits.eq(taken | (waits & ~done))
        self.done = done
        self.once = ~(taken & waits) & (~done | waits)

        byte = Armed(contract, taken, come, away, name=f"{name}_")
        kept = byte.keep(f"{name}_kept", source.tx.payload)
        self.same = ~(byte.front & come) | (sink.rx.payload == kept)


def receiver(
    *, clocks_per_bit: int, per_mille: int, stop: Literal["checked", "ignored"] = "checked"
) -> Contract:
    """Return what a receiver finds on a wire of any levels that carries packets in the end.

    It finds no packet, and no part of one, before the line has once been low for `QUIET` bits,
    which is longer than it is in any packet. Of a packet it finds one end: an acknowledge, a byte,
    or a byte without stop bit.

    The clocks of sender and receiver have any phases, and periods that differ by `per_mille` at
    most. Seen from the rise of a packet in the receiver's clock, its edge k, which nominally comes
    k * `clocks_per_bit` clocks later, is seen earlier or later by what that adds up to, and by one
    clock: the rise may have been just missed, or the edge. It is seen in any clock of that window,
    as the first flip-flop may take either level if it is metastable. Rising and falling edges are
    delayed alike.

    Once the line has been low for `QUIET` bits before such packets, an acknowledge is found for
    each acknowledge, and a header and a byte, unchanged, for each byte, when its last bit is
    sampled; nothing else is found.
    """
    contract, n = Contract(), clocks_per_bit
    m = contract.m
    parameters = OsLinkParameters(clocks_per_bit=n, stop=stop)
    m.submodules.dut = dut = Receiver(parameters)
    found = Cat(dut.acknowledge, dut.byte, dut.bad_stop)
    contract.claim("one_end", at_most_one(found))

    # The wire: any levels at first, then low, then packets.
    wire, any_levels, settled = Signal(), Signal(init=1), Signal()
    noise = contract.see("noise", any_levels & contract.anything("lasts"))
    last = QUIET * n + 1
    # A reset does not clear the synchronizer: it still holds what was on the wire before.
    low = Signal(range(last + 1), init=SYNCHRONIZER, reset_less=True)
    clocks = Signal(range(last + 1), init=SYNCHRONIZER)
    calm = ~noise & (settled | ((low == last) & (clocks == last)))
    m.d.sync += [
        *(any_levels.eq(noise), settled.eq(calm)),
        low.eq(Mux(wire, 0, low + (low != last))),
        clocks.eq(clocks + (clocks != last)),
    ]
    since = Signal(range((STOP + 1) * n), init=(STOP + 1) * n - 1)
    is_byte, data = Signal(), Signal(8)
    earliest = {bits: _first(bits, n, per_mille) for bits in (2, STOP + 1)}
    over = since >= Mux(is_byte, earliest[STOP + 1], earliest[2])
    starts = contract.see("starts", contract.anything("start") & over & calm)
    with m.If(starts):
        m.d.sync += [
            since.eq(1),
            is_byte.eq(contract.anything("of_byte")),
            data.eq(contract.anything("of_data", 8)),
        ]
    with m.Elif(since != (STOP + 1) * n - 1):
        m.d.sync += since.eq(since + 1)

    levels = Cat(Const(1), is_byte, Mux(is_byte, data, 0), Const(0))
    least, most, before, bit = (Signal(range(STOP + 1)) for _ in range(4))
    with m.Switch(since):
        for clock in range((STOP + 1) * n):
            with m.Case(clock):
                m.d.comb += Cat(least, most).eq(Cat(*map(_bit, _bits(clock, n, per_mille))))
    waits = contract.anything("waits") & (before < most)
    m.d.comb += bit.eq(Mux(waits, Mux(before < least, least, before), most))
    m.d.sync += before.eq(Mux(starts, 0, bit))
    packets = starts | levels.bit_select(bit, 1)
    m.d.comb += [
        wire.eq(Mux(noise, contract.anything("level"), packets)),
        dut.link_in.eq(contract.see("wire", wire)),
    ]

    heard = Signal()
    quiet = ~wire & (low >= QUIET * n - 1) & (clocks >= QUIET * n - 1)
    m.d.sync += heard.eq(heard | quiet)
    finds = found.any() | dut.header | dut.active
    contract.claim("heard", ~finds | past(m, heard, SYNCHRONIZER))
    end = parameters.middle + (STOP * n if stop == "checked" else (STOP - 1) * n + 1)
    expected = {
        "header": is_byte & (since == n + parameters.middle),
        "acknowledge": ~is_byte & (since == n + parameters.middle),
        "byte": is_byte & (since == end),
        "bad_stop": Const(0),
    }
    listens = past(m, calm, SYNCHRONIZER)
    for name, value in expected.items():
        now = contract.see(f"{name}_sent", past(m, value, SYNCHRONIZER))
        shown = contract.see(name, getattr(dut, name))
        contract.claim(name, ~listens | (shown == now))
    contract.claim("data", ~listens | ~dut.byte | (dut.data == past(m, data, SYNCHRONIZER)))
    return contract


def _bit(number: int) -> Const:
    return Const(number, range(STOP + 1))


def _most(edge: int, n: int, per_mille: int) -> int:
    """Return by how many clocks an edge may be seen too early or too late."""
    return 1 + edge * n * per_mille // 1000 if edge else 0


def _first(edge: int, n: int, per_mille: int) -> int:
    """Return the first clock in which what is behind an edge may be seen."""
    return edge * n - _most(edge, n, per_mille)


def _bits(clock: int, n: int, per_mille: int) -> tuple[int, int]:
    """Return the first and last bit that may be seen in a clock."""
    edges = range(STOP + 1)
    seen = [k for k in edges if k * n + _most(k, n, per_mille) <= clock]
    may_be = [k for k in edges if _first(k, n, per_mille) <= clock]
    return seen[-1], may_be[-1]
