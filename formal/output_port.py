"""The output port: credits are kept, packets do not mix, and whoever can go does so soon."""

from collections.abc import Mapping
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from formal.contract import Contract, at_most_one, at_most_times, level
from formal.rounds import LIMIT
from golden.deadlock.lanes import Lanes
from hdl.arbiter import Arbiter
from hdl.output_port import OutputPort

__all__ = ["output_port"]


class _Queue:
    """Any packets of a queue of an input: for this output, or for others, or nowhere.

    Attributes
    ----------
    present, head, last, here : Signal
        There is a front; it is a head, and a tail; it is for this output.
    goes : Signal
        It goes.
    channel : Value
        One-hot, where its packet goes.
    """

    def __init__(self, contract: Contract, name: str, channel: Value) -> None:
        m = contract.m
        comes, tail, this = (contract.anything(f"{name}_{x}") for x in ("comes", "tail", "this"))
        self.away = contract.anything(f"{name}_away")
        self.present, self.last = Signal(name=f"{name}_present"), Signal(name=f"{name}_last")
        self.head, self.here = Signal(init=1, name=f"{name}_head"), Signal(name=f"{name}_here")
        self.goes = Signal(name=f"{name}_goes")
        self.channel = channel
        with m.If(self.goes | ~self.present):
            m.d.sync += [self.present.eq(comes), self.last.eq(tail)]
        with m.If(self.goes):
            m.d.sync += self.head.eq(self.last)
        # Between packets it says whatever it likes.
        with m.If(Mux(self.goes, self.last, ~self.present & self.head)):
            m.d.sync += self.here.eq(this)
        self.inside = ~self.head
        contract.see(f"{name}_front", Cat(self.present, self.head, self.last, self.here))
        contract.see(f"{name}_goes", self.goes)


def output_port(
    *,
    channels: tuple[int, ...],
    lanes: Lanes,
    depth: int,
    eject: bool = False,
    terminal: bool = True,
    courtesies: tuple[int, ...] = (),
) -> Contract:
    """Return what an output port promises, whatever waits at the inputs and whenever credits come.

    The inputs nominate as input ports do. No flit is sent that the receiver has no place for, none
    of another packet between a packet's head and its tail. While a flit can go, its input
    nominates for this output, and it does not go, at most channels * inputs - 1 others do; those
    do not count on which guests insist. A body flit that can go can do so until it goes.
    While a head waits, each other queue begins at most `LIMIT` packets on its channel, and one
    where no input has a choice of channels.

    Parameters
    ----------
    channels : tuple of int
        Of each input the channels.
    lanes, depth, eject, terminal
        As for `OutputPort`.
    courtesies : tuple of int
        Of each input, how many packets its heads let pass; those with 0 are no guests. None are, if
        it is empty.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = OutputPort(
        channels=channels, terminal=terminal, lanes=lanes, eject=eject, depth=depth,
        guests=[i for i, limit in enumerate(courtesies) if limit], flit_width=1,
    )  # fmt: skip
    increments = contract.constant("increments", len(channels))
    lane = Signal(int(lanes.count[0]), init=1)
    m.d.comb += [dut.increments.eq(increments), dut.lane.eq(lane)]
    inputs: list[list[_Queue]] = []
    for i, width in enumerate(channels):
        local = terminal and i == len(channels) - 1
        inputs.append(
            [
                _Queue(contract, f"q{i}{v}", _channel(lanes, eject, local, v, increments[i], lane))
                for v in range(width)
            ]
        )
    grant = contract.see("grant", dut.grant)
    wishes = [_nominate(contract, dut, i, queues, grant[i]) for i, queues in enumerate(inputs)]
    if terminal:
        guest = inputs[-1][0]
        with m.If(guest.goes & guest.last):
            m.d.sync += lane.eq(lane.rotate_left(1))
    insists = [
        _insists(contract, dut, number, inputs[i], courtesies[i])
        for number, i in enumerate(dut.guests)
    ]
    contract.claim("grant", at_most_one(grant) & ~(grant & ~Cat(wishes)).any())
    contract.claim("somebody", grant.any() == Cat(wishes).any())

    every = [(i, queue) for i, queues in enumerate(inputs) for queue in queues]
    goes = [queue.goes & queue.here for _, queue in every]
    able = [bit for bits in dut.able for bit in bits]
    for c in range(dut.outgoing):
        valid, credit = dut.link.valid[c], contract.anything(f"credit{c}")
        m.d.comb += dut.link.credit[c].eq(credit)
        there = level(contract, f"there{c}", depth, up=valid, down=credit)
        contract.assume((there != 0) | ~credit)
        contract.claim(f"room{c}", (there != depth) | ~valid)
        here = [queue.here & queue.channel[c] for _, queue in every]
        under_way = Cat(h & queue.inside for h, (_, queue) in zip(here, every, strict=True))
        contract.claim(f"one_packet{c}", at_most_one(under_way))
        able_here = Cat(h & a for h, a in zip(here, able, strict=True))
        contract.claim(f"unmixed{c}", ~(able_here & ~under_way).any() | ~under_way.any())
        went = Signal(name=f"went{c}")
        m.d.sync += went.eq(Cat(h & g for h, g in zip(here, goes, strict=True)).any())
        # What is not away, on the link, in the queue or on its way back, is at the sender.
        taken = Cat(h & g for h, g in zip(here, goes, strict=True)).any()
        away = level(contract, f"away{c}", depth, up=taken, down=credit)
        bodies = Cat(h & q.present & q.inside for h, (_, q) in zip(here, every, strict=True))
        has = (away != depth).replicate(len(every))
        contract.claim(f"credits{c}", ~(bodies & (able_here ^ has)).any())
        departs = Signal(name=f"departs{c}")
        m.d.sync += departs.eq(went)
        contract.claim(f"sent{c}", valid == departs)
    _service(contract, dut, every, able, wishes, dict(zip(dut.guests, insists, strict=True)))
    return contract


def _channel(lanes: Lanes, eject: bool, local: bool, v: int, turn: Value, lane: Signal) -> Value:
    """Return one-hot the channel on which packets go on."""
    if eject:
        return Const(1, 1)
    if local:
        return Cat(lane, Const(0, lanes.channels - len(lane)))
    raised = Const(1 << int(lanes.raised[v]), lanes.channels)
    return Mux(turn, raised, Const(1 << v, lanes.channels))


def _nominate(
    contract: Contract, dut: OutputPort, i: int, queues: list[_Queue], granted: Value
) -> Value:
    """Let an input nominate; return whether that can go, and does so by this output."""
    m, width = contract.m, len(queues)
    front: Any = dut.fronts[i]
    ready = Signal(width, name=f"ready{i}")
    m.d.comb += [
        ready.eq(
            Cat(
                q.present & Mux(q.here, able, contract.anything(f"elsewhere{i}{v}"))
                for v, (q, able) in enumerate(zip(queues, dut.able[i], strict=True))
            )
        ),
        front.wants.eq(Cat(q.here for q in queues)),
        front.waits.eq(Cat(q.present for q in queues)),
        front.head.eq(Cat(q.head for q in queues)),
        front.last.eq(Cat(q.last for q in queues)),
    ]
    soon = Cat(
        q.present & Mux(q.here, later, contract.anything(f"later{i}{v}"))
        for v, (q, later) in enumerate(zip(queues, dut.soon[i], strict=True))
    )
    nominee = _nominee(contract, i, ready, soon, Cat(q.goes for q in queues))
    m.d.comb += front.nominee.eq(nominee)
    for v, q in enumerate(queues):
        m.d.comb += q.goes.eq(Mux(q.here, granted & nominee[v], q.away & q.present))
    return Cat(nominee[v] & q.here & ready[v] for v, q in enumerate(queues)).any()


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
    contract: Contract, dut: OutputPort, number: int, queues: list[_Queue], courtesy: int
) -> Signal:
    """Let guests insist as the router does, or anyhow if their packets are not for here."""
    m = contract.m
    for v, queue in enumerate(queues):
        passed = Signal(courtesy, name=f"passed{number}{v}")
        with m.If(queue.goes & queue.head):
            m.d.sync += passed.eq(0)
        with m.Elif(queue.present & queue.head & queue.here & dut.through):
            m.d.sync += passed.eq(Cat(1, passed))
        anyhow = contract.anything(f"else{number}{v}")
        m.d.comb += dut.insists[number][v].eq(Mux(queue.here, passed[-1], anyhow))
    return contract.see(f"insists{number}", dut.insists[number])


def _service(
    contract: Contract, dut: OutputPort, every: list[tuple[int, _Queue]], able: list[Value],
    wishes: list[Value], guests: Mapping[int, Signal],
) -> None:  # fmt: skip
    """Claim that who can go does so soon; `guests` tells of inputs which of their heads insist."""
    m = contract.m
    chosen = contract.one_of("chosen", len(every))

    def of(values: list[Value]) -> Value:
        return (Cat(values) & chosen).any()

    present = of([q.present & q.here for _, q in every])
    goes = of([q.goes for _, q in every])
    can = contract.see("can", present & of(able))
    could = Signal()
    m.d.sync += could.eq(can & ~goes & of([~q.head for _, q in every]))
    contract.claim("stays", ~could | can)
    wish = Cat(wishes[i] for i, _ in every)
    limit = max(dut.channels) * len(dut.channels) - 1
    served = dut.grant.any() & ~goes & (wish & chosen).any()
    numbers = {i: [k for k, (j, _) in enumerate(every) if i == j] for i in guests}
    for i, insists in guests.items():
        for v, k in enumerate(numbers[i]):
            served &= ~(every[k][1].goes & every[k][1].head & insists[v])
            served &= ~chosen[k]
    contract.claim("served", at_most_times(m, limit, can & ~goes, served))

    # On its channel, with or without credits, whether or not its input nominates it.
    other = contract.one_of("other", len(every))
    contract.assume(other != chosen)
    waits = present & ~goes & of([q.head for _, q in every])
    for i, insists in guests.items():
        for v, k in enumerate(numbers[i]):
            waits &= ~chosen[k] | insists[v]
    begins = [q.goes & q.here & q.head for _, q in every]
    channels = dut.lanes.channels
    mine = Cat(of([q.channel[c] for _, q in every]) for c in range(1 if dut.eject else channels))
    same = [(mine & q.channel).any() for _, q in every]
    passes = (Cat(b & s for b, s in zip(begins, same, strict=True)) & other).any()
    rounds = 1 if max(dut.channels) == 1 else LIMIT
    contract.claim("passed", at_most_times(m, rounds, waits, passes))
