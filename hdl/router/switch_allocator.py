"""Switch allocation (SA): which input crosses the switch to which output.

It is separable and input-first. The input stage, `InputPort._nominate`, nominates one virtual
channel of an input as its candidate for the next cycle. The output stage, `SwitchAllocator`, grants
an output to one of the candidates that are eligible there. Both grant the least recently granted
(`Arbiter`). Heads of yielding inputs lose until enough packets have bypassed them (`BypassLimit`).
"""

from collections.abc import Sequence

from amaranth import Cat, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component


class SwitchAllocator(Component):
    """Grant an output to one input: the output stage of switch allocation.

    Each input has one candidate. It requests the output if it is eligible there. Of the requests
    the least recently granted wins. A head of a yielding input loses against every request that
    is not a head of a yielding input, until it is promoted; then it wins against all of these.

    Three inputs with one virtual channel each, of which input 2 yields::

        cycle       0   1   2   3   4   5
        candidate0  1   1   1   1   1   1
        candidate1  1   1   1   1   1   1
        candidate2  1   1   1   1   1   1
        eligible0   1   1   1   1   0   0
        eligible1   1   1   1   1   0   0
        eligible2   1   1   1   1   1   1
        head2       1   1   1   1   1   1
        promoted2   0   0   1   0   0   0
        enable      1   1   1   1   0   1
        winner      001 010 100 001 100 100
        grant       001 010 100 001 000 100
        sent        1   1   1   1   0   1

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
    gated : bool
        Whether it has `enable` and `winner`.

    Members
    -------
    candidate : ``In(channels)``, by input           One-hot: the virtual channel nominated.
    eligible : ``In(channels)``, by input            Channels whose front flit may be granted.
    head : ``In(channels)``, by yielding input       The front flit is a head.
    promoted : ``In(channels)``, by yielding input   The head has reached its bypass limit.
    tail : ``In(inputs)``                            By packet: the candidate is a tail.
    enable : ``In(1)``                               If gated: asserted while one may be granted.
    winner : ``Out(inputs)``                         If gated: `grant` as it is while enabled.
    grant : ``Out(inputs)``                          One-hot or 0: the input that is granted.
    sent : ``Out(1)``                                Asserted while one is.
    """

    candidate: list[Signal]
    eligible: list[Signal]
    head: list[Signal]
    promoted: list[Signal]

    def __init__(
        self,
        channels: Sequence[int],
        *,
        yielding: Sequence[int] = (),
        by_packet: bool = False,
        gated: bool = False,
    ) -> None:
        self.yielding, self.inputs, self.by_packet = tuple(yielding), len(channels), by_packet
        self.gated = gated
        super().__init__(
            **{f"candidate{i}": In(width) for i, width in enumerate(channels)},
            **{f"eligible{i}": In(width) for i, width in enumerate(channels)},
            **{f"head{i}": In(channels[i]) for i in yielding},
            **{f"promoted{i}": In(channels[i]) for i in yielding},
            **({"tail": In(len(channels))} if by_packet else {}),
            **({"enable": In(1), "winner": Out(len(channels))} if gated else {}),
            grant=Out(len(channels)),
            sent=Out(1),
        )
        self.candidate = [getattr(self, f"candidate{i}") for i in range(len(channels))]
        self.eligible = [getattr(self, f"eligible{i}") for i in range(len(channels))]
        self.head = [getattr(self, f"head{i}") for i in yielding]
        self.promoted = [getattr(self, f"promoted{i}") for i in yielding]

    def elaborate(self, platform: object) -> Module:
        """Request for each candidate that is eligible; rank heads of yielding inputs, if any."""
        m = Module()
        m.submodules.arbiter = arbiter = Arbiter(self.inputs, yielding=self.yielding)
        pairs = zip(self.candidate, self.eligible, strict=True)
        grant, sent = arbiter.grant, arbiter.request.any()
        if self.gated:
            m.d.comb += self.winner.eq(arbiter.grant)
            grant, sent = self.winner & self.enable.replicate(self.inputs), sent & self.enable
        m.d.comb += [
            arbiter.request.eq(Cat((candidate & able).any() for candidate, able in pairs)),
            arbiter.update.eq(grant & self.tail if self.by_packet else grant),
            self.grant.eq(grant),
            self.sent.eq(sent),
        ]
        ranked = zip(self.yielding, self.head, self.promoted, strict=True)
        for number, (i, head, promoted) in enumerate(ranked):
            heads = self.candidate[i] & head
            m.d.comb += [
                arbiter.high[number].eq((heads & promoted).any()),
                arbiter.low[number].eq((heads & ~promoted).any()),
            ]
        return m


class Arbiter(Component):
    """Grant one request per cycle: a matrix arbiter, least recently served first.

    Requester 0 has the highest priority after reset. One bit for every pair of requesters holds
    their order, so a grant is two levels of logic away from the requests. Assert `update` only
    for a requester that is granted and takes the resource.

    With three requesters::

        cycle    0   1   2   3   4
        request  111 111 111 011 011
        grant    001 010 100 001 010
        update   001 010 100 001 010

    Parameters
    ----------
    requests : int
        Number of requesters.
    yielding : sequence of int
        The requesters that can be put above or below all others, whatever their order.

    Members
    -------
    request : ``In(requests)``    Bit i is asserted while requester i requests the resource.
    high, low : ``In(yielding)``  Rank of each yielding requester: above all, below all, or neither.
    grant : ``Out(requests)``     One-hot or 0, a subset of `request`, in the same cycle.
    update : ``In(requests)``     One-hot or 0: the requester that gets the lowest priority.

    Raises
    ------
    ValueError
        If there are no requesters.
    """

    def __init__(self, requests: int, *, yielding: Sequence[int] = ()) -> None:
        if requests < 1:
            raise ValueError(f"Arbiter needs at least 1 request, not {requests!r}")
        self.requests, self.yielding = requests, tuple(yielding)
        ranks = {"high": In(len(yielding)), "low": In(len(yielding))} if yielding else {}
        super().__init__(request=In(requests), **ranks, grant=Out(requests), update=In(requests))

    def elaborate(self, platform: object) -> Module:
        """Grant a request unless another blocks it: one that is asserted and comes first."""
        m = Module()
        blockers: dict[int, list[Value]] = {i: [] for i in range(self.requests)}
        never = [Value.cast(0)] * self.requests
        high, low = list(never), list(never)
        for number, i in enumerate(self.yielding):
            high[i], low[i] = self.high[number], self.low[number]
        for i in range(self.requests):
            for j in range(i + 1, self.requests):
                order = Signal(init=1, name=f"first{i}_{j}")  # i comes before j
                m.d.sync += order.eq((order | self.update[j]) & ~self.update[i])
                first: Value = order
                if i in self.yielding or j in self.yielding:
                    above = (high[i] & ~high[j]) | (low[j] & ~low[i])
                    below = (high[j] & ~high[i]) | (low[i] & ~low[j])
                    first = (order | above) & ~below
                blockers[j].append(self.request[i] & first)
                blockers[i].append(self.request[j] & ~first)
        for i, others in blockers.items():
            m.d.comb += self.grant[i].eq(self.request[i])
            for other in others:
                with m.If(other):
                    m.d.comb += self.grant[i].eq(0)
        return m


class BypassLimit(Component):
    """Count the packets that bypass a waiting head, and promote it at the limit.

    With a limit of 2::

        cycle     0 1 2 3 4 5
        valid     1 1 1 1 1 1
        bypassed  1 0 1 0 0 1
        granted   0 0 0 0 1 0
        promoted  0 0 0 1 1 0

    Parameters
    ----------
    limit : int
        Packets of other buffers that bypass a head before it is promoted.

    Members
    -------
    valid : ``In(1)``        Asserted while a head waits.
    bypassed : ``In(1)``     Asserted while the tail of another packet crosses to its output.
    granted : ``In(1)``      Asserted while the head is granted.
    promoted : ``Out(1)``    Asserted once `limit` packets have bypassed the head.

    Raises
    ------
    ValueError
        If the limit is below 1.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"BypassLimit needs a limit of at least 1, not {limit!r}")
        self.limit = limit
        super().__init__(valid=In(1), bypassed=In(1), granted=In(1), promoted=Out(1))

    def elaborate(self, platform: object) -> Module:
        """Count to the limit; the count beyond it is not used."""
        m = Module()
        count = Signal(range(self.limit))
        with m.If(self.granted):
            m.d.sync += [count.eq(0), self.promoted.eq(0)]
        with m.Elif(self.valid & self.bypassed):
            m.d.sync += count.eq(count + 1)
            with m.If(count == self.limit - 1):
                m.d.sync += self.promoted.eq(1)
        return m
