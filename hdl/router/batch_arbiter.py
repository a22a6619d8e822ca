"""Batch arbiter: each head that waits for a virtual channel is granted once before any twice."""

from collections.abc import Sequence

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class BatchArbiter(wiring.Component):
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

    valid: Signal
    granted: Signal
    starts: Signal
    promoted: Signal
    served: Signal
    pending: Signal

    def __init__(self, sources: int, *, yielding: Sequence[int] = ()) -> None:
        if sources < 1:
            raise ValueError(f"BatchArbiter needs at least 1 source, not {sources!r}")
        self.sources, self.yielding = sources, tuple(yielding)
        super().__init__(
            {
                "valid": In(sources),
                "granted": In(sources),
                "starts": In(1),
                **({"promoted": In(len(yielding))} if yielding else {}),
                "served": Out(sources),
                "pending": Out(sources),
            }
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
