"""Credit counter: the free buffer slots of the receiver, for one virtual channel of a link."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.logic import thermometer


class CreditCounter(wiring.Component):
    """Count the credits of one virtual channel, and report whether there is one.

    The counter starts at `depth`. A flit that is sent takes one credit, and the receiver returns
    one for each flit that leaves its buffer. `sent` must not be asserted without `has_credit`.

    `has_credit` is exact in every cycle. The count follows one cycle behind `sent`, so it is
    corrected: while a flit is in switch traversal, one of the counted credits is already used.

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
    sent_q : ``Out(1)``        `sent` of the previous cycle: a flit is in switch traversal.
    """

    sent: Signal
    credit: Signal
    has_credit: Signal
    sent_q: Signal

    def __init__(self, depth: int) -> None:
        self.depth = depth
        super().__init__(
            {
                "sent": In(1),
                "credit": In(1),
                "has_credit": Out(1, init=1),  # type: ignore[call-arg]
                "sent_q": Out(1),
            }
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
