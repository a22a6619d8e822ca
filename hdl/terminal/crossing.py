"""From one clock to another."""

from amaranth import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib.cdc import AsyncFFSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component

DEPTH = 8
"""Beats on their way: enough for one a cycle, since a pointer takes some four cycles to be seen."""


class Crossing(Component):
    """Carry words from the clock `write` to the clock `read`, in order.

    A reset of either side for six cycles of the slower clock empties it.

    Parameters
    ----------
    width : int
    depth : int
        A power of two.

    Members
    -------
    w_valid : ``In(1)``, w_data : ``In(width)``     A word, of the clock `write`.
    w_ready : ``Out(1)``                            It is taken.
    r_valid : ``Out(1)``, r_data : ``Out(width)``   A word, of the clock `read`.
    r_ready : ``In(1)``                             It is taken.
    """

    def __init__(self, width: int, *, depth: int = DEPTH) -> None:
        self.width, self.depth = width, depth
        super().__init__(
            w_valid=In(1),
            w_ready=Out(1),
            w_data=In(width),
            r_valid=Out(1),
            r_ready=In(1),
            r_data=Out(width),
        )

    def elaborate(self, platform: object) -> Module:
        """Join both sides with a queue that is reset with `write`, and so by either reset."""
        m = Module()
        m.domains += ClockDomain("queue", local=True)
        read_reset = Signal()
        m.submodules.reset_cdc = AsyncFFSynchronizer(
            ResetSignal("read"), read_reset, o_domain="write"
        )
        queue = AsyncFIFO(width=self.width, depth=self.depth, w_domain="queue", r_domain="read")
        m.submodules.queue = queue
        m.d.comb += [
            ClockSignal("queue").eq(ClockSignal("write")),
            ResetSignal("queue").eq(ResetSignal("write") | read_reset),
            queue.w_data.eq(self.w_data),
            queue.w_en.eq(self.w_valid & ~read_reset),
            self.w_ready.eq(queue.w_rdy & ~read_reset),
            self.r_data.eq(queue.r_data),
            self.r_valid.eq(queue.r_rdy),
            queue.r_en.eq(self.r_ready),
        ]
        return m
