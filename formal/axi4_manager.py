"""Reads and writes of managers at AXI4 terminals."""

from typing import Any

from amaranth import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.axi4_requests import FIELDS, RequestPackets
from fingerpost.formal.contract import Armed, Contract, about, at_most_times, level, past, stays
from fingerpost.golden.terminal.memory_map import PAGE, MemoryMap, Region
from fingerpost.golden.terminal.transaction import DECERR, INCR, TransactionLayout
from fingerpost.hdl.bus.axi import Axi4Signature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi4_manager import ReadManager, WriteManager, response_layout

OUTSTANDING = 2

LAYOUT = TransactionLayout(16, 16, 14, OUTSTANDING)

BUS, LITE = (
    Axi4Signature(LAYOUT.address_width, LAYOUT.data_width, id_width=width) for width in (2, 0)
)

MAP = MemoryMap(
    [Region(base=0, size=PAGE, nodes="all")],
    nodes=3,
    subordinates=(0, 2),
    address_width=LAYOUT.address_width,
)
"""Four pages, of which two have no subordinate."""

OPEN = OUTSTANDING + 2
"""Transactions of a manager: the address of one waits, and of one the last response does."""


def _numbers(longest: int) -> range:
    """Return the numbers of beats; two at least, since a signal of no bits cannot be shown."""
    return range(max(2, longest))


class Requests:
    """What a manager asks for, and the packets that are sent; any one transaction is armed.

    Attributes
    ----------
    taken, id, length : Value
        An address is accepted, and what it says.
    legal : Signal
        A node has it, and the burst is one that is passed on.
    open, unsent : Signal
        Transactions that are not over, and those of them that are to be sent.
    packets : RequestPackets
    one : Armed
        Any transaction, from its address to its last response.
    its_legal, its_tag : Signal
        Whether it is to be sent; its tag, when it was.
    offered, sent : Value
        A beat of its packet is offered; the last one goes.
    flight : Signal
        The tags of packets that were sent and have no response; for the contract to reset.
    """

    def __init__(
        self, contract: Contract, dut: Any, channel: str, longest: int, over: Value
    ) -> None:
        m, stream, lite = contract.m, dut.request, dut.bus.lite
        # What is known to be short is no wider: else proofs would have to find that out.
        self.length = contract.anything(f"{channel}len", _numbers(longest))
        if not lite:
            m.d.comb += getattr(dut.axi, f"{channel}len").eq(self.length)
        others = [name for name in FIELDS.values() if name != "len"]
        names = ("prot", "addr") if lite else ("id", "lock", *others)
        (valid,) = contract.free(dut.axi, f"{channel}valid")
        driven = contract.free(dut.axi, *(channel + name for name in names))
        given: dict[str, Value] = {"size": Const(1, 3), "burst": Const(INCR, 2)}
        given |= {"id": Const(0), "cache": Const(0, 4), "qos": Const(0, 4)}
        given |= dict(zip(names, driven, strict=True))
        given["len"] = Cat(self.length, Const(0, 8 - len(self.length)))
        self.id = given["id"]
        ready = contract.see(f"{channel}ready", getattr(dut.axi, f"{channel}ready"))
        contract.assume(self.length < longest)
        self.taken: Value = valid & ready
        self.legal, node = _legal(contract, given)
        enters = self.taken & self.legal

        contract.free(stream, "tready")
        offers = contract.see("offers", stream.tvalid)
        goes = offers & stream.tready
        sends = contract.see("sends", goes & stream.tlast)
        self.open = level(contract, "open", OPEN, up=self.taken, down=over)
        self.unsent = level(contract, "unsent", OUTSTANDING, up=enters, down=sends)
        contract.claim_stays(offers, stream.tready, Cat(stream.tdata, stream.tlast, dut.dest))
        contract.claim("asked", ~offers | (self.unsent != 0))
        self.packets = packets = RequestPackets(contract, LAYOUT, longest, stream)
        contract.claim("last", ~offers | (stream.tlast == packets.last))
        contract.claim("user", ~offers | ~stream.tuser)

        # Any one bit of its request, but those of the tag.
        self.one = one = Armed(contract, self.taken, over, self.open)
        sent = Armed(contract, enters, sends, self.unsent, name="sent_", at=one.now & self.legal)
        self.offered, self.sent = sent.front & offers, sent.front & sends
        request: Any = Signal(struct(LAYOUT.request), name=f"{channel}_request")
        m.d.comb += request.write.eq(channel == "aw")
        m.d.comb += [request[name].eq(given[other]) for name, other in FIELDS.items()]
        bit, tag = contract.constant("bit", range(LAYOUT.request.width)), LAYOUT.request["tag"]
        contract.assume((bit < tag.offset) | (bit >= tag.offset + tag.width))
        kept = sent.keep("kept", Value.cast(request).bit_select(bit, 1))
        differs: Value = Const(0)
        for place in range(LAYOUT.request_beats):
            first = place * LAYOUT.width
            inside = (bit >= first) & (bit < first + LAYOUT.width)
            here = stream.tdata.bit_select((bit - first)[: len(bit)], 1)
            differs |= (packets.place == place) & inside & (here != kept)
        contract.claim("request", ~self.offered | ~differs)
        contract.claim("dest", ~self.offered | (dut.dest == sent.keep("its_node", node)))

        # Tags, which are not in use.
        self.its_legal = one.keep("its_legal", self.legal)
        begun: Any = data.View(packets.request.shape(), packets.begun)
        said = Mux(packets.in_data, begun.tag, packets.request.tag)
        self.its_tag, self.flight = Signal(LAYOUT.tag, name="its_tag"), Signal(OUTSTANDING)
        with m.If(self.sent):
            m.d.sync += self.its_tag.eq(said)
        begins = sends.replicate(OUTSTANDING) & (1 << said)[:OUTSTANDING]
        contract.claim("tag", ~(self.flight & begins).any())
        self.begins, self.said = begins, said


def _legal(contract: Contract, given: dict[str, Value]) -> tuple[Signal, Signal]:
    """Return whether a request is passed on, and to which node."""
    m = contract.m
    length, size, burst, address = (given[name] for name in ("len", "size", "burst", "addr"))
    node, has_node = Signal(range(MAP.nodes)), Signal()
    page = PAGE.bit_length() - 1
    with m.Switch(address[page:]):
        for number in range(1 << LAYOUT.address_width - page):
            if (found := MAP.node(number * PAGE)) is not None:
                with m.Case(number):
                    m.d.comb += [node.eq(found), has_node.eq(1)]
    fits: Value = Const(0)
    for log, bytes in ((0, 1), (1, 2)):
        last = address // bytes * bytes + length * bytes  # the first byte of the last beat
        fits |= (size == log) & ((burst != INCR) | (last // PAGE == address // PAGE))
    return contract.see("legal", has_node & fits), node


def read_manager(*, rows: int, longest: int, lite: bool = False) -> Contract:
    """Return what is promised of any manager whose reads are of up to `longest` beats.

    A read that a node has is sent as one packet to that node, in order, as it was asked for, with a
    tag that is not in use; no other is. Responses may come in any order, a beat in any cycle, as
    many as were asked for. On R are the beats of each read, as many as it asked for, with RLAST at
    the end and its ID, in the order of the addresses: for one that was sent those of its response,
    each of which has come; for others DECERR. What is offered stays, as it is, until it is taken.

    While all that is asked for has rows, a packet or an address waits for a cycle at most; a beat
    that is next on R and has come does so too, and one of an error for three.
    """
    contract, m, dut = about(ReadManager(LAYOUT, LITE if lite else BUS, MAP, rows=rows))
    axi = dut.axi
    (ready,) = contract.free(axi, "rready")
    offers = contract.see("rvalid", axi.rvalid)
    goes = offers & ready
    last = Const(1) if lite else axi.rlast
    asked = Requests(contract, dut, "ar", longest, goes & last)

    # Responses: of what was sent, with as many beats as were asked for.
    comes, word = contract.free(dut, "valid", "response")
    response: Any = data.View(response_layout(LAYOUT), word)
    lengths = Array(Signal(_numbers(longest), name=f"length{n}") for n in range(OUTSTANDING))
    count, current = Signal(_numbers(longest)), Signal(LAYOUT.tag)
    ends = (comes & response.last).replicate(OUTSTANDING) & (1 << response.tag)[:OUTSTANDING]
    m.d.sync += asked.flight.eq((asked.flight & ~ends) | asked.begins)
    with m.If(asked.begins.any()):
        m.d.sync += lengths[asked.said].eq(asked.packets.request.length)
    with m.If(comes):
        m.d.sync += [current.eq(response.tag), count.eq(Mux(response.last, 0, count + 1))]
    its_turn = (count == 0) | (response.tag == current)
    wanted = asked.flight.bit_select(response.tag, 1) & its_turn
    contract.assume(~comes | (wanted & (response.last == (count == lengths[response.tag]))))

    # Any one bit of any one beat of the response to any one read.
    number, place = contract.constant("number", _numbers(longest)), contract.constant("place", 4)
    flying, has, kept, resp = Signal(), Signal(), Signal(), Signal(2)
    of_it = comes & flying & (response.tag == asked.its_tag)
    m.d.sync += flying.eq((flying | asked.sent) & ~(of_it & response.last))
    with m.If(of_it & (count == number)):
        m.d.sync += [has.eq(1), kept.eq(response.data.bit_select(place, 1))]
        m.d.sync += resp.eq(response.resp)
    out = Signal(_numbers(longest))
    with m.If(goes):
        m.d.sync += out.eq(Mux(last, 0, out + 1))
    contract.see("out", out)
    front, legal = asked.one.front & offers, asked.its_legal
    length = asked.one.keep("its_length", asked.length)
    now = front & legal & (out == number)
    contract.claim("r_asked", ~offers | (asked.open != 0))
    contract.claim("r_last", ~front | (last == (out == length)))
    if not lite:
        contract.claim("r_id", ~front | (axi.rid == asked.one.keep("its_id", asked.id)))
    contract.claim("r_came", ~now | has)
    same = (axi.rdata.bit_select(place, 1) == kept) & (axi.rresp == resp)
    contract.claim("r_same", ~now | same)
    contract.claim("r_error", ~(front & ~legal) | (axi.rresp == DECERR))
    waits, beat = past(m, offers & ~ready), Cat(axi.rdata, axi.rresp, last)
    beat = beat if lite else Cat(beat, axi.rid)
    contract.claim("r_stays", ~waits | offers)
    contract.claim("r_stable", ~waits | (beat == past(m, beat)))

    # Nothing waits in vain.
    beats = Signal(range(rows + 2 * longest + 1))
    m.d.sync += beats.eq(beats + Mux(asked.taken, asked.length + 1, 0) - goes)
    fits = (beats <= rows) & (asked.open <= OUTSTANDING)
    idle = fits & ~dut.request.tvalid
    late: Value = contract.see("late", (asked.unsent != 0) & idle)
    contract.claim("soon", at_most_times(m, 1, late, late))
    late = ~axi.arready & idle
    contract.claim("ar_soon", at_most_times(m, 1, late, late))
    due = asked.one.front & ~offers
    late = due & legal & has & (out == number)
    contract.claim("r_soon", at_most_times(m, 1, late, late))
    late = due & ~legal
    contract.claim("error_soon", at_most_times(m, 3, late, late))
    return contract


def write_manager(*, rows: int, longest: int, lite: bool = False) -> Contract:
    """Return what is promised of any manager whose writes are of up to `longest` beats.

    An address is accepted at once if the data of the one before is complete and less than
    `OUTSTANDING` writes are open. Then as many beats of data are, as it announces, whatever WLAST
    is, with at most three cycles before the first while there is room. A write that a node has is
    sent as one packet to that node, in order, with a tag that is not in use and its data as it
    came: as soon as it is complete, and without a pause. No other is sent.

    Responses may come in any order. On B is one of each write, with its ID, in the order of the
    addresses: for one that was sent that which has come; for others, when their data is complete,
    DECERR. What is offered stays, as it is, until it is taken, and waits for a cycle at most.
    """
    contract, m, dut = about(WriteManager(LAYOUT, LITE if lite else BUS, MAP, rows=rows))
    axi, stream = dut.axi, dut.request
    (ready,) = contract.free(axi, "bready")
    offers = contract.see("bvalid", axi.bvalid)
    asked = Requests(contract, dut, "aw", longest, offers & ready)

    # Data of the last write that was asked for.
    valid, word, strobe = contract.free(axi, "wvalid", "wdata", "wstrb")
    accepts = contract.see("wready", axi.wready)
    if lite:  # what is offered waits at the manager
        contract.assume(stays(m, valid, accepts, Cat(word, strobe)))
    else:
        contract.free(axi, "wlast")
    passes = valid & accepts
    owed, count = Signal(range(longest + 1)), Signal(range(longest + 1))
    legal = Signal()
    m.d.sync += [owed.eq(owed - passes), count.eq(count + passes)]
    with m.If(asked.taken):
        m.d.sync += [owed.eq(asked.length + 1), count.eq(0), legal.eq(asked.legal)]
    contract.see("owed", owed)
    at_once = (owed == 0) & (asked.open < OUTSTANDING)
    contract.claim("aw_soon", ~at_once | axi.awready)
    contract.claim("aw_next", ~axi.awready | (owed == 0))
    contract.claim("w_asked", ~accepts | (owed != 0))

    # Any one bit of any one beat of any one write.
    number = contract.constant("number", _numbers(longest))
    place = contract.constant("place", range(LAYOUT.write.width))
    current, complete, has, kept = (Signal(name=x) for x in ("its", "complete", "has", "kept"))
    its = (valid if lite else passes) & current & (owed != 0)
    complete_now, has_now = complete | (its & (owed == 1)), has | (its & (count == number))
    kept_now = Mux(has, kept, Cat(strobe, word).bit_select(place, 1))
    with m.If(asked.taken):
        m.d.sync += current.eq(asked.one.now)
    with m.If(passes):
        m.d.sync += [complete.eq(complete_now), has.eq(has_now), kept.eq(kept_now)]
    if not lite:
        complete_now, has_now, kept_now = complete, has, kept
    packets, beat = asked.packets, Signal(range(longest + 1))
    with m.If(stream.tvalid & stream.tready):
        m.d.sync += beat.eq(Mux(packets.in_data, beat + 1, 0))
    now = asked.offered & packets.in_data & (beat == number)
    same = has_now & (stream.tdata.bit_select(place, 1) == kept_now)
    contract.claim("complete", ~asked.offered | complete_now)
    contract.claim("w_same", ~now | same)
    contract.claim("no_pause", (packets.place == 0) | stream.tvalid)

    # Responses.
    comes, given = contract.free(dut, "valid", "response")
    response: Any = data.View(response_layout(LAYOUT), given)
    contract.assume(~comes | asked.flight.bit_select(response.tag, 1))
    ends = comes.replicate(OUTSTANDING) & (1 << response.tag)[:OUTSTANDING]
    m.d.sync += asked.flight.eq((asked.flight & ~ends) | asked.begins)
    flying, came, resp = Signal(), Signal(), Signal(2)
    of_it = comes & flying & (response.tag == asked.its_tag)
    m.d.sync += flying.eq((flying | asked.sent) & ~of_it)
    with m.If(of_it):
        m.d.sync += [came.eq(1), resp.eq(response.resp)]
    front = asked.one.front & offers
    contract.claim("b_asked", ~offers | (asked.open != 0))
    if not lite:
        contract.claim("b_id", ~front | (axi.bid == asked.one.keep("its_id", asked.id)))
    right = Mux(asked.its_legal, came & (axi.bresp == resp), complete & (axi.bresp == DECERR))
    contract.claim("b_right", ~front | right)
    answer = axi.bresp if lite else Cat(axi.bresp, axi.bid)
    contract.claim("b_stays", stays(m, offers, ready, answer))

    # Nothing waits in vain.
    used = Signal(range(4 * rows))
    enters = Mux(asked.taken & asked.legal, asked.length + 1 + LAYOUT.request_beats, 0)
    m.d.sync += used.eq(used + enters - (stream.tvalid & stream.tready))
    room = valid & stream.tready if lite else used <= rows
    late = (owed != 0) & ~accepts & (~legal | room)
    contract.claim("w_soon", at_most_times(m, 3, late, late))
    late = (asked.unsent > (legal & (owed != 0) & ~(valid & lite))) & ~stream.tvalid
    contract.claim("soon", at_most_times(m, 1, late, late))
    late = asked.one.front & ~offers & Mux(asked.its_legal, came, complete)
    contract.claim("b_soon", at_most_times(m, 1, late, late))
    return contract
