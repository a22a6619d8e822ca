"""The subordinate side of AXI4 terminals, and what joins streams of packets."""

from typing import Any

from amaranth import Cat, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.axi4_requests import FIELDS, RequestPackets
from fingerpost.formal.contract import Armed, Contract, at_most_times, level, stays
from fingerpost.golden.terminal.transaction import TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi4_subordinate import Axi4Subordinate
from fingerpost.hdl.terminal.packet_merge import PacketMerge

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
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = PacketMerge(width=width, number=NUMBER)
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


def axi4_subordinate(*, parts: int, longest: int) -> Contract:
    """Return what a subordinate side promises of whole requests, and of any subordinate.

    A request of up to `longest` beats of data is offered on AR or AW in the cycle after what begins
    it, once, with its fields, ID 0 and no lock. Behind it, on W, is each beat of its data, with
    WLAST at the end. What is offered stays, as it is, until it is taken. A request is taken unless
    the address before it waits, or `OUTSTANDING` reads or writes have no response.

    A response is sent for each request, in order, reads and writes each, to its source, with its
    tag: for a read as many beats as were asked for, whatever RLAST and RID are, each as it came;
    for a write one. A response is offered as soon as it comes, unless another one that has begun
    is to end, and never taken without a request.
    """
    contract = Contract()
    m = contract.m
    layout = TransactionLayout(8 * parts, 8, ADDRESS, OUTSTANDING)
    bus = Axi4Signature(ADDRESS, 8 * parts, id_width=1)
    m.submodules.dut = dut = Axi4Subordinate(layout, bus, number=NUMBER)
    axi, requests = dut.axi, dut.requests
    comes, beat, last, user = contract.free(requests, "tvalid", "tdata", "tlast", "tuser")
    contract.free(axi, "awready", "wready", "arready")
    ready = contract.see("tready", requests.tready)
    contract.assume(stays(m, comes, ready, Cat(beat, last, user)))

    packets = RequestPackets(contract, layout, longest, requests)
    request, begins, in_data = packets.request, packets.begins, packets.in_data
    contract.assume(~begins | (request.length < longest))
    contract.assume(~comes | (last == packets.last))

    # Its address.
    owed = Signal(2)
    enters = begins.replicate(2) & Cat(~request.write, request.write)
    m.d.sync += owed.eq((owed & ~Cat(axi.arready, axi.awready)) | enters)
    contract.claim("asked", Cat(axi.arvalid, axi.awvalid) == owed)
    for channel in ("ar", "aw"):

        def of(name: str, channel: str = channel) -> Value:
            return Value.cast(getattr(axi, channel + name))

        said, rest = Cat(*map(of, FIELDS)), of("id").any() | of("lock")
        same = said == packets.begun[packets.offset :]
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
    contract.claim("w_last", ~axi.wvalid | (axi.wlast == (packets.left == 1)))
    payload = Cat(axi.wdata, axi.wstrb, axi.wlast)
    contract.claim("w_stays", stays(m, axi.wvalid, axi.wready, payload))
    contract.claim("w_taken", ~(comes & in_data) | (ready == (axi.wready | ~whole_beat)))

    # Responses.
    contract.free(axi, "bvalid", "bresp", "bid", "rvalid", "rdata", "rresp", "rid", "rlast")
    contract.assume(stays(m, axi.bvalid, axi.bready, axi.bresp))
    contract.assume(stays(m, axi.rvalid, axi.rready, Cat(axi.rdata, axi.rresp)))
    free = _responses(contract, dut, longest, begins, request, user[1:])
    contract.claim("ready", ready | in_data | owed.any() | ~free)
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
    same = beat.resp == axi.bresp
    contract.claim("write", ~(offers & of_write) | (axi.bvalid & same & ~out.tuser))
    takes_read = goes & ~of_write & last_part
    contract.claim("read_taken", (axi.rvalid & axi.rready) == takes_read)
    contract.claim("write_taken", (axi.bvalid & axi.bready) == (goes & of_write))

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
        others = inside if write else Value.cast(0)
        contract.claim(f"{name}_soon", ~(comes & (held != 0)) | others | offers)
        armed = Armed(contract, enters, done, held, name=f"{name}_")
        front = armed.front & offers & its
        named = armed.keep(f"{name}_named", Cat(source, request.tag))
        last = 1 if write else sent == armed.keep("most", most)
        contract.claim(f"{name}_named", ~front | (Cat(dut.dest, beat.tag) == named))
        contract.claim(f"{name}_last", ~front | (out.tlast == last))
    return free
