"""Two OS-Link ports joined by their wires: each byte comes once, and is acknowledged once."""

from amaranth import Cat, Mux, ResetInserter, Signal

from fingerpost.formal.contract import Contract
from fingerpost.golden.link.os_link import ERRORS
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.hdl.link.os_link import OsLink

__all__ = ["os_links"]


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
