"""How fast the receivers of a terminal invite; the twin of golden's Paces."""

from collections.abc import Sequence
from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.lib.component import Component


def most_invited(flow: FlowControl) -> int:
    """Return the flits that a receiver invites in a cycle at most: a long packet, and a beat."""
    return flow.packet_limit + 3


class Pace(Component):
    """Let the receivers of all message classes of a terminal invite as much as its port takes.

    They invite more slowly than flits can arrive, so that a queue stands in receivers and not in
    routers: F flits that any of them invites keep all closed for 7 F / 5 cycles. While `full` flits
    or more arrive in a row, there is a queue in routers, and time does not pass.

    Parameters
    ----------
    flow : FlowControl
    classes : int

    Members
    -------
    arrives : ``In(1)``       A flit arrives, of any class.
    invited_0, ... : ``In``   Flits that the receiver of a class invites in this cycle.
    invites : ``In(1)``       Any of them invites a flit; known earlier than how many.
    open : ``Out(1)``         Receivers may invite.
    """

    def __init__(self, flow: FlowControl, classes: int) -> None:
        self.flow, self.classes = flow, classes
        each = {f"invited_{c}": In(range(most_invited(flow) + 1)) for c in range(classes)}
        super().__init__({"arrives": In(1), **each, "invites": In(1), "open": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count flits that were invited, and those that arrive in a row."""
        m = Module()
        full = self.flow.full
        each: Sequence[Any] = [getattr(self, f"invited_{c}") for c in range(self.classes)]
        wait = Signal(range(2 * self.classes * most_invited(self.flow)))
        invited = Signal(range(self.classes * most_invited(self.flow) + 1))
        seventh, row = Signal(3), Signal(range(full + 1))
        passes, rested = Signal(), Signal(init=1)  # time passes; there is no wait
        none = Signal(init=1)  # no flit was invited in the cycle before
        next_seventh, next_row, next_wait = (
            Signal.like(s, name=f"next_{s.name}") for s in (seventh, row, wait)
        )
        m.d.comb += [
            next_seventh.eq(Mux(seventh == 6, 0, seventh + 1)),
            next_row.eq(Mux(self.arrives, row + (row != full), 0)),
            next_wait.eq(wait + invited - (passes & ((wait != 0) | (invited != 0)))),
            self.open.eq(none & rested),
        ]
        next_passes = (next_seventh != 0) & (next_seventh != 3) & (next_row != full)
        m.d.sync += [
            *(seventh.eq(next_seventh), row.eq(next_row), wait.eq(next_wait)),
            *(passes.eq(next_passes), rested.eq(next_wait <= next_passes)),
            *(invited.eq(sum(each[1:], each[0])), none.eq(~self.invites)),
        ]
        return m
