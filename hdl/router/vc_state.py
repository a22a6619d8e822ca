"""State of an output virtual channel: whether a packet holds it, and which flits may use it."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out


def front_layout(width: int) -> data.StructLayout:
    """Return the layout of the front flits of some buffers, one bit for each buffer.

    request : the packet requests this output (or, at an output channel, this channel).
    valid : there is a flit at the front.
    head, tail : the flit is the head, the tail of its packet.
    candidate : the input port has nominated this buffer.
    """
    names = ("request", "valid", "head", "tail", "candidate")
    return data.StructLayout(dict.fromkeys(names, width))


class VcState(wiring.Component):
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

    front: data.View
    served: Signal
    pending: Signal
    has_credit: Signal
    sent: Signal
    sent_tail: Signal
    waiting: Signal
    starts: Signal
    eligible: Signal
    eligible_next: Signal
    free: Signal

    def __init__(self, sources: int, *, predict: bool, lanes: bool = False) -> None:
        self.sources, self.predict, self.lanes = sources, predict, lanes
        super().__init__(
            {
                "front": In(front_layout(sources)),
                "served": In(sources),
                "pending": In(sources),
                "has_credit": In(1),
                "sent": In(1),
                "sent_tail": In(1),
                "waiting": Out(sources),
                "starts": Out(1),
                "eligible": Out(sources),
                "eligible_next": Out(sources),
                **({"free": Out(1)} if lanes else {}),
            }
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
