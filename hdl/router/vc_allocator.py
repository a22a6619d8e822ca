"""VC allocation (VA): which flits may use which virtual channel of an output, and when.

It is separable: each virtual channel (VC) of each output has a `VcAllocator`, with the credits of
the VC (`CreditCounter`) and, for fairness, its batches (`BatchArbiter`). `sources` says whose
packets they serve. VC allocation takes no cycle of its own: the head that wins the switch takes its
VC with the same grant of the `SwitchAllocator`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import lowest, thermometer


def front_layout(width: int) -> data.StructLayout:
    """Return the layout of the front flits of some buffers, one bit for each buffer.

    request : the packet requests this output (or, at an output channel, this channel).
    valid : there is a flit at the front.
    head, tail : the flit is the head, the tail of its packet.
    candidate : the input port has nominated this buffer.
    """
    names = ("request", "valid", "head", "tail", "candidate")
    return data.StructLayout(dict.fromkeys(names, width))


class VcAllocator(Component):
    """Allocate one virtual channel of an output to one packet at a time.

    The channel is busy from the head of a packet to its tail. While it is busy only flits of that
    packet are eligible, and they are the only body flits that request it. While it is free every
    head flit is eligible that has not been served in this batch (`BatchArbiter`). No flit is
    eligible without a credit.

    Where inputs have several channels, the terminal's output would lose a cycle between two packets
    unless `eligible_next` predicts that its channel becomes free or busy; at a link, other channels
    fill that cycle. Heads of yielding inputs that are granted without being pending are not
    foreseen; that can cost a cycle.

    Two buffers request the channel. A packet of two flits from buffer 0 holds it in cycle 1; the
    head of buffer 1 is blocked until the tail has been sent::

        cycle            0  1  2  3
        front.request    11 11 10 00
        front.valid      11 11 10 00
        front.head       11 10 10 00
        front.tail       10 11 10 00
        front.candidate  11 11 11 00
        has_credit       1  1  1  1
        sent             1  1  1  0
        sent_tail        0  1  1  0
        eligible         11 01 10 00
        starts           1  0  1  0

    Parameters
    ----------
    sources : int
        Buffers of the inputs whose packets may use this virtual channel.
    predict : bool
        Whether `eligible_next` predicts the state of the channel; else it equals `eligible`.
    lanes : bool
        Whether it has `free`.

    Members
    -------
    front : ``In(front_layout(sources))``  Front flits of the sources.
    served : ``In(sources)``               Sources that are masked in this batch.
    pending : ``In(sources)``              Heads that are pending in this batch.
    has_credit : ``In(1)``                 Asserted while there is a credit.
    sent : ``In(1)``                       Asserted while a flit is granted this channel.
    sent_tail : ``In(1)``                  If so: it is a tail.
    waiting : ``Out(sources)``             Sources whose head waits for this channel.
    starts : ``Out(1)``                    Asserted while a head is granted this channel.
    eligible : ``Out(sources)``            Sources whose front flit may be granted.
    free : ``Out(1)``                      With `lanes`: a head could begin, there is a credit.
    eligible_next : ``Out(sources)``       Those in the next cycle if all candidates are granted.
    """

    def __init__(self, sources: int, *, predict: bool, lanes: bool = False) -> None:
        self.sources, self.predict, self.lanes = sources, predict, lanes
        super().__init__(
            front=In(front_layout(sources)),
            served=In(sources),
            pending=In(sources),
            has_credit=In(1),
            sent=In(1),
            sent_tail=In(1),
            waiting=Out(sources),
            starts=Out(1),
            eligible=Out(sources),
            eligible_next=Out(sources),
            **({"free": Out(1)} if lanes else {}),
        )

    def elaborate(self, platform: object) -> Module:
        """Hold the channel from head to tail."""
        m = Module()
        front = self.front
        busy = Signal()
        with m.If(self.sent):
            m.d.sync += busy.eq(~self.sent_tail)
        busy_next = Signal() if self.predict else busy
        possible = front.valid & front.request & self.has_credit.replicate(self.sources)
        allowed, allowed_next = (
            ~front.head | ~(state.replicate(self.sources) | self.served)
            for state in (busy, busy_next)
        )
        m.d.comb += [
            self.waiting.eq(front.valid & front.head & front.request),
            self.starts.eq(self.sent & ~busy),
            self.eligible.eq(possible & allowed),
            self.eligible_next.eq(possible & allowed_next),
        ]
        if self.lanes:
            m.d.comb += self.free.eq(self.has_credit & ~busy)
        if self.predict:
            body = front.valid & ~front.head & front.request
            ends = (body & front.tail & front.candidate).any()
            begins = (self.pending & front.candidate & ~front.tail).any()
            m.d.comb += busy_next.eq(Mux(busy, ~ends, begins))
        return m


class Source(NamedTuple):
    """A virtual-channel buffer of an input whose packets may use a virtual channel of the output.

    `here` is asserted while packets from there to this output use this virtual channel.
    """

    input: int
    channel: int
    here: Value


def sources(
    lanes: Lanes,
    c: int,
    *,
    terminals: int,
    eject: bool,
    increments: Value,
    lane: Sequence[Value],
) -> Iterator[Source]:
    """Find the buffers whose packets may use virtual channel c of an output.

    Parameters
    ----------
    lanes, terminals, eject
        As for `OutputPort`.
    increments, lane
        As the members of `OutputPort`; `lane` are those that the packets of terminals take.
    """
    raised, each = lanes.next_vc.tolist(), lanes.channels
    message_class, number = (c, 0) if eject else divmod(c, each)
    first, always = int(lanes.count[0]), Const(1)
    for i, increment in enumerate(increments):
        terminal = i - (len(increments) - terminals)
        if terminal >= 0:
            if eject:
                yield Source(i, message_class, always)
            elif number < first:
                yield Source(i, message_class, lane[terminal][message_class * first + number])
            continue
        for v in range(message_class * each, (message_class + 1) * each):
            if eject or c == v == raised[v]:
                yield Source(i, v, always)
            elif c == v:
                yield Source(i, v, ~increment)
            elif c == raised[v]:
                yield Source(i, v, increment)


def choose_lane(lane: Value, free: Value, head: Value) -> Value:
    """Return the lane that a packet of the terminal takes, one-hot.

    It is its own; a head takes the first that is free if its own is not and another is.
    """
    stays = ~head | (lane & free).any() | ~free.any()
    return Mux(stays, lane, lowest(free))


class BatchArbiter(Component):
    """Mask the sources that have been served in the current batch of a virtual channel.

    A source is *pending* if its head waits for the channel and it is not masked. A source that is
    granted while another is pending is masked (`served`). The batch ends when no source stays
    pending; then the mask clears. So each other source passes a waiting head at most twice, once in
    this batch and once in the next, whichever wins where several are eligible.

    Three sources with packets of one flit; source 2 joins in cycle 1::

        cycle    0   1   2   3   4
        valid    011 111 110 101 000
        granted  001 010 100 001 000
        starts   1   1   1   1   0
        served   000 001 011 000 001
        pending  011 110 100 101 000

    Parameters
    ----------
    sources : int
        Buffers of the inputs whose packets may use the channel.
    yielding : sequence of int
        The sources that are pending only while they are promoted. They are granted without being
        pending where no other source is eligible.

    Members
    -------
    valid : ``In(sources)``        Sources whose head waits for this channel.
    granted : ``In(sources)``      One-hot or 0: the source whose head is granted.
    starts : ``In(1)``             Asserted while a head is granted.
    promoted : ``In(yielding)``    The yielding sources that are promoted.
    served : ``Out(sources)``      Sources that are masked in this batch.
    pending : ``Out(sources)``     Sources whose head waits and is not masked.

    Raises
    ------
    ValueError
        If there are no sources.
    """

    def __init__(self, sources: int, *, yielding: Sequence[int] = ()) -> None:
        if sources < 1:
            raise ValueError(f"BatchArbiter needs at least 1 source, not {sources!r}")
        self.sources, self.yielding = sources, tuple(yielding)
        super().__init__(
            valid=In(sources),
            granted=In(sources),
            starts=In(1),
            **({"promoted": In(len(yielding))} if yielding else {}),
            served=Out(sources),
            pending=Out(sources),
        )

    def elaborate(self, platform: object) -> Module:
        """Count the pending sources up to two: one of them may be granted now."""
        m = Module()
        pending = self.pending
        any_pending, two_pending, starts, batch_open = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            pending.eq(self.valid & ~self.served),
            any_pending.eq(pending.any()),
            two_pending.eq(Cat(pending[k] & pending[:k].any() for k in range(self.sources)).any()),
            starts.eq(self.starts),
            batch_open.eq(two_pending | (any_pending & ~starts)),
        ]
        if self.yielding:
            yielding = dict(zip(self.yielding, ~self.promoted, strict=True))
            for k, unpromoted in yielding.items():
                m.d.comb += pending[k].eq(self.valid[k] & ~self.served[k] & ~unpromoted)
            unasked = Cat(self.granted[k] & unpromoted for k, unpromoted in yielding.items())
            m.d.comb += starts.eq(self.starts & ~unasked.any())
        batch = batch_open.replicate(self.sources)
        m.d.sync += self.served.eq((self.served | self.granted) & batch)
        return m


class CreditCounter(Component):
    """Count the credits of one virtual channel, and report whether there is one.

    The counter starts at `depth`. A flit that is sent takes one credit, and the receiver returns
    one for each flit that leaves its buffer. `sent` must not be asserted without `has_credit`.

    `has_credit` is exact in every cycle. The count follows one cycle behind `sent`, so it is
    corrected: in the cycle behind `sent`, one of the counted credits is already used.

    With a depth of 2::

        cycle        0 1 2 3 4 5 6
        sent         1 1 0 0 1 0 0
        credit       0 0 0 1 0 1 0
        has_credit   1 1 0 0 1 0 1
        sent_q       0 1 1 0 0 1 0

    Parameters
    ----------
    depth : int
        Flits that the receiver holds for this virtual channel.

    Members
    -------
    sent : ``In(1)``           Asserted while a flit is granted this virtual channel.
    credit : ``In(1)``         Asserted while the receiver returns a credit.
    has_credit : ``Out(1)``    Asserted while a flit may be sent.
    sent_q : ``Out(1)``        `sent` of the previous cycle.
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        super().__init__(
            sent=In(1),
            credit=In(1),
            has_credit=Out(1, init=1),  # type: ignore[call-arg]
            sent_q=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Count in a thermometer, so that no comparison stands before `has_credit`."""
        m = Module()
        credits = thermometer(
            m, "credits", self.depth, init=self.depth, up=self.credit, down=self.sent_q
        )
        at_least_2, at_least_3 = (credits[i] if i < self.depth else 0 for i in (1, 2))
        left = Mux(self.sent_q, at_least_3, at_least_2)
        m.d.sync += [
            self.sent_q.eq(self.sent),
            self.has_credit.eq(Mux(self.sent, left, self.has_credit) | self.credit),
        ]
        return m
