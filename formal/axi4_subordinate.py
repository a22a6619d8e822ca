"""The subordinate side of AXI4 terminals, and what joins streams of packets."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import Out

from fingerpost.formal.axi4_requests import FIELDS, RequestPackets
from fingerpost.formal.contract import Armed, Contract, about, at_most_times, level, stays
from fingerpost.golden.terminal.transaction import FIXED, SLVERR, WRAP, TransactionLayout
from fingerpost.hdl.bus.axi import FULL, Axi4Signature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi4_subordinate import AnswerTimeout, Axi4Subordinate
from fingerpost.hdl.terminal.packet_queue import PacketMerge

NUMBER = 2
"""Bits of the number of a node."""

OUTSTANDING = 2

ADDRESS = 4
"""Bits of an address at a subordinate."""


def packet_merge(*, width: int) -> Contract:
    """Return what is promised of two streams that keep the rules of AXI4-Stream.

    What is offered stays, as it is, until it is taken. It is a beat of one of the streams, with the
    node to which that goes, and is taken from that stream, and no other is, in the same cycle.
    Packets stay whole. A beat is offered in every cycle in which a stream offers one, unless a
    packet of the other has begun. While a packet waits to begin, at most one of the other begins.
    """
    contract, m, dut = about(PacketMerge(width=width, number=NUMBER))
    out, names = dut.stream, ("tdata", "tlast", "tuser")
    (ready,) = contract.free(out, "tready")
    valid = contract.see("valid", out.tvalid)
    payload = Cat(*(getattr(out, name) for name in names), dut.tdest)
    contract.claim_stays(valid, ready, payload)

    offers, taken, inside, same, begins = (Signal(2, name=f"its_{x}") for x in "otisb")
    for side, name in enumerate(("first", "second")):
        stream = getattr(dut, name)
        offer, *given = contract.free(stream, "tvalid", *names, prefix=f"{name}_")
        beat = Cat(*given, *contract.free(dut, f"{name}_dest"))
        contract.assume(stays(m, offer, stream.tready, beat))
        m.d.comb += [
            *(offers[side].eq(offer), same[side].eq(beat == payload)),
            taken[side].eq(offer & stream.tready),
            begins[side].eq(taken[side] & ~inside[side]),
        ]
        with m.If(taken[side]):
            m.d.sync += inside[side].eq(~stream.tlast)
    contract.see("taken", taken)
    contract.claim("one_for_one", taken.any() == (valid & ready))
    contract.claim("one", ~taken.all())
    for side, other in ((0, 1), (1, 0)):
        contract.claim(f"as_it_is{side}", ~taken[side] | same[side])
        contract.claim(f"whole{side}", ~taken[side] | ~inside[other])
        contract.claim(f"at_once{side}", ~offers[side] | inside[other] | valid)
        waits = offers[side] & ~inside[side] & ~begins[side]
        contract.claim(f"turn{side}", at_most_times(m, 1, waits, begins[other]))
    return contract


def answer_timeout(*, cycles: int) -> Contract:
    """Return what is promised of any side and of any subordinate of AXI4.

    Until the subordinate is cut off, both see each other. It is cut off after `cycles` cycles in a
    row in which it has something to do and does nothing: accept an address or data that is
    offered, or answer a read, or a write of which it has the last beat. Then it is offered
    nothing, and whatever it sends is taken; the side may send and take what it likes, and all
    responses are SLVERR. So it stays.
    """
    contract = Contract()
    m, bus = contract.m, Axi4Signature(1, 8, id_width=1)
    m.submodules.dut = dut = AnswerTimeout(bus, cycles, most=2)
    side, axi, cut = dut.side, dut.axi, contract.see("cut", dut.cut)
    seen, given = [], []
    for name, member in bus.members.items():
        to, source = (axi, side) if member.flow == Out else (side, axi)
        (value,) = contract.free(source, name)
        seen.append(contract.see(name, getattr(to, name)))
        given.append(value)
    contract.claim("both_ways", cut | (Cat(seen) == Cat(given)))
    of = {name: (getattr(side, f"{name}valid"), getattr(axi, f"{name}valid")) for name in FULL}
    ready = {name: (getattr(side, f"{name}ready"), getattr(axi, f"{name}ready")) for name in FULL}
    forth, back = ("aw", "w", "ar"), ("b", "r")
    contract.claim("nothing", ~cut | ~Cat(of[x][1] for x in forth).any())
    contract.claim("drains", ~cut | Cat(ready[x][1] for x in back).all())
    contract.claim("accepts", ~cut | Cat(ready[x][0] for x in forth).all())
    contract.claim("answers", ~cut | Cat(of[x][0] for x in back).all())
    errors = (side.bresp == SLVERR) & (side.rresp == SLVERR)
    contract.claim("errors", ~cut | errors)

    # Writes of which it has the last beat: none is answered before, and two at most wait.
    due = Signal(2)
    written = axi.wvalid & axi.wready & axi.wlast
    answered = axi.bvalid & axi.bready
    contract.assume(cut | ~answered | (due != 0))
    contract.assume(cut | ~written | (due != 2) | answered)
    m.d.sync += due.eq(due + written - answered)
    idle = [of[x][0] & ~ready[x][1] for x in forth]
    idle += [ready["r"][0] & ~of["r"][1], ready["b"][0] & ~of["b"][1] & (due != 0)]
    moves = Cat(*(of[x][0] & ready[x][1] for x in forth), *(ready[x][0] & of[x][1] for x in back))
    late = Signal(range(cycles + 1))
    m.d.sync += late.eq(Mux(moves.any() | ~Cat(idle).any(), 0, late + (late != cycles)))
    before = Signal()
    m.d.sync += before.eq(cut)
    contract.claim("not_before", ~cut | before | (late == cycles))
    contract.claim("in_time", cut | (late != cycles))
    contract.claim("cut_stays", ~before | cut)
    return contract


def axi4_subordinate(*, parts: int, longest: int, lite: bool = False) -> Contract:
    """Return what a subordinate side promises of whole requests, and of any subordinate.

    A request of up to `longest` beats of data is offered on AR or AW in the cycle after what begins
    it, once, with its fields, ID 0 and no lock. Behind it, on W, is each beat of its data, with
    WLAST at the end. What is offered stays, as it is, until it is taken. A request is taken unless
    the address before it waits, or `OUTSTANDING` reads or writes have no response. With AXI4-Lite
    there is an address for each beat, which AXI4 gives to that.

    A response is sent for each request, in order, reads and writes each, to its source, with its
    tag: for a read as many beats as were asked for, whatever RLAST and RID are, each as it came;
    for a write one, with AXI4-Lite the worst of those of all beats. A response is offered as soon
    as it comes, unless another one that has begun is to end, and never taken without a request.
    """
    layout = TransactionLayout(8 * parts, 8, ADDRESS, OUTSTANDING)
    bus = Axi4Signature(ADDRESS, 8 * parts, id_width=0 if lite else 1)
    bursts = not lite or longest > 1
    contract, m, dut = about(Axi4Subordinate(layout, bus, number=NUMBER, bursts=bursts))
    axi, requests = dut.axi, dut.requests
    comes, beat, last, user = contract.free(requests, "tvalid", "tdata", "tlast", "tuser")
    contract.free(axi, "awready", "wready", "arready")
    ready = contract.see("tready", requests.tready)
    contract.assume(stays(m, comes, ready, Cat(beat, last, user)))

    packets = RequestPackets(contract, layout, longest, requests)
    request, begins, in_data = packets.request, packets.begins, packets.in_data
    contract.assume(~begins | (request.length < longest))
    contract.assume(~comes | (last == packets.last))

    # Its address, or those of all beats.
    begun: Any = data.View(struct(layout.request), packets.begun)
    owed, nth = Signal(range(longest + 1)), Signal(range(longest))
    accepted = (axi.arvalid & axi.arready) | (axi.awvalid & axi.awready)
    m.d.sync += [owed.eq(owed - accepted), nth.eq(nth + accepted)]
    with m.If(begins):
        m.d.sync += [owed.eq(request.length + 1 if lite else 1), nth.eq(0)]
    waits = contract.see("owed", owed) != 0
    contract.claim(
        "asked", Cat(axi.arvalid, axi.awvalid) == Cat(waits & ~begun.write, waits & begun.write)
    )
    address = begun.address
    if lite:
        contract.assume(~begins | _is_legal(request, parts))
        address = _address(m, begun, nth)
    for channel in ("ar", "aw"):

        def of(name: str, channel: str = channel) -> Value:
            return Value.cast(getattr(axi, channel + name))

        said, rest = Cat(of("addr"), of("prot")), Value.cast(0)
        same = said == Cat(address, begun.prot)
        if not lite:
            said, rest = Cat(map(of, FIELDS.values())), of("id").any() | of("lock")
            same = said == Cat(begun[name] for name in FIELDS)
        contract.claim(channel, ~of("valid") | (same & ~rest))
        contract.claim(f"{channel}_stays", stays(m, of("valid"), of("ready"), Cat(said, rest)))

    # Its data.
    whole_beat = packets.left[0] if parts == 2 else Value.cast(1)
    low, high = Signal(layout.write.width), beat[: layout.write.width]
    with m.If(comes & ready):
        m.d.sync += low.eq(beat)
    given: list[Any] = [data.View(struct(layout.write), each) for each in (low, high)[-parts:]]
    strobe, content = (Cat(getattr(x, name) for x in given) for name in ("strobe", "data"))
    contract.claim("w", axi.wvalid == (comes & in_data & whole_beat))
    contract.claim("w_data", ~axi.wvalid | ((axi.wdata == content) & (axi.wstrb == strobe)))
    if not lite:
        contract.claim("w_last", ~axi.wvalid | (axi.wlast == (packets.left == 1)))
    payload = Cat(axi.wdata, axi.wstrb)
    contract.claim("w_stays", stays(m, axi.wvalid, axi.wready, payload))
    contract.claim("w_taken", ~(comes & in_data) | (ready == (axi.wready | ~whole_beat)))

    # Responses.
    contract.free(axi, "bvalid", "bresp", "rvalid", "rdata", "rresp")
    if not lite:
        contract.free(axi, "bid", "rid", "rlast")
    contract.assume(stays(m, axi.bvalid, axi.bready, axi.bresp))
    contract.assume(stays(m, axi.rvalid, axi.rready, Cat(axi.rdata, axi.rresp)))
    free = _responses(contract, dut, longest, begins, request, user[1:])
    contract.claim("ready", ready | in_data | waits | ~free)
    return contract


def _responses(
    contract: Contract, dut: Any, longest: int, begins: Value, request: Any, source: Value
) -> Value:
    """Claim what is sent for a request that begins; return whether another one can."""
    m, axi, layout, out = contract.m, dut.axi, dut.layout, dut.responses
    contract.free(out, "tready", prefix="responses_")
    offers = contract.see("offers", out.tvalid)
    beat: Any = data.View(struct(layout.response), out.tdata[: layout.response.width])
    of_write = contract.see("of_write", beat.write)
    said = Cat(beat.write, beat.tag, beat.resp, Mux(of_write, 0, beat.data))
    contract.claim_stays(offers, out.tready, Cat(said, out.tlast, out.tuser, dut.dest))
    goes = offers & out.tready

    # Beats of a response to a read.
    sent, most = (Signal(range(longest * layout.parts)) for _ in range(2))
    inside, last_part = Signal(), sent[0] if layout.parts == 2 else Value.cast(1)
    m.d.comb += most.eq((request.length + 1) * layout.parts - 1)
    with m.If(goes & ~of_write):
        m.d.sync += [inside.eq(~out.tlast), sent.eq(Mux(out.tlast, 0, sent + 1))]
    contract.see("sent", sent)
    contract.claim("whole", ~(offers & inside) | ~of_write)
    part = axi.rdata.word_select(sent[0] if layout.parts == 2 else 0, layout.flit_data)
    same = Cat(beat.data, beat.resp) == Cat(part, axi.rresp)
    contract.claim("read", ~(offers & ~of_write) | (axi.rvalid & same & ~out.tuser))
    worst, count, takes = Signal(2), Signal(range(longest + 1)), axi.bvalid & axi.bready
    resp = Mux(worst > axi.bresp, worst, axi.bresp)
    write_goes = goes & of_write
    if dut.bus.lite:
        m.d.sync += [worst.eq(Mux(write_goes, 0, Mux(takes, resp, worst)))]
        m.d.sync += [count.eq(Mux(write_goes, 0, count + takes))]
    same = beat.resp == resp
    contract.claim("write", ~(offers & of_write) | (axi.bvalid & same & ~out.tuser))
    takes_read = goes & ~of_write & last_part
    contract.claim("read_taken", (axi.rvalid & axi.rready) == takes_read)
    if dut.bus.lite:
        contract.claim("write_taken", ~write_goes | takes)
    else:
        contract.claim("write_taken", takes == write_goes)

    # Whose they are.
    free = Value.cast(1)
    for name, write, bus in (("read", 0, "r"), ("write", 1, "b")):
        comes, ready = getattr(axi, f"{bus}valid"), getattr(axi, f"{bus}ready")
        enters, its = begins & (request.write == write), of_write == write
        done = goes & its & out.tlast
        held = level(contract, f"{name}s", OUTSTANDING, up=enters, down=done)
        free &= held != OUTSTANDING
        contract.claim(f"{name}_room", ~enters | (held != OUTSTANDING))
        contract.claim(f"{name}_asked", ~(ready | (offers & its)) | (held != 0))
        others = inside | ready if write else Value.cast(0)
        contract.claim(f"{name}_soon", ~(comes & (held != 0)) | others | offers)
        armed = Armed(contract, enters, done, held, name=f"{name}_")
        front = armed.front & offers & its
        named = armed.keep(f"{name}_named", Cat(source, request.tag))
        last = 1 if write else sent == armed.keep("most", most)
        contract.claim(f"{name}_named", ~front | (Cat(dut.dest, beat.tag) == named))
        contract.claim(f"{name}_last", ~front | (out.tlast == last))
        if write and dut.bus.lite:  # it has all responses, and waits for no more
            length = armed.keep("length", request.length[: len(count)])
            contract.claim("all", ~front | (count == length))
            contract.claim("first", ~(armed.front & comes & (count != length)) | ready)
    return free


def _is_legal(request: Any, parts: int) -> Value:
    """Return whether AXI4 allows a burst, of beats that are not wider than the data."""
    wraps = Cat(request.length == beats - 1 for beats in (2, 4)).any()
    wraps &= (request.size == 0) | ~request.address[0]
    allowed = (request.burst < WRAP) | ((request.burst == WRAP) & wraps)
    return allowed & (request.size < parts)


def _address(m: Module, request: Any, number: Value) -> Signal:
    """Return the address of a beat, as the standard of AXI4 defines it."""
    bytes = Mux(request.size == 0, 1, 2)
    aligned = Mux(request.size == 0, request.address, request.address & ~1)
    total = Mux(request.size == 0, request.length + 1, 2 * (request.length + 1))
    following = (aligned + number * bytes)[:ADDRESS]
    low = (total - 1)[:ADDRESS]
    found = Signal(ADDRESS)
    m.d.comb += found.eq(request.address)
    with m.If((number != 0) & (request.burst != FIXED)):
        m.d.comb += found.eq(following)
        with m.If(request.burst == WRAP):
            m.d.comb += found.eq((request.address & ~low) | (following & low))
    return found
