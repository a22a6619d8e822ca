"""What waits at the inputs of an output port: any packets, nominated as input ports do."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from formal.contract import Contract, at_most_one
from hdl.arbiter import Arbiter
from hdl.output_port import OutputPort

__all__ = ["Inputs", "Queue"]


class Queue:
    """Any packets of a queue of an input: for this output, or for others, or nowhere.

    Attributes
    ----------
    comes, tail, away : Signal
        What it is free to do: the next flit comes, and is a tail; what is not for here may go.
    present, head, last, here : Signal
        There is a front; it is a head, and a tail; it is for this output.
    goes : Signal
        It goes.
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
        # Between packets it says whatever it likes.
        with m.If(Mux(self.goes, self.last, ~self.present & self.head)):
            m.d.sync += self.here.eq(this)
        self.inside = ~self.head
        contract.see(f"{name}_front", Cat(self.present, self.head, self.last, self.here))
        contract.see(f"{name}_goes", self.goes)


class Inputs:
    """All inputs of an output port, connected to it.

    Parameters
    ----------
    contract : Contract
    dut : OutputPort
    courtesies : sequence of int
        Of each input, how many packets its heads let pass; of those that are no guests 0.

    Attributes
    ----------
    queues : list of (int, Queue)
        All, with their inputs.
    grant : Signal
        One-hot: whose nominee is taken.
    wishes : list of Value
        By input, whether its nominee can go, and does so by this output.
    insists : dict of Signal
        By input that is a guest, which of its heads insist.
    elsewhere : list of Signal
        By queue, whether what is not for this output can go now, and in the next cycle.
    """

    def __init__(self, contract: Contract, dut: OutputPort, courtesies: Sequence[int]) -> None:
        self.contract, self.dut, m = contract, dut, contract.m
        increments = contract.constant("increments", len(dut.channels))
        lane = Signal(int(dut.lanes.count[0]), init=1)
        m.d.comb += [dut.increments.eq(increments), dut.lane.eq(lane)]
        self.elsewhere: list[Signal] = []
        inputs: list[list[Queue]] = []
        for i, width in enumerate(dut.channels):
            local = dut.terminal and i == len(dut.channels) - 1
            inputs.append(
                [
                    Queue(contract, f"q{i}{v}", _channel(dut, local, v, increments[i], lane))
                    for v in range(width)
                ]
            )
        self.grant = contract.see("grant", dut.grant)
        self.wishes = [self._nominate(i, queues) for i, queues in enumerate(inputs)]
        if dut.terminal:
            last = inputs[-1][0]
            with m.If(last.goes & last.last):
                m.d.sync += lane.eq(lane.rotate_left(1))
        self.insists = {
            i: _insists(contract, dut, number, inputs[i], courtesies[i])
            for number, i in enumerate(dut.guests)
        }
        self.queues = [(i, queue) for i, queues in enumerate(inputs) for queue in queues]

    def _nominate(self, i: int, queues: list[Queue]) -> Value:
        """Let an input nominate; return whether that can go, and does so by this output."""
        contract, dut, m = self.contract, self.dut, self.contract.m
        front: Any = dut.fronts[i]
        now, later = (
            [contract.anything(f"{name}{i}{v}") for v in range(len(queues))]
            for name in ("elsewhere", "later")
        )
        self.elsewhere += [*now, *later]
        ready = Signal(len(queues), name=f"ready{i}")
        m.d.comb += [
            ready.eq(_where(queues, dut.able[i], now)),
            front.wants.eq(Cat(q.here for q in queues)),
            front.waits.eq(Cat(q.present for q in queues)),
            front.head.eq(Cat(q.head for q in queues)),
            front.last.eq(Cat(q.last for q in queues)),
        ]
        soon = _where(queues, dut.soon[i], later)
        nominee = _nominee(contract, i, ready, soon, Cat(q.goes for q in queues))
        m.d.comb += front.nominee.eq(nominee)
        m.d.sync += dut.crossing[i].tail.eq((nominee & Cat(q.last for q in queues)).any())
        for v, q in enumerate(queues):
            m.d.comb += q.goes.eq(Mux(q.here, self.grant[i] & nominee[v], q.away & q.present))
        return Cat(nominee[v] & q.here & ready[v] for v, q in enumerate(queues)).any()


def _where(queues: list[Queue], here: Value, elsewhere: list[Signal]) -> Value:
    """Return which fronts can go, by this output or another."""
    able = zip(queues, here, elsewhere, strict=True)
    return Cat(q.present & Mux(q.here, by_this, by_other) for q, by_this, by_other in able)


def _channel(dut: OutputPort, local: bool, v: int, turn: Value, lane: Signal) -> Value:
    """Return one-hot the channel on which packets go on."""
    lanes = dut.lanes
    if dut.eject:
        return Const(1, 1)
    if local:
        return Cat(lane, Const(0, lanes.channels - len(lane)))
    raised = Const(1 << int(lanes.next_vc[v]), lanes.channels)
    return Mux(turn, raised, Const(1 << v, lanes.channels))


def _nominee(contract: Contract, i: int, ready: Signal, soon: Value, goes: Value) -> Signal:
    """Return what an input port nominates, to whatever channels flits come."""
    m, width = contract.m, len(ready)
    nominee = Signal(width, init=1, name=f"nominee{i}")
    if width > 1:
        m.submodules[f"choice{i}"] = choice = Arbiter(width)
        arrives = contract.anything(f"arrives{i}", width)
        contract.assume(at_most_one(arrives))
        m.d.comb += [choice.request.eq(soon & ~nominee), choice.served.eq(nominee & goes)]
        with m.If((nominee & goes).any() | ~(ready & nominee).any()):
            with m.If(choice.request.any()):
                m.d.sync += nominee.eq(choice.grant)
            with m.Elif(arrives.any()):
                m.d.sync += nominee.eq(arrives)
    return contract.see(f"nominee{i}", nominee)


def _insists(
    contract: Contract, dut: OutputPort, number: int, queues: list[Queue], courtesy: int
) -> Signal:
    """Let guests insist as the router does, or anyhow if their packets are not for here."""
    m, mine = contract.m, dut.guests[number]
    for v, queue in enumerate(queues):
        passed, own = Signal(courtesy, name=f"passed{number}{v}"), Signal(name=f"own{number}{v}")
        m.d.sync += own.eq(queue.goes)
        others = Cat(dut.through[:mine], dut.through[mine + 1 :])
        passes = others.any() | (dut.through[mine] & ~own)
        with m.If(queue.goes & queue.head):
            m.d.sync += passed.eq(0)
        with m.Elif(queue.present & queue.head & queue.here & passes):
            m.d.sync += passed.eq(Cat(1, passed))
        anyhow = contract.anything(f"else{number}{v}")
        m.d.comb += dut.insists[number][v].eq(Mux(queue.here, passed[-1], anyhow))
    return contract.see(f"insists{number}", dut.insists[number])
