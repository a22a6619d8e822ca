"""Inputs of an output port: any packets, nominated as input ports do."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.arbiters import bypasses
from fingerpost.formal.contract import Contract, at_most_one, past
from fingerpost.hdl.router.output_port import OutputPort
from fingerpost.hdl.router.switch_allocator import Arbiter


class Queue:
    """Any packets of a buffer of an input: for this output, for others, or discarded.

    Attributes
    ----------
    comes, tail, away : Signal
        Free inputs: the next flit arrives, is a tail; a flit for elsewhere is popped.
    present, head, last, here : Signal
        There is a front flit; it is a head, a tail; it is for this output.
    goes : Signal
        The front flit is popped.
    channel : Value
        One-hot, where its packet goes.
    """

    def __init__(self, contract: Contract, name: str, channel: Value) -> None:
        m = contract.m
        free = (contract.anything(f"{name}_{x}") for x in ("comes", "tail", "this", "away"))
        self.comes, self.tail, this, self.away = free
        self.present, self.last = Signal(name=f"{name}_present"), Signal(name=f"{name}_last")
        self.head, self.here = Signal(init=1, name=f"{name}_head"), Signal(name=f"{name}_here")
        self.goes = Signal(name=f"{name}_goes")
        self.channel = channel
        with m.If(self.goes | ~self.present):
            m.d.sync += [self.present.eq(self.comes), self.last.eq(self.tail)]
        with m.If(self.goes):
            m.d.sync += self.head.eq(self.last)
        # Between packets it is arbitrary.
        with m.If(Mux(self.goes, self.last, ~self.present & self.head)):
            m.d.sync += self.here.eq(this)
        self.inside = ~self.head
        contract.see(f"{name}_front", Cat(self.present, self.head, self.last, self.here))
        contract.see(f"{name}_goes", self.goes)


class Inputs:
    """An output port, and all its inputs, connected to it.

    Parameters
    ----------
    contract : Contract
    bypass_limits : sequence of int
        The bypass limit of each input; an input with 0 does not yield. If empty, none does.
    port
        Channels, lanes, depth, batches (True), eject (False), terminals (1) and pipeline, as for
        `OutputPort`.

    Attributes
    ----------
    dut : OutputPort
    queues : list of (int, Queue)
        All, with their inputs.
    grant : Signal
        One-hot: the input whose candidate is granted.
    wishes : list of Value
        By input, whether its candidate is eligible at this output.
    promoted : dict of Signal
        By yielding input, which of its heads are promoted.
    elsewhere : list of Signal
        By buffer, whether a flit for another output is eligible now, and in the next cycle.
    """

    def __init__(self, contract: Contract, bypass_limits: Sequence[int] = (), **port: Any) -> None:
        self.contract, m = contract, contract.m
        yielding = [i for i, limit in enumerate(bypass_limits) if limit]
        port = {"eject": False, "terminals": 1, **port}
        self.dut = dut = OutputPort(**port, yielding=yielding, flit_width=1)
        m.submodules.dut = dut
        increments = contract.constant("increments", len(dut.channels))
        lanes = [
            Signal(int(dut.lanes.count[0]), init=1, name=f"lane{c}")
            for c in range(dut.lanes.copies)
        ]
        m.d.comb += [dut.increments.eq(increments), dut.lane.eq(Cat(lanes))]
        self.elsewhere: list[Signal] = []
        inputs: list[list[Queue]] = []
        for i, width in enumerate(dut.channels):
            local = i >= len(dut.channels) - dut.terminals
            inputs.append(
                [
                    Queue(contract, f"q{i}{v}", _channel(dut, local, v, increments[i], lanes))
                    for v in range(width)
                ]
            )
        self.grant = contract.see("grant", dut.grant)
        self.wishes = [self._nominate(i, queues) for i, queues in enumerate(inputs)]
        if dut.terminals:
            for c, (last, lane) in enumerate(zip(inputs[-1], lanes, strict=True)):
                taken = lane
                if dut.choosing:  # and another output chooses any
                    other = contract.anything(f"other_lane{c}", len(lane))
                    contract.assume(at_most_one(other) & other.any())
                    taken = Signal.like(lane, name=f"taken{c}")
                    m.d.comb += taken.eq(Mux(last.here, _next_lane(dut, c), other))
                    with m.If(last.present):
                        m.d.sync += lane.eq(taken)
                with m.If(last.goes & last.last):
                    m.d.sync += lane.eq(taken.rotate_left(1))
        self.promoted = {
            i: _promoted(contract, dut, number, inputs[i], bypass_limits[i])
            for number, i in enumerate(dut.yielding)
        }
        self.queues = [(i, queue) for i, queues in enumerate(inputs) for queue in queues]

    def _nominate(self, i: int, queues: list[Queue]) -> Value:
        """Let an input nominate; return whether its candidate is eligible at this output."""
        contract, dut, m = self.contract, self.dut, self.contract.m
        front: Any = dut.fronts[i]
        now, later = (
            [contract.anything(f"{name}{i}{v}") for v in range(len(queues))]
            for name in ("elsewhere", "later")
        )
        self.elsewhere += [*now, *later]
        eligible = Signal(len(queues), name=f"eligible{i}")
        m.d.comb += [
            eligible.eq(_where(queues, dut.eligible[i], now)),
            front.request.eq(Cat(q.here for q in queues)),
            front.valid.eq(Cat(q.present for q in queues)),
            front.head.eq(Cat(q.head for q in queues)),
            front.tail.eq(Cat(q.last for q in queues)),
        ]
        eligible_next = _where(queues, dut.eligible_next[i], later)
        by_packet = dut.lanes.spare
        candidate = _candidate(contract, i, queues, eligible, eligible_next, by_packet)
        m.d.comb += front.candidate.eq(candidate)
        tail = (candidate & Cat(q.last for q in queues)).any()
        m.d.comb += dut.st_flit[i].tail.eq(past(m, tail, dut.pipeline.allocation))
        for v, q in enumerate(queues):
            m.d.comb += q.goes.eq(Mux(q.here, self.grant[i] & candidate[v], q.away & q.present))
        return Cat(candidate[v] & q.here & eligible[v] for v, q in enumerate(queues)).any()


def _where(queues: list[Queue], here: Value, elsewhere: list[Signal]) -> Value:
    """Return which front flits are eligible, at this output or another."""
    both = zip(queues, here, elsewhere, strict=True)
    return Cat(q.present & Mux(q.here, by_this, by_other) for q, by_this, by_other in both)


def _channel(dut: OutputPort, local: bool, v: int, turn: Value, lane: list[Signal]) -> Value:
    """Return one-hot the virtual channel of the output that packets use."""
    lanes = dut.lanes
    if dut.eject:  # the message class
        return Const(1 << (v if local else v // lanes.channels), lanes.copies)
    if local:
        chosen = _next_lane(dut, v) if dut.choosing else lane[v]
        below = v * lanes.channels
        above = lanes.all_channels - below - len(chosen)
        return Cat(Const(0, below), chosen, Const(0, above))
    raised = Const(1 << int(lanes.next_vc[v]), lanes.all_channels)
    return Mux(turn, raised, Const(1 << v, lanes.all_channels))


def _next_lane(dut: OutputPort, message_class: int) -> Value:
    """Return the lane that the output chooses for a message class."""
    lanes = int(dut.lanes.count[0])
    return dut.next_lane[message_class * lanes :][:lanes]


def _candidate(
    contract: Contract,
    i: int,
    queues: list[Queue],
    eligible: Signal,
    eligible_next: Value,
    by_packet: bool,
) -> Signal:
    """Return the candidate of an input port, whichever channels flits arrive on."""
    m, width = contract.m, len(eligible)
    candidate = Signal(width, init=1, name=f"candidate{i}")
    here = Cat(q.here for q in queues)  # what is not is granted elsewhere, or discarded
    elsewhere = contract.anything(f"granted{i}").replicate(width)
    granted = Cat(q.goes for q in queues) & (here | elsewhere)
    others, ends = eligible_next & ~candidate, granted
    if by_packet:
        others = _elsewhere_first(contract, i, queues, candidate, others)
        ends = granted & Cat(q.last for q in queues)
    if width > 1:
        m.submodules[f"input_arbiter{i}"] = arbiter = Arbiter(width)
        arrives = contract.anything(f"arrives{i}", width)
        contract.assume(at_most_one(arrives))
        m.d.comb += [
            arbiter.request.eq(others),
            arbiter.update.eq(candidate & granted),
        ]
        with m.If((candidate & ends).any() | ~(eligible & candidate).any()):
            with m.If(arbiter.request.any()):
                m.d.sync += candidate.eq(arbiter.grant)
            with m.Elif(arrives.any()):
                m.d.sync += candidate.eq(arrives)
    return contract.see(f"candidate{i}", candidate)


def _elsewhere_first(
    contract: Contract, i: int, queues: list[Queue], candidate: Value, others: Value
) -> Value:
    """Leave out what requests the candidate's output; which is the same elsewhere is free."""
    same = contract.anything(f"same{i}", len(queues))
    here, present = (Cat(getattr(q, name) for q in queues) for name in ("here", "present"))
    there = candidate & present
    elsewhere = others & ~(here & (there & here).any().replicate(len(queues)))
    elsewhere &= ~(~here & same & (there & ~here).any().replicate(len(queues)))
    return Mux(elsewhere.any(), elsewhere, others)


def _promoted(
    contract: Contract, dut: OutputPort, number: int, queues: list[Queue], limit: int
) -> Signal:
    """Promote heads as the router does, or anyhow if their packets are for elsewhere."""
    m, mine = contract.m, dut.yielding[number]
    for v, queue in enumerate(queues):
        own = past(m, queue.goes)
        others = Cat(dut.tail_passed[:mine], dut.tail_passed[mine + 1 :])
        passed = bypasses(
            m,
            f"passed{number}{v}",
            limit,
            waits=queue.present & queue.head & queue.here,
            bypassed=others.any() | (dut.tail_passed[mine] & ~own),
            granted=queue.goes & queue.head,
        )
        anyhow = contract.anything(f"else{number}{v}")
        m.d.comb += dut.promoted[number][v].eq(Mux(queue.here, passed[-1], anyhow))
    return contract.see(f"promoted{number}", dut.promoted[number])
