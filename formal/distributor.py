"""Endpoints that share a terminal: each gets the packets that name it, whole, and no others."""

from typing import Any

from amaranth import Cat, Signal

from fingerpost.formal.contract import Contract, at_most_one, stays
from fingerpost.hdl.terminal.endpoints import Distributor

__all__ = ["distributor"]

NUMBER = 1
"""Bits of the number of a node."""


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
