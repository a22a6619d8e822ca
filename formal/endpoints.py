"""Several endpoints of one terminal: packets come together and apart again."""

from typing import Any

from amaranth import Cat, Signal

from fingerpost.formal.contract import Contract, at_most_one, at_most_times, past, stays
from fingerpost.hdl.terminal.endpoints import Concentrator, Distributor

__all__ = ["concentrator", "distributor"]

NUMBER = 1
"""Bits of the number of a node."""


def concentrator(*, endpoints: int, bytes: int) -> Contract:
    """Return what a concentrator promises of endpoints that keep the rules of AXI4-Stream.

    What is sent stays, as it is, until it is taken. It is packets, each a first beat that names an
    endpoint which offers a packet, and the endpoint to which that goes; then the beats of that
    packet, one by one, and no others, to the same node. If an endpoint offers a beat and no packet
    is under way, one is in the next cycle. While an endpoint offers a packet, at most
    `endpoints` - 1 packets of others begin.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Concentrator(endpoints, bytes=bytes, number=NUMBER)
    sources, stream, width = dut.sources, dut.stream, dut.width
    names = ["tdata", "tlast", "tuser", *(["tkeep"] if bytes > 1 else [])]
    given = contract.free(sources, *names)
    (dest,) = contract.free(dut, "dest")
    (offers,) = contract.free(sources, "tvalid")
    (ready,) = contract.free(stream, "tready")

    # All endpoints keep what they offer.
    def part(value: Signal, number: Any) -> Any:
        return value.word_select(number, len(value) // endpoints)

    its_ready = contract.see("its_tready", sources.tready)
    for e in range(endpoints):
        beat = Cat(*(part(value, e) for value in given), part(dest, e))
        contract.assume(stays(m, offers[e], its_ready[e], beat))

    valid = contract.see("valid", stream.tvalid)
    payload = Cat(*(getattr(stream, name) for name in names), dut.tdest)
    contract.claim_stays(valid, ready, payload)

    # Where in a packet the next beat is, and whose it is.
    first, taken, source, node = Signal(init=1), valid & ready, Signal(width), Signal(NUMBER)
    said_to, said_from = stream.tdata[:width], stream.tdata[width : 2 * width]
    with m.If(taken & first):
        m.d.sync += [first.eq(0), source.eq(said_from), node.eq(dut.tdest)]
    with m.Elif(taken & stream.tlast):
        m.d.sync += first.eq(1)
    contract.see("first", first)
    begins, goes_on = valid & first, valid & ~first
    rest = stream.tdata[2 * width :].any() | stream.tlast | stream.tuser
    contract.claim("no_more", ~begins | ~rest)
    if bytes > 1:
        contract.claim("whole", ~begins | stream.tkeep.all())
    contract.claim("offered", ~begins | offers.bit_select(said_from, 1))
    contract.claim("named", ~begins | (Cat(said_to, dut.tdest) == part(dest, said_from)))
    contract.claim("same_node", ~goes_on | (dut.tdest == node))
    its = Cat(part(value, source) for value in given)
    ours = Cat(getattr(stream, name) for name in names)
    contract.claim("its_beat", ~goes_on | (offers.bit_select(source, 1) & (ours == its)))
    contract.claim("valid", ~(~first & offers.bit_select(source, 1)) | valid)
    contract.claim("no_other", ~its_ready.any() | (~first & (its_ready == 1 << source)))
    contract.claim("taken_once", ~(goes_on & ready) | its_ready.any())

    # A packet begins at once, and every endpoint has its turn.
    contract.claim("at_once", ~past(m, first & offers.any() & ~valid) | valid)
    one = contract.one_of("one", endpoints)
    its_turn = (1 << said_from)[:endpoints] == one
    waiting = (offers & one).any() & ~(~first & ((1 << source)[:endpoints] == one))
    event = taken & first & ~its_turn
    contract.claim("turns", at_most_times(m, endpoints - 1, waiting, event))
    return contract


def distributor(*, endpoints: int, bytes: int) -> Contract:
    """Return what a distributor promises of a terminal that keeps the rules of AXI4-Stream.

    Nothing is offered to two endpoints, and what is offered stays until it is taken. The first beat
    of a packet is taken at once. All others are offered to the endpoint that it names, in the cycle
    in which they come, with the source that it names, and are taken when the endpoint takes them. A
    packet of one beat is offered to the endpoint that this names.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Distributor(endpoints, bytes=bytes, number=NUMBER)
    stream, sinks, width = dut.stream, dut.sinks, dut.width
    names = ["tdata", "tlast", "tuser", *(["tkeep"] if bytes > 1 else [])]
    given = dict(zip(names, contract.free(stream, *names), strict=True))
    (comes,) = contract.free(stream, "tvalid")
    (ready,) = contract.free(sinks, "tready")
    takes = contract.see("takes", stream.tready)
    contract.assume(stays(m, comes, takes, Cat(given.values())))

    offered = contract.see("offered", sinks.tvalid)
    contract.claim("one", at_most_one(offered))
    payload = Cat(getattr(sinks, name) for name in names)
    waits, last_payload = Signal(endpoints), Signal.like(payload)
    m.d.sync += [waits.eq(offered & ~ready), last_payload.eq(payload)]
    contract.claim("stays", ~waits.any() | ((waits & offered) == waits))
    contract.claim("stable", ~waits.any() | (payload == last_payload))

    # Where in a packet the next beat is, and to whom it goes.
    first, to, source = Signal(init=1), Signal(width), Signal(width)
    alone = comes & first & stream.tlast
    with m.If(comes & first):
        m.d.sync += [
            *(first.eq(0), to.eq(stream.tdata[:width])),
            source.eq(stream.tdata[width : 2 * width]),
        ]
    with m.Elif(comes & takes & stream.tlast):
        m.d.sync += first.eq(1)
    contract.see("first", first)
    contract.claim("first_taken", ~(comes & first & ~stream.tlast) | takes)
    contract.claim("alone_kept", ~alone | ~takes)
    contract.claim("first_hidden", ~first | ~offered.any())
    mine = (1 << to)[:endpoints]
    goes_on = comes & ~first
    contract.claim("its_endpoint", ~goes_on | (offered == mine))
    contract.claim("made_up", ~offered.any() | comes)
    contract.claim("taken", ~goes_on | (takes == (ready & mine).any()))

    def part(value: Any) -> Any:
        return value.word_select(to, len(value) // endpoints)

    user = Cat(stream.tuser[0], source, stream.tuser[1:])
    same = [part(getattr(sinks, name)) == given[name] for name in names if name != "tuser"]
    contract.claim("its_beat", ~goes_on | Cat(*same, part(sinks.tuser) == user).all())
    return contract
