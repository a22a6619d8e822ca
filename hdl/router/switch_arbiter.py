"""Switch arbiter: the input whose candidate is granted an output."""

from collections.abc import Sequence

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.router.arbiter import Arbiter


class SwitchArbiter(wiring.Component):
    """Grant an output to one input, the output stage of a separable switch allocation.

    Each input has one candidate. It requests the output if it is eligible there. Of the requests
    the least recently granted wins. A head of a yielding input loses against every request that
    is not a head of a yielding input, until it is promoted; then it wins against all of these.

    Three inputs with one virtual channel each, of which input 2 yields::

        cycle       0   1   2   3   4
        candidate0  1   1   1   1   1
        candidate1  1   1   1   1   1
        candidate2  1   1   1   1   1
        eligible0   1   1   1   1   0
        eligible1   1   1   1   1   0
        eligible2   1   1   1   1   1
        head2       1   1   1   1   1
        promoted2   0   0   1   0   0
        grant       001 010 100 001 100
        sent        1   1   1   1   1

    By packet, an input counts as granted when its packet ends; so an output stays with a packet
    until an input requests it that was granted less recently.

    Parameters
    ----------
    channels : sequence of int
        Virtual channels of each input.
    yielding : sequence of int
        The inputs whose heads yield.
    by_packet : bool
        Whether the order of inputs changes with tails only.

    Members
    -------
    candidate : ``In(channels)``, by input           One-hot: the virtual channel nominated.
    eligible : ``In(channels)``, by input            Channels whose front flit may be granted.
    head : ``In(channels)``, by yielding input       The front flit is a head.
    promoted : ``In(channels)``, by yielding input   The head has reached its bypass limit.
    tail : ``In(inputs)``                            By packet: the candidate is a tail.
    grant : ``Out(inputs)``                          One-hot or 0: the input that is granted.
    sent : ``Out(1)``                                Asserted while one is.
    """

    candidate: list[Signal]
    eligible: list[Signal]
    head: list[Signal]
    promoted: list[Signal]
    tail: Signal
    grant: Signal
    sent: Signal

    def __init__(
        self, channels: Sequence[int], *, yielding: Sequence[int] = (), by_packet: bool = False
    ) -> None:
        self.yielding, self.inputs, self.by_packet = tuple(yielding), len(channels), by_packet
        super().__init__(
            {
                **{f"candidate{i}": In(width) for i, width in enumerate(channels)},
                **{f"eligible{i}": In(width) for i, width in enumerate(channels)},
                **{f"head{i}": In(channels[i]) for i in yielding},
                **{f"promoted{i}": In(channels[i]) for i in yielding},
                **({"tail": In(len(channels))} if by_packet else {}),
                "grant": Out(len(channels)),
                "sent": Out(1),
            }
        )
        self.candidate = [getattr(self, f"candidate{i}") for i in range(len(channels))]
        self.eligible = [getattr(self, f"eligible{i}") for i in range(len(channels))]
        self.head = [getattr(self, f"head{i}") for i in yielding]
        self.promoted = [getattr(self, f"promoted{i}") for i in yielding]

    def elaborate(self, platform: object) -> Module:
        """Request for each candidate that is eligible; rank the heads of yielding inputs."""
        m = Module()
        m.submodules.arbiter = arbiter = Arbiter(self.inputs, yielding=self.yielding)
        pairs = zip(self.candidate, self.eligible, strict=True)
        m.d.comb += [
            arbiter.request.eq(Cat((candidate & able).any() for candidate, able in pairs)),
            arbiter.update.eq(arbiter.grant & self.tail if self.by_packet else arbiter.grant),
            self.grant.eq(arbiter.grant),
            self.sent.eq(arbiter.request.any()),
        ]
        ranked = zip(self.yielding, self.head, self.promoted, strict=True)
        for number, (i, head, promoted) in enumerate(ranked):
            heads = self.candidate[i] & head
            m.d.comb += [
                arbiter.high[number].eq((heads & promoted).any()),
                arbiter.low[number].eq((heads & ~promoted).any()),
            ]
        return m
