"""OS-Link ports: a receiver, its samples, one port, and two that are joined."""

from typing import Literal

from amaranth import Cat, Const, Mux, ResetInserter, Signal

from fingerpost.formal.contract import Contract, at_most_one, past, stays
from fingerpost.golden.link.parameters import ERRORS, QUIET, STOP, OsLinkParameters
from fingerpost.hdl.link.os_link import OsLink, Receiver

ACKNOWLEDGE, BYTE = 2, 11
"""Bits of a packet, the start bit and a last low one among them."""

SYNCHRONIZER = 2
"""Clocks from the wire to where the receiver sees it."""


def receiver(*, clocks_per_bit: int) -> Contract:
    """Return what a receiver promises of any wire.

    It finds no packet, and no part of one, before the line has once been low for `QUIET` bits,
    which is longer than it is in any packet. Of a packet it finds one end: an acknowledge, a byte,
    or a byte without stop bit.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Receiver(OsLinkParameters(clocks_per_bit=clocks_per_bit))
    m.d.comb += dut.link_in.eq(contract.anything("link_in"))
    found = Cat(dut.acknowledge, dut.byte, dut.bad_stop)
    for name, value in (("found", found), ("header", dut.header), ("active", dut.active)):
        contract.see(name, value)

    most = QUIET * clocks_per_bit - 1
    line, before, low, heard = Signal(), Signal(), Signal(range(most + 1)), Signal()
    m.d.sync += [before.eq(dut.link_in), line.eq(before)]  # as behind the synchronizer
    with m.If(line):
        m.d.sync += low.eq(0)
    with m.Elif(low != most):
        m.d.sync += low.eq(low + 1)
    with m.Else():
        m.d.sync += heard.eq(1)
    contract.claim("heard", heard | ~(found.any() | dut.header | dut.active))
    contract.claim("one_end", at_most_one(found))
    return contract


def os_link(
    *, clocks_per_bit: int = 4, fifo: int = 1, slot: int = 0, late: bool = False
) -> Contract:
    """Return what a port promises on any wire: of any levels at any time, acknowledged or not.

    No byte is accepted before the previous one is acknowledged, and no acknowledge is reported
    that none waits for. An accepted byte is on the wire from the next clock on, unchanged: two
    high bits, its eight from the lowest, a low one, each as long as it should be. All else on the
    wire are acknowledges: a high bit and a low one. What was received stays, and as it is, until
    it is taken.

    Parameters
    ----------
    clocks_per_bit, fifo, slot
        As of `OsLinkParameters`.
    late : bool
        Whether acknowledges are late.
    """
    contract = Contract()
    m = contract.m
    parameters = OsLinkParameters(
        clocks_per_bit=clocks_per_bit,
        fifo=fifo,
        slot=slot,
        acknowledge="late" if late else "overlap",
    )
    m.submodules.dut = dut = OsLink(parameters)
    byte = contract.anything("byte", 8)
    m.d.comb += [
        dut.link_in.eq(contract.anything("link_in")),
        dut.tx.valid.eq(contract.anything("offered")),
        dut.tx.payload.eq(byte),
        dut.rx.ready.eq(contract.anything("reads")),
        dut.tx_break.eq(contract.anything("tx_break")),
    ]
    taken = contract.see("taken", dut.tx.valid & dut.tx.ready)
    done, wire = contract.see("done", dut.tx_done), contract.see("wire", dut.link_out)

    waits = Signal()
    m.d.sync += waits.eq(taken | (waits & ~done))
    contract.claim("window", ~(taken & waits))
    contract.claim("done", ~done | waits)

    # What must be on the wire: the bits that are left, the lowest now; and for how many clocks.
    bits, left, tick = Signal(BYTE), Signal(range(BYTE + 1)), Signal(range(clocks_per_bit))
    now, rest = Signal.like(bits), Signal.like(left)
    ends = tick == clocks_per_bit - 1
    begins = wire & (left == 0)
    m.d.comb += [now.eq(Mux(begins, 1, bits)), rest.eq(Mux(begins, ACKNOWLEDGE, left))]
    m.d.sync += tick.eq(Mux(ends | (rest == 0), 0, tick + 1))
    m.d.sync += [
        bits.eq(Mux(ends, now >> 1, now)),
        left.eq(Mux(ends & (rest != 0), rest - 1, rest)),
    ]
    with m.If(taken):
        m.d.sync += [bits.eq(byte << 2 | Const(0b11)), left.eq(BYTE), tick.eq(0)]
    contract.claim("wire", wire == now[0])
    contract.claim("whole", ~taken | (rest == 0) | ((rest == 1) & ends))

    read = contract.see("received", dut.rx.valid)
    contract.claim("stays", stays(m, read, dut.rx.ready, dut.rx.payload))
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

        # Any one byte: how many come before it.
        chosen, follows = contract.anything(f"{name}_chosen"), Signal(name=f"{name}_follows")
        before, kept = Signal.like(away, name=f"{name}_before"), Signal(8, name=f"{name}_kept")
        with m.If(follows):
            m.d.sync += before.eq(before - come)
            with m.If(come & (before == 0)):
                m.d.sync += follows.eq(0)
        with m.Elif(taken & chosen):
            m.d.sync += [follows.eq(1), before.eq(away - come), kept.eq(source.tx.payload)]
        self.same = ~(follows & come & (before == 0)) | (sink.rx.payload == kept)


def sampler(
    *, clocks_per_bit: int, per_mille: int, stop: Literal["checked", "ignored"] = "checked"
) -> Contract:
    """Return what a receiver finds on a wire that carries whole packets.

    The clocks of sender and receiver have any phases, and periods that differ by `per_mille` at
    most. Seen from the rise of a packet in the receiver's clock, its edge k, which nominally comes
    k * `clocks_per_bit` clocks later, is seen earlier or later by what that adds up to, and by one
    clock: the rise may have been just missed, or the edge. It is seen in any clock of that window,
    as the first flip-flop may take either level if it is metastable. Rising and falling edges are
    delayed alike.

    Once the line has been low for `QUIET` bits, an acknowledge is found for each acknowledge, and
    a byte, unchanged, for each byte, when the last bit is sampled; nothing else is found.
    """
    contract, n = Contract(), clocks_per_bit
    m = contract.m
    parameters = OsLinkParameters(clocks_per_bit=n, stop=stop)
    m.submodules.dut = dut = Receiver(parameters)

    quiet, since = (
        Signal(range(QUIET * n + 2)),
        Signal(range((STOP + 1) * n), init=(STOP + 1) * n - 1),
    )
    is_byte, data = Signal(), Signal(8)
    with m.If(quiet != QUIET * n + 1):
        m.d.sync += quiet.eq(quiet + 1)
    earliest = {bits: _first(bits, n, per_mille) for bits in (2, STOP + 1)}
    over = since >= Mux(is_byte, earliest[STOP + 1], earliest[2])
    starts = contract.see("starts", contract.anything("start") & over & (quiet == QUIET * n + 1))
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
    wire = levels.bit_select(bit, 1)
    m.d.comb += dut.link_in.eq(contract.see("wire", wire | starts))

    end = parameters.middle + (STOP * n if stop == "checked" else (STOP - 1) * n + 1)
    expected = {
        "acknowledge": ~is_byte & (since == n + parameters.middle),
        "byte": is_byte & (since == end),
        "bad_stop": Const(0),
    }
    sent = past(m, data, SYNCHRONIZER)
    for name, value in expected.items():
        now = contract.see(f"{name}_sent", past(m, value, SYNCHRONIZER))
        found = contract.see(name, getattr(dut, name))
        contract.claim(name, found == now)
    contract.claim("data", ~dut.byte | (dut.data == sent))
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
