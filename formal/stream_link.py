"""Stream links: nothing is lost, doubled, reordered or changed while a CRC finds what is wrong."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.hdl import Fragment

from fingerpost.formal.contract import Contract, at_most_one, level, past
from fingerpost.golden.link.frames import CRC_POLYNOMIAL, CRC_WIDTH, Frames, time_out
from fingerpost.hdl.link.frame_receiver import FrameReceiver
from fingerpost.hdl.link.frame_sender import FrameSender

DEPTH = 1


def stream_link(*, channels: int, place_bits: int, flits: int, within: int = 0) -> Contract:
    """Return what two ends of a stream link promise, whatever becomes of the words between them.

    In every cycle a word may wait, be lost, or become another one, in both directions. A time-out
    may pass in any cycle. It is assumed that the CRC of a frame is right if the words from the end
    before it on are those that were sent, and wrong otherwise, that routers send and return within
    their credits, and that no end is reset.

    The flits of each channel come out at the other end as they were sent, once and in order, and
    only while the router has room; a router gets a credit only for a flit that it has sent. The
    laws of `_Ends` hold. With `within`, it has the claims of `stream_recovery`, too, and that of
    `frame_crc` about senders.
    """
    ends = _Ends(channels, place_bits, flits, recovers=within > 0)
    contract, m = ends.contract, ends.contract.m
    for name, law in ends.laws.items():
        contract.claim(name, law)
    if within:
        ends.claim_recovery(within)
        for side, sender in enumerate(ends.senders):
            tx, ended = sender.tx, Signal(name=f"ended{side}")  # the first after a reset may be bad
            m.d.sync += ended.eq(ended | (tx.valid & tx.ready & tx.payload[0]))
            contract.claim(f"crc{side}", ~ended | _is_right(m, sender.frames, tx, tx.ready))
    contract.claim("one_at_a_time", at_most_one(ends.out.valid))
    contract.claim("none_back", ~ends.receivers[0].far.valid.any())
    for v in range(channels):
        contract.claim(f"room{v}", (ends.there[v] != DEPTH) | ~ends.out.valid[v])
        contract.claim(f"credit{v}", (ends.credits[v] != DEPTH) | ~ends.credit[v])

    # One channel sends a flit of one kind, later one of another, and any number of a third. What
    # holds for these two holds for all, as an end does not look into flits (P. Wolper, Expressing
    # Interesting Properties of Programs in Propositional Temporal Logic, POPL 1986).
    its = contract.one_of("its", channels)
    kind, seen = ends.flit[:2], ends.out.flit.as_value()[:2]
    sent, came = Signal(2), Signal(2)
    comes = (its & ends.out.valid).any()
    with m.If((its & ends.valid).any()):
        m.d.sync += sent.eq(Cat(sent[0] | kind[0], sent[1] | kind[1]))
    new = (kind == 0) | ((kind == 1) & (sent == 0)) | ((kind == 2) & (sent == 1))
    contract.assume(~(its & ends.valid).any() | new)
    with m.If(comes):
        m.d.sync += came.eq(came | seen)
    contract.see("sent", sent)
    contract.see("came", came)
    contract.claim("kinds", ~comes | (seen != 3))
    contract.claim("first", ~comes | (seen != 1) | ((came == 0) & sent[0]))
    contract.claim("second", ~comes | (seen != 2) | ((came == 1) & sent[1]))
    return contract


def stream_recovery(*, channels: int, place_bits: int, flits: int, within: int) -> Contract:
    """Return within how many undisturbed cycles flits arrive and credits are returned.

    The ends may be in any state in which the laws of `_Ends` hold, which `stream_link` claims:
    whatever became of words before. Then no word waits, is lost or becomes another, a time-out
    passes each `time_out` cycles, and the router returns each credit at once. Each flit that waits
    in an end arrives, and the router gets a credit if it has none, in less than `within` cycles.
    """
    ends = _Ends(channels, place_bits, flits, recovers=True)
    for law in ends.laws.values():
        ends.contract.assume(law)
    ends.claim_recovery(within)
    ends.contract.induction = within + 2
    return ends.contract


def frame_crc(*, channels: int, place_bits: int, flits: int) -> Contract:
    """Return that a sender ends frames with the CRC of their words, and a receiver judges by it.

    The words of the receiver are any; so is all that the sender has from others.
    """
    contract = Contract()
    m, frames = contract.m, Frames(channels, 1, flits, place_bits)
    sizes = {"width": max(frames.body, frames.end.width) + CRC_WIDTH, "depth": DEPTH}
    m.submodules.sender = sender = FrameSender(frames, **sizes)
    m.submodules.receiver = receiver = FrameReceiver(frames, **sizes)
    contract.free(sender.near, "valid", "flit")
    contract.free(sender, "accepted", "fresh", "good", "end", "tick", "stop")
    (ready,) = contract.free(sender.tx, "ready")
    contract.claim("sent", _is_right(m, frames, sender.tx, ready))

    contract.free(receiver.far, "credit")
    contract.free(receiver, "stop")
    valid, payload = contract.free(receiver.rx, "valid", "payload")
    right = _is_right(m, frames, receiver.rx, Const(1))
    ended = valid.any() & payload[0]
    contract.claim("good", receiver.good == past(m, ended & right))
    contract.claim("bad", receiver.bad == past(m, ended & ~right))
    return contract


def _is_right(m: Module, frames: Frames, words: Any, ready: Value) -> Value:
    """Return whether words end a frame with its CRC, or not at all; the CRC is taken bit by bit."""
    crc, word = Signal(CRC_WIDTH), words.payload
    body = Mux(word[0], word[: frames.end.width], word[: frames.flit.width])
    following: Value = crc
    for bit in range(frames.body):
        fed = following[-1] ^ body.bit_select(bit, 1)
        following = Cat(0, following[:-1]) ^ Mux(fed, CRC_POLYNOMIAL, 0)
    with m.If(words.valid & ready):
        m.d.sync += crc.eq(Mux(word[0], 0, following))
    return ~words.valid | ~word[0] | (word[-CRC_WIDTH:] == following)


class _Ends:
    """Two ends of a stream link, the words between them, and the routers, which keep to credits.

    Flits go from a to b; the other way are acknowledgements and credits alone.

    Attributes
    ----------
    laws : dict of Value
        What holds in each state, by name: see `_laws`.
    """

    def __init__(self, channels: int, place_bits: int, flits: int, *, recovers: bool) -> None:
        self.contract, self.channels = Contract(), channels
        contract, m = self.contract, self.contract.m
        frames = Frames(channels, 1, flits, place_bits)
        width = max(frames.body, frames.end.width) + CRC_WIDTH
        m.submodules.dut = dut = Module()
        self.senders, self.receivers, rights = list[Any](), list[Any](), list[Signal]()
        registers = dict[str, dict[str, Signal]]()
        for side in "ab":
            rights.append(Signal(name=f"right_{side}"))
            self.senders.append(FrameSender(frames, width=width, depth=DEPTH))
            receiver = FrameReceiver(frames, width=width, depth=DEPTH)
            self.receivers.append(_judged(receiver, rights[-1]))
            for part in (self.senders[-1], receiver):
                name = f"{'sender' if part is not receiver else 'receiver'}_{side}"
                fragment = Fragment.get(part, contract.platform)
                dut.submodules[name] = fragment
                registers[name] = _registers(fragment)
        self.calm: Value = contract.anything("calm") if recovers else Const(0)
        timer = Signal(range(time_out(1, flits)))
        m.d.sync += timer.eq(timer + 1)
        for side, sender, receiver in zip("ab", self.senders, self.receivers, strict=True):
            tick = contract.anything(f"tick_{side}")
            m.d.comb += [
                sender.accepted.eq(receiver.accepted),
                *(ours.eq(its) for ours, its in zip(sender.freed, receiver.freed, strict=True)),
                sender.good.eq(receiver.good),
                sender.end.eq(receiver.end),
                sender.tick.eq(Mux(self.calm, timer == 0, tick)),
            ]
        self._join("ab", self.senders[0], self.receivers[1], rights[1])
        self._join("ba", self.senders[1], self.receivers[0], rights[0])
        self._routers()
        self.laws = self._laws(frames, registers["sender_a"], registers["receiver_b"])

    def _routers(self) -> None:
        """Let routers send, and return credits, as far as they have them."""
        contract, m = self.contract, self.contract.m
        near, self.out = self.senders[0].near, self.receivers[1].far
        self.valid, self.flit = contract.free(near, "valid", "flit")
        (returned,) = contract.free(self.out, "credit")
        self.credit = near.credit
        m.d.comb += [self.senders[1].near.valid.eq(0), self.receivers[0].far.credit.eq(0)]
        contract.assume(at_most_one(self.valid))
        self.credits, self.there = list[Signal](), list[Signal]()
        for v in range(self.channels):
            up, down = self.credit[v], self.valid[v]
            credits = level(contract, f"credits{v}", DEPTH, up=up, down=down, init=DEPTH)
            there = level(contract, f"there{v}", DEPTH, up=self.out.valid[v], down=returned[v])
            contract.assume((credits != 0) | ~down)
            contract.assume(Mux(there != 0, returned[v] | ~self.calm, ~returned[v]))
            self.credits.append(credits)
            self.there.append(there)

    def _laws(
        self, frames: Frames, sender: dict[str, Signal], receiver: dict[str, Signal]
    ) -> dict[str, Value]:
        """Return where all flits and places of each channel are, with what counts them.

        A flit inside the ends is not yet accepted, is held in a place, or passes to the router. A
        place is taken by a flit that is not yet accepted or held, is free and not yet known to be
        so (`late`), or known: then the router has a credit for it, or may be granted one. What the
        router has sent without a credit, it is owed. The receiver has room in the router for those
        that pass. All that are not yet accepted are kept for another time.
        """
        laws, unaccepted, self.inside = dict[str, Value](), list[Value](), list[Signal]()
        for v in range(self.channels):
            freed = self.receivers[1].freed[v]
            held = _ahead(receiver[f"accepted{v}"], freed)
            passing = receiver["picked"][v] + receiver["picked1"][v] + self.out.valid[v]
            most = frames.places + 4
            up, down = self.valid[v], self.out.valid[v]
            inside = level(self.contract, f"inside{v}", most, up=up, down=down)
            self.inside.append(inside)
            unaccepted.append((inside - held - passing)[: len(inside)])
            laws[f"sent{v}"] = (inside >= held + passing) & (inside != most)
            unused = self.credits[v] + self.credit[v]
            laws[f"owed{v}"] = unused + sum(sender[f"owed{v}"], Value.cast(0)) == DEPTH
            to_grant = _ahead(sender[f"freed{v}"], sender[f"granted{v}"])
            late = _ahead(freed, sender[f"freed{v}"])
            places = unaccepted[v] + held + late + unused + to_grant
            laws[f"places{v}"] = places == frames.places
            laws[f"limit{v}"] = _ahead(freed, receiver[f"limit{v}"]) == 1
            free = sum(receiver[f"credits{v}"], Value.cast(0))
            laws[f"free{v}"] = free + passing + self.there[v] == DEPTH
        kept = _ahead(sender["written"], self.receivers[1].accepted)
        laws["kept"] = sum(unaccepted, Value.cast(0)) == kept
        laws["written"] = _ahead(sender["written"], sender["last"]) == 1
        laws["last"] = at_most_one(receiver["last"]) & receiver["last"].any()
        return laws

    def claim_recovery(self, within: int) -> None:
        """Claim that flits arrive and credits come back in so many calm cycles."""
        contract, m = self.contract, self.contract.m
        for v in range(self.channels):
            for name, waits in (
                ("arrives", (self.inside[v] != 0) & ~self.out.valid[v]),
                ("returned", (self.credits[v] == 0) & ~self.credit[v]),
            ):
                waited = Signal(range(within + 1), name=f"waited_{name}{v}")
                m.d.sync += waited.eq(Mux(self.calm & waits, waited + 1, 0))
                contract.see(f"waited_{name}{v}", waited)
                contract.claim(f"{name}{v}", waited != within)

    def _join(self, name: str, sender: Any, receiver: Any, is_right: Signal) -> None:
        """Join a sender with a receiver; words wait, are lost, and change, unless all is calm."""
        contract, m, tx, rx = self.contract, self.contract.m, sender.tx, receiver.rx
        names = (f"{what}_{name}" for what in ("waits", "lost", "other"))
        waits, lost, other = (contract.anything(each) & ~self.calm for each in names)
        anything = contract.anything(f"word_{name}", receiver.frames.body)
        m.d.comb += tx.ready.eq(~waits)
        passes = tx.valid & ~waits
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


def _registers(fragment: Any) -> dict[str, Signal]:
    """Return the registers of a component by name."""
    statements = fragment.statements.get("sync", [])
    return {signal.name: signal for each in statements for signal in each._lhs_signals()}


def _ahead(one: Signal, other: Signal) -> Value:
    """Return by how much a total is ahead of another one."""
    return (one - other)[: len(one)]


def _judged(receiver: FrameReceiver, right: Signal) -> FrameReceiver:
    """Return a receiver that is told of each end whether its CRC is right."""

    def judge(m: Module, is_end: Value) -> None:
        told, ended = Signal(), Signal()
        m.d.sync += [ended.eq(is_end), told.eq(right)]
        m.d.comb += [receiver.good.eq(ended & told), receiver.bad.eq(ended & ~told)]

    vars(receiver)["_judge"] = judge
    return receiver
