"""Stream links: nothing is lost, doubled, reordered or changed while a CRC finds what is wrong."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value

from fingerpost.formal.contract import Contract, at_most_one, claim_room, level
from fingerpost.golden.link.frames import CRC_WIDTH, Frames
from fingerpost.hdl.link.frame_receiver import FrameReceiver
from fingerpost.hdl.link.frame_sender import FrameSender

DEPTH = 1


def _judged(receiver: FrameReceiver, right: Signal) -> FrameReceiver:
    """Return a receiver that is told of each end whether its CRC is right."""

    def judge(m: Module, is_end: Value) -> None:
        told, ended = Signal(), Signal()
        m.d.sync += [ended.eq(is_end), told.eq(right)]
        m.d.comb += [receiver.good.eq(ended & told), receiver.bad.eq(ended & ~told)]

    vars(receiver)["_judge"] = judge
    return receiver


def stream_link(*, channels: int, place_bits: int, flits: int) -> Contract:
    """Return what two ends of a stream link promise, whatever becomes of the words between them.

    In every cycle a word may wait, be lost, or become another one, in both directions. A time-out
    may pass in any cycle. It is assumed that the CRC of a frame is right if the words from the end
    before it on are those that were sent, and wrong otherwise, that routers send and return within
    their credits, and that no end is reset.

    The flits of each channel come out at the other end as they were sent, once and in order, and
    only while the router has room; a router gets a credit only for a flit that it has sent.
    """
    contract = Contract()
    m = contract.m
    frames = Frames(channels, 1, flits, place_bits)
    width = max(frames.body, frames.end.width) + CRC_WIDTH
    m.submodules.dut = dut = Module()
    senders, receivers, rights = list[Any](), list[Any](), list[Signal]()
    for side in "ab":
        sender = FrameSender(frames, width=width, depth=DEPTH)
        rights.append(Signal(name=f"right_{side}"))
        receiver = _judged(FrameReceiver(frames, width=width, depth=DEPTH), rights[-1])
        dut.submodules[f"sender_{side}"], dut.submodules[f"receiver_{side}"] = sender, receiver
        senders.append(sender)
        receivers.append(receiver)
    for side, sender, receiver in zip("ab", senders, receivers, strict=True):
        m.d.comb += [
            sender.accepted.eq(receiver.accepted),
            *(ours.eq(its) for ours, its in zip(sender.freed, receiver.freed, strict=True)),
            sender.good.eq(receiver.good),
            sender.end.eq(receiver.end),
            sender.tick.eq(contract.anything(f"tick_{side}")),
        ]
    _between(contract, "ab", senders[0], receivers[1], rights[1])
    _between(contract, "ba", senders[1], receivers[0], rights[0])

    # Flits go from a to b; the other way are acknowledgements and credits alone.
    valid, word = contract.free(senders[0].near, "valid", "flit")
    (returned,) = contract.free(receivers[1].far, "credit")
    out = receivers[1].far
    m.d.comb += [senders[1].near.valid.eq(0), receivers[0].far.credit.eq(0)]
    contract.assume(at_most_one(valid))
    contract.claim("one_at_a_time", at_most_one(out.valid))
    contract.claim("none_back", ~receivers[0].far.valid.any())
    for v in range(channels):
        credit = senders[0].near.credit[v]
        credits = level(contract, f"credits{v}", DEPTH, up=credit, down=valid[v], init=DEPTH)
        contract.assume((credits != 0) | ~valid[v])
        contract.claim(f"credit{v}", (credits != DEPTH) | ~credit)
        claim_room(contract, v, DEPTH, valid=out.valid[v], credit=returned[v])

    # One channel sends a flit of one kind, later one of another, and any number of a third. What
    # holds for these two holds for all, as an end does not look into flits (P. Wolper, Expressing
    # Interesting Properties of Programs in Propositional Temporal Logic, POPL 1986).
    its = contract.one_of("its", channels)
    kind, seen = word[:2], out.flit.as_value()[:2]
    sent, came = Signal(2), Signal(2)
    comes = (its & out.valid).any()
    with m.If((its & valid).any()):
        m.d.sync += sent.eq(Cat(sent[0] | kind[0], sent[1] | kind[1]))
    new = (kind == 0) | ((kind == 1) & (sent == 0)) | ((kind == 2) & (sent == 1))
    contract.assume(~(its & valid).any() | new)
    with m.If(comes):
        m.d.sync += came.eq(came | seen)
    contract.see("sent", sent)
    contract.see("came", came)
    contract.claim("kinds", ~comes | (seen != 3))
    contract.claim("first", ~comes | (seen != 1) | ((came == 0) & sent[0]))
    contract.claim("second", ~comes | (seen != 2) | ((came == 1) & sent[1]))
    return contract


def _between(contract: Contract, name: str, sender: Any, receiver: Any, is_right: Signal) -> None:
    """Join a sender with a receiver; words wait, are lost, and change at will."""
    m, tx, rx = contract.m, sender.tx, receiver.rx
    names = (f"{what}_{name}" for what in ("ready", "lost", "other"))
    ready, lost, other = (contract.anything(each) for each in names)
    anything = contract.anything(f"word_{name}", receiver.frames.body)
    m.d.comb += tx.ready.eq(ready)
    passes = tx.valid & ready
    word = Mux(other, anything, tx.payload[: receiver.frames.body])
    there, right = (Signal(name=f"{what}_{name}") for what in ("there", "right"))
    payload = Signal(receiver.frames.body, name=f"payload_{name}")
    m.d.sync += [there.eq(passes & ~lost), payload.eq(word)]
    m.d.comb += [rx.valid.eq(there), rx.payload.eq(payload), is_right.eq(right)]

    # Whether the words since the last end are the same at both ends, and whether there are any.
    same, begun = Signal(init=1, name=f"same_{name}"), Signal(name=f"begun_{name}")
    ends, changed = tx.payload[0], word != tx.payload[: receiver.frames.body]
    arrives = word[0]
    m.d.sync += right.eq(same & ends & ~changed)
    with m.If(passes & lost):
        m.d.sync += same.eq(ends & ~begun)
    with m.Elif(passes):
        m.d.sync += [
            begun.eq(~arrives),
            same.eq(Mux(ends, arrives, same & ~changed & ~arrives)),
        ]
    contract.see(f"word_{name}", payload)
    contract.see(f"there_{name}", there)
    contract.see(f"right_{name}", right)
