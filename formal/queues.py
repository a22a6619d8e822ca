"""Queues: of a virtual channel, in block RAM, of packets, and between two clocks."""

from typing import Any

from amaranth import (
    Cat,
    ClockDomain,
    ClockSignal,
    EnableInserter,
    Module,
    Mux,
    ResetSignal,
    Signal,
    Value,
)
from amaranth.hdl._ast import AnySeq
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, about, at_most_one, level, past
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.memory import BlockQueue
from fingerpost.hdl.router.vc_buffer import VcBuffer
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.hdl.terminal.packet_queue import PacketQueue
from fingerpost.hdl.terminal.packet_store import PacketStore

BYTES, NUMBER = 1, 1


def vc_buffer(*, depth: int, outputs: int, early: bool = False) -> Contract:
    """Return the contract of a virtual-channel buffer, for any flits pushed while there is room.

    One symbolic flit is tracked. Once the flits ahead of it are popped, it is at the front, with
    its tail, and with its route if it is a head. It is in the row where it was written, to which
    nothing else is written meanwhile. The request holds until the tail is popped. The buffer is
    full if no room is left behind a pending push, known `early` or not at all.
    """
    contract, m, dut = about(VcBuffer(depth=depth, outputs=outputs))
    push, pop, route, tail = contract.free(dut, "push", "pop", "push_route", "push_tail")
    contract.assume(at_most_one(route))
    held = level(contract, "level", depth, up=push, down=pop)
    contract.assume((held != depth) | ~push)
    contract.assume((held != 0) | ~pop)
    m.d.comb += dut.push_pending.eq(push if early else 0)
    contract.claim("full", dut.full == (held + dut.push_pending == depth))
    contract.claim("valid", dut.valid == (held != 0))

    in_packet = Signal()  # the head of the packet that arrives has been pushed
    with m.If(push):
        m.d.sync += in_packet.eq(~tail)
    armed = Armed(contract, push, pop, held)
    its_route, its_tail = armed.keep("its_route", route), armed.keep("its_tail", tail)
    its_head, its_row = armed.keep("its_head", ~in_packet), armed.keep("its_row", dut.write_ptr)
    front, underway = armed.front, Signal()
    with m.If(pop & (front | underway)):
        m.d.sync += underway.eq(Mux(front, its_head & ~its_tail, ~dut.tail))
    for name, value in (("request", dut.request), ("head", dut.head), ("tail", dut.tail)):
        contract.see(name, value)
    contract.claim("head", ~front | (dut.head == its_head))
    contract.claim("tail", ~front | (dut.tail == its_tail))
    contract.claim("route", ~((front & its_head) | underway) | (dut.request == its_route))
    contract.claim("row", ~front | (dut.read_ptr == its_row))
    contract.claim("kept", ~(armed.here & push & (dut.write_ptr == its_row)))
    return contract


def block_queue(*, depth: int, block_rows: int = 4) -> Contract:
    """Return what the queue promises of any pushes while there is room, and pops while `valid`.

    Any one entry is armed. Once those ahead of it are popped it is at the front as it was pushed,
    and at once if there are none. While there are entries, one is missing at the front for at most
    one cycle at a time.
    """
    shape = data.StructLayout({"word": 2})
    contract, m, dut = about(BlockQueue(shape, depth=depth, block_rows=block_rows))
    push, pop, word = contract.free(dut, "push", "pop", "entry")
    valid = contract.see("valid", dut.valid)
    contract.assume(valid | ~pop)
    held = level(contract, "held", depth, up=push, down=pop)
    contract.assume((held != depth) | ~push | pop)
    at_once, missed = Signal(), Signal()
    m.d.sync += [at_once.eq(push & (held == pop)), missed.eq(~valid & (held != 0))]
    contract.claim("valid", ~valid | (held != 0))
    contract.claim("at_once", ~at_once | valid)
    if depth > 1:  # else an entry is pushed into an empty queue
        contract.claim("soon", ~missed | valid)
    armed = Armed(contract, push, pop, held)
    front: Any = dut.front
    contract.claim("front", ~(armed.front & valid) | (front.word == armed.keep("its", word)))
    return contract


def packet_queue(*, depth: int) -> Contract:
    """Return what a queue promises of any user and any sender.

    A beat is accepted unless all rows are in use by packets that can leave. What is offered stays
    until it is taken, and is of a packet that is complete; such a packet is offered within two
    cycles, and then without a pause. Beats leave in order, as they came, but those of packets of
    more than `depth` beats: none of these leaves, and `dropped` is asserted once for each.
    """
    contract, m, dut = about(PacketQueue(width=8 * BYTES, number=NUMBER, depth=depth))
    source, stream = dut.source, dut.stream
    names = "tdata", "tlast", "tuser"
    contract.free(source, "tvalid", *names)
    contract.free(dut, "dest")
    contract.free(stream, "tready")
    ready, valid = contract.see("ready", source.tready), contract.see("valid", stream.tvalid)
    came, goes = source.tvalid & ready, valid & stream.tready
    entering = Cat(*(getattr(source, name) for name in names), dut.dest)
    leaving: Any = Cat(*(getattr(stream, name) for name in names), dut.tdest)

    # The packet that arrives: beats of it that are kept, and whether it is too long.
    length, too_long = Signal(range(depth + 1)), Signal()
    kept, ends = Signal(), Signal()
    overflows = came & ~too_long & (length == depth)
    m.d.comb += [kept.eq(came & ~too_long & ~overflows), ends.eq(kept & source.tlast)]
    m.d.sync += length.eq(Mux(ends | overflows, 0, length + kept))
    with m.If(came):
        m.d.sync += too_long.eq((too_long | overflows) & ~source.tlast)
    contract.claim("dropped", dut.dropped == overflows)

    # Beats of complete packets that have not left.
    complete = Signal(range(depth + 1))
    m.d.sync += complete.eq(complete + Mux(ends, length + 1, 0) - goes)
    contract.see("complete", complete)
    contract.see("length", length)
    contract.claim("complete", ~valid | (complete != 0))
    full = complete + length == depth
    contract.claim("ready", ready | (full & (complete != 0)))
    contract.claim("room", complete + length <= depth)
    waits = (complete != 0) & ~valid
    contract.claim("soon", ~(waits & past(m, waits)))
    inside = Signal()  # a packet has begun to leave
    with m.If(goes):
        m.d.sync += inside.eq(~stream.tlast)
    contract.claim("no_pause", valid | ~inside)
    contract.claim_stays(valid, stream.tready, leaving)

    # Any one beat; it is forgotten with its packet.
    beat, unfinished = Armed(contract, kept, goes, (complete + length)[: len(complete)]), Signal()
    its = beat.keep("its", entering)
    m.d.sync += unfinished.eq((beat.now | unfinished) & ~ends)
    with m.If(unfinished & overflows):
        m.d.sync += [beat.here.eq(0), unfinished.eq(0)]
    contract.claim("as_it_came", ~(valid & beat.front) | (leaving == its))
    contract.claim("in_order", ~(goes & beat.here & unfinished) | ~beat.front)
    return contract


def packet_store(*, limit: int, slots: int = 2) -> Contract:
    """Return what the store promises, whatever its terminal does.

    The slot for writing stays until a packet is complete. Each packet of up to `limit` beats is
    reported once, with its last beat, its length and the destination of its first beat. A
    longer one is dropped, once, and its rest is accepted in every cycle. Any one beat is in its
    slot as it was accepted, until another is written there; it is not read in the cycle of
    its writing.
    """
    layout = FlowLayout(data_width=16, peers=3, header=2, packet_limit=limit)
    flow = FlowControl(3, 1, limit, limit, True, slots)
    contract, m, dut = about(PacketStore(layout, flow))
    stream, packet = dut.stream, dut.packet
    contract.free(stream, "tvalid", "tdata", "tkeep", "tlast", "tuser")
    dest, enable, slot = contract.free(dut, "dest", "enable", "slot")
    read, read_slot, read_index = contract.free(dut, "read", "read_slot", "read_index")
    complete, dropped = contract.see("complete", dut.complete), contract.see("dropped", dut.dropped)
    ready = contract.see("tready", stream.tready)
    taken = stream.tvalid & ready

    beats = Signal(range(limit + 2))  # of the packet so far; limit + 1 stands for more
    first, kept_slot, its_dest = Signal(init=1), Signal.like(slot), Signal.like(dest)
    now = Signal.like(dest)
    m.d.comb += now.eq(Mux(beats == 0, dest, its_dest))
    with m.If(taken):
        m.d.sync += [
            beats.eq(Mux(stream.tlast, 0, Mux(beats > limit, beats, beats + 1))),
            *(its_dest.eq(now), kept_slot.eq(slot), first.eq(stream.tlast)),
        ]
    contract.assume((beats == 0) | (slot == kept_slot))
    too_long = contract.see("too_long", beats > limit)
    contract.claim("ready", ready == (enable | too_long))
    contract.claim("complete", complete == (taken & stream.tlast & (beats < limit)))
    contract.claim("length", ~complete | (packet.length == beats + 1))
    contract.claim("dest", ~complete | (packet.dest == now))
    contract.claim("dropped", dropped == (taken & (beats == limit)))

    # A beat in its place.
    arm, here = contract.anything("arm"), Signal()
    its_slot, its_index = Signal.like(slot), Signal(range(limit))
    kept: Any = Signal(struct(layout.body))
    writes = taken & (beats < limit)
    armed = contract.see("armed", arm & writes & ~here)
    with m.If(armed):
        m.d.sync += [
            *(here.eq(1), its_slot.eq(slot), its_index.eq(beats)),
            *(kept.data.eq(stream.tdata), kept.error.eq(stream.tlast & stream.tuser)),
            kept.last_byte.eq(stream.tlast & stream.tkeep[1]),
        ]
    same = (slot == its_slot) & (beats == its_index)
    with m.Elif(here & writes & same):
        m.d.sync += here.eq(0)
    contract.assume(~(read & writes & (read_slot == slot) & (read_index == beats)))
    reads, its = Signal(), here & (read_slot == its_slot) & (read_index == its_index)
    m.d.sync += reads.eq(Mux(read, its, reads & here))
    contract.claim("beat", ~reads | (dut.beat == kept.as_value()))
    return contract


LATE = 4
"""Ticks of its own clock within which each side sees what the other has done."""

RESET = 6
"""Ticks of both clocks for which a reset is asserted at least."""


class Metastable:
    """A platform for Amaranth whose synchronizers sample bits that are changing.

    Their first flip-flop takes each bit as it is or as it was up to `window` steps before, each bit
    by itself; so the bits of a word may arrive that much apart, too.

    Parameters
    ----------
    window : int
    """

    def __init__(self, window: int = 1) -> None:
        self.window = window

    def get_ff_sync(self, synchronizer: Any) -> Module:
        """Return flip-flops in place of those of a synchronizer of a word."""
        m = Module()
        self._stages(m, synchronizer)
        m.d.comb += synchronizer.o.eq(self._last)
        return m

    def get_async_ff_sync(self, synchronizer: Any) -> Module:
        """Return flip-flops in place of those of a reset, which is released with the clock."""
        m = Module()
        self._stages(m, synchronizer, init=1)
        m.d.comb += synchronizer.o.eq(self._last | synchronizer.i)
        return m

    def _stages(self, m: Module, synchronizer: Any, *, init: int = 0) -> None:
        """Add the flip-flops; the value of the last is `_last`."""
        value: Value = Value.cast(synchronizer.i)
        before = value
        for _ in range(self.window):
            earlier = Signal(len(value), name="earlier", reset_less=True)
            m.d.sync += earlier.eq(before)
            either = AnySeq(len(value))
            before, value = earlier, (value & either) | (earlier & ~either)
        for stage in range(synchronizer._stages):
            flop = Signal(len(value), name=f"stage{stage}", init=init, reset_less=True)
            m.d[synchronizer._o_domain] += flop.eq(value)
            value = flop
        self._last = value


def crossing(*, depth: int, resets: bool = False, window: int = 1) -> Contract:
    """Return what a crossing promises of any two clocks, words and metastable bits.

    In each step either clock ticks, both do, or none does. Words come out as they went in, in
    order, none lost or doubled, and no more are between than there is room for. Each side sees
    within a few ticks of its clock that there is a word, or room. A word that is offered stays.
    A reset of either side, or both, empties the crossing: what was written before does not come
    out.

    Parameters
    ----------
    depth : int
        Words.
    resets : bool
        Whether there are resets, each for three ticks of both clocks at least.
    window : int
        Steps by which bits may be late. More than one is more skew than the constraints allow.
    """
    contract = Contract()
    contract.platform = Metastable(window)
    m = contract.m
    write, read = (contract.anything(f"{side}_tick") for side in ("write", "read"))
    reset = _reset(contract, write, read) if resets else Signal(2)
    for number, side in enumerate(("write", "read")):
        m.domains += ClockDomain(side)
        m.d.comb += [ClockSignal(side).eq(ClockSignal()), ResetSignal(side).eq(reset[number])]
    dut = Crossing(1, depth=depth)
    ticks = {"write": write, "read": read, "queue": write}
    m.submodules.dut = EnableInserter(ticks)(dut)
    contract.free(dut, "w_valid", "w_data", "r_ready")
    for name in ("w_ready", "r_valid", "r_data"):
        contract.see(name, getattr(dut, name))
    calm = ~reset.any()
    taken = contract.see("taken", write & dut.w_valid & dut.w_ready & calm)
    come = contract.see("come", read & dut.r_valid & dut.r_ready & calm)

    held = Signal(range(depth + 2), name="held")
    contract.see("held", held)
    m.d.sync += held.eq(Mux(calm, held + taken - come, 0))
    contract.claim("room", ~taken | (held != depth))
    contract.claim("none_made", ~(dut.r_valid & calm) | (held != 0))
    waits, before = Signal(), Signal.like(dut.r_data)
    m.d.sync += [waits.eq(dut.r_valid & calm & ~come), before.eq(dut.r_data)]
    contract.claim("stays", ~(waits & calm) | (dut.r_valid & (dut.r_data == before)))

    # Any one word.
    word = Armed(contract, taken, come, held)
    with m.If(~calm):
        m.d.sync += word.here.eq(0)
    kept = word.keep("kept", dut.w_data)
    contract.claim("same", ~(word.front & dut.r_valid & calm) | (dut.r_data == kept))

    for name, tick, idle in (
        ("seen", read, (held != 0) & ~dut.r_valid),
        ("free", write, (held != depth) & ~dut.w_ready),
    ):
        waited = Signal(LATE + 2 * resets, name=f"{name}_waited")
        with m.If(~(idle & calm)):
            m.d.sync += waited.eq(0)
        with m.Elif(tick):
            m.d.sync += waited.eq(waited << 1 | 1)
        contract.claim(name, ~waited.all())
    return contract


def _reset(contract: Contract, write: Value, read: Value) -> Signal:
    """Return the resets of both sides: of one, or of both together."""
    m = contract.m
    asserted, which = contract.anything("reset"), contract.constant("which", 2)
    contract.assume(which.any())
    reset = contract.see("resets", Mux(asserted, which, 0))
    enough = []
    for name, tick in (("write", write), ("read", read)):
        count = Signal(range(RESET + 1), name=f"{name}_ticks")
        m.d.sync += count.eq(Mux(asserted, Mux(count == RESET, RESET, count + tick), 0))
        enough.append(count == RESET)
    contract.assume(~past(m, asserted) | asserted | (enough[0] & enough[1]))
    return reset
