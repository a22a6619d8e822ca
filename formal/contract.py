"""A contract: what is claimed of a component, and what is assumed of all that is around it."""

from copy import copy
from functools import reduce
from operator import and_
from typing import Any, Self, TypeVar

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.asserts import AnyConst
from amaranth.hdl import ClockDomain, MemoryInstance, ShapeLike, ValueLike
from amaranth.hdl._ast import AnySeq, Operator

from fingerpost.hdl.lib.memory import NO_RW_CHECK


class UndefinedReads:
    """A platform for Amaranth with memories that are as unspecified as those of FPGAs.

    A synchronous read of a row that is written in the same cycle returns anything, until the next
    read, where the memory has `NO_RW_CHECK`. Simulators return what was in the row before.
    """

    def get_memory(self, memory: Any) -> Module:
        """Return what stands in the place of a memory."""
        m = Module()
        rows: Any = MemoryInstance(data=memory.data, attrs=memory.attrs)  # type: ignore[call-arg]
        m.submodules.rows = rows
        writes = {
            port: rows.write_port(domain=port.domain, addr=port.addr, data=port.data, en=port.en)
            for port in memory.write_ports
        }
        unspecified = NO_RW_CHECK.items() <= memory.attrs.items()
        for number, port in enumerate(memory.read_ports):
            transparent = port.transparent_for
            row = Signal(len(Value.cast(port.data)), name=f"row{number}")
            rows.read_port(
                domain=port.domain,
                addr=port.addr,
                data=row,
                en=port.en,
                transparent_for=tuple(writes[write] for write in transparent),
            )
            collided = Signal(name=f"collided{number}", reset_less=True)  # as what was read
            if unspecified and port.domain != "comb":
                collisions: Value = Value.cast(0)
                for write in (each for each in writes if each not in transparent):
                    collisions |= write.en.any() & (write.addr == port.addr)
                with m.If(port.en):
                    m.d[port.domain] += collided.eq(collisions)
            m.d.comb += Value.cast(port.data).eq(Mux(collided, AnySeq(len(row)), row))
        return m


FIRST = "first.ys"
"""The name of the commands that read modules."""


class Contract:
    """Claims about signals, in surroundings that may do all that the assumptions leave open.

    Time starts with all registers at their initial values, as after a reset.

    Attributes
    ----------
    m : Module
        What the claims are about, and the logic that follows it.
    inputs : list of Signal
        Signals that have any value in any cycle.
    seen : dict of Signal
        By name, what a counterexample shows.
    claims : dict of Signal
        By name, what is never 0.
    triggers : dict of Signal
        Of the claims of the form ``~trigger | consequent``, when they say something.
    sources : dict of str
        Files by name with the modules of instances in `m`; Yosys runs `FIRST`, which reads them.
    platform : object
        What components are elaborated for; `UndefinedReads`, or another one.
    resets : bool
        Whether there may be a reset in any cycle, of the component and of what the claims remember.
    induction : int, optional
        The claims should hold in the last of so many cycles in a row if they hold in those before.
    """

    def __init__(self) -> None:
        self.m = Module()
        self.clock = ClockDomain("sync", reset_less=True)
        self.m.domains += self.clock
        self.inputs: list[Signal] = []
        self.seen: dict[str, Signal] = {}
        self.claims: dict[str, Signal] = {}
        self.triggers: dict[str, Signal] = {}
        self.possible = Signal(init=1)  # all that was assumed, so far
        self.sources: dict[str, str] = {}
        self.platform: Any = UndefinedReads()
        self.resets = False
        self.induction: int | None = None

    def beside(self) -> Self:
        """Return a contract about the same module, with assumptions and claims of its own."""
        other = copy(self)
        other.claims, other.triggers, other.possible = {}, {}, Signal(init=1)
        return other

    def anything(self, name: str, shape: ShapeLike = 1) -> Signal:
        """Return a signal that has any value in any cycle."""
        signal = Signal(shape, name=name)
        self.inputs.append(signal)
        return signal

    def free(self, ports: Any, *names: str, prefix: str = "") -> tuple[Signal, ...]:
        """Let inputs of a component, or of a stream of it, be anything; return what drives them."""
        free = []
        for name in names:
            port = Value.cast(getattr(ports, name))
            free.append(self.anything(prefix + name, len(port)))
            self.m.d.comb += port.eq(free[-1])
        return tuple(free)

    def constant(self, name: str, shape: ShapeLike = 1) -> Signal:
        """Return a signal that has any value and keeps it: what holds for it holds for all."""
        return self.see(name, AnyConst(shape))

    def one_of(self, name: str, number: int) -> Signal:
        """Return a constant that is one-hot: any one of some things."""
        chosen = self.constant(name, number)
        self.assume(at_most_one(chosen) & chosen.any())
        return chosen

    def see(self, name: str, value: ValueLike) -> Signal:
        """Return a signal with this value; a counterexample shows it."""
        value = Value.cast(value)
        signal = Signal(value.shape(), name=f"see_{name}")
        self.m.d.comb += signal.eq(value)
        self.seen[name] = signal
        return signal

    def assume(self, value: ValueLike) -> None:
        """Leave out all that would make `value` 0 now or would have done so before."""
        possible = Signal(init=1)
        before, self.possible = self.possible, possible
        self.m.d.comb += possible.eq(before & Value.cast(value).any())

    def claim(self, name: str, value: ValueLike) -> None:
        """Claim that `value` is never 0."""
        signal = Signal(name=name)
        self.m.d.comb += signal.eq(Value.cast(value).any())
        self.claims[name] = signal
        if (found := trigger(Value.cast(value))) is not None:
            self.triggers[name] = Signal(name=f"{name}_trigger")
            self.m.d.comb += self.triggers[name].eq(found)

    def claim_stays(self, valid: Value, ready: Value, payload: Value) -> None:
        """Claim as `stays` and `stable` that what is offered and not taken is still offered."""
        waits, before = past(self.m, valid & ~ready), past(self.m, payload)
        self.claim("stays", ~waits | valid)
        self.claim("stable", ~waits | (payload == before))


Part = TypeVar("Part")


def about(dut: Part) -> tuple[Contract, Module, Part]:
    """Return a contract about a component, the module of the contract, and the component in it."""
    contract = Contract()
    contract.m.submodules.dut = dut
    return contract, contract.m, dut


def trigger(claim: Value) -> Value | None:
    """Return when a claim ``~trigger | consequent`` says something; None if it has no trigger.

    All negated operands are triggers, but the last one of a claim in which all are negated.

    Examples
    --------
    >>> valid, last, room = (Signal(name=name) for name in ("valid", "last", "room"))
    >>> trigger(~valid | ~last | room)
    (& (b (sig valid)) (b (sig last)))
    >>> trigger(~valid | ~last), trigger(~valid)
    ((b (sig valid)), None)
    """
    operands = _operands(claim)
    negated = [x for x in operands if isinstance(x, Operator) and x.operator == "~"]
    if len(negated) == len(operands):
        negated = negated[:-1]
    return reduce(and_, (x.operands[0].bool() for x in negated)) if negated else None


def _operands(value: Value) -> list[Value]:
    if isinstance(value, Operator) and value.operator == "|":
        return [operand for part in value.operands for operand in _operands(part)]
    return [value]


def past(m: Module, value: Value, cycles: int = 1, *, init: int = 0) -> Value:
    """Return what a value was some cycles before; in the first cycles, `init`."""
    for _ in range(cycles):
        before = Signal(len(value), init=init, name="past")
        m.d.sync += before.eq(value)
        value = before
    return value


def in_stages(m: Module, event: Value, cycles: int) -> Value:
    """Return how many of the last cycles, without this one, had an event."""
    return sum((past(m, event, cycle) for cycle in range(1, cycles + 1)), Value.cast(0))


def stays(m: Module, valid: Value, ready: Value, payload: Value) -> Value:
    """Return whether what was offered in the cycle before, and not taken, is still offered."""
    return ~past(m, valid & ~ready) | (valid & (payload == past(m, payload)))


def at_most_one(value: Value) -> Value:
    """Return whether no two bits are set."""
    return ~(value & (value - 1)[: len(value)]).any()


def level(
    contract: Contract, name: str, limit: int, *, up: Value, down: Value, init: int = 0
) -> Signal:
    """Return a register that counts 0..limit, of the least width: that is what proofs need."""
    count = Signal(range(limit + 1), name=name, init=init)
    contract.m.d.sync += count.eq(count + up - down)
    return contract.see(name, count)


def claim_room(
    contract: Contract, number: object, depth: int, *, valid: Value, credit: Value, port: str = ""
) -> Signal:
    """Claim as `room` with a number that no flit is sent to a receiver of `depth` flits in vain.

    Return how many it has.

    It is assumed that the receiver returns a credit only for a flit that it has.
    """
    there = level(contract, f"{port}there{number}", depth, up=valid, down=credit)
    contract.assume((there != 0) | ~credit)
    contract.claim(f"room{number}", (there != depth) | ~valid)
    return there


def at_most_times(m: Module, limit: int, waits: Value, event: Value) -> Value:
    """Return whether an event occurs at most `limit` times while `waits` holds without a break."""
    seen = Signal(limit)  # a thermometer
    m.d.sync += seen.eq(Mux(waits, Mux(event, Cat(1, seen), seen), 0))
    return ~(waits & event & seen[-1])


class Armed:
    """A flit that is armed when it comes; what holds for it holds for all.

    Parameters
    ----------
    contract : Contract
    arrives, goes : Value
        A flit comes, and the front goes, or so many.
    held : Value
        How many flits are there.
    name : str
        Of what they come to, where several are watched.
    at : Value, optional
        When it is armed; else at any of those that come.

    Attributes
    ----------
    now : Signal
        It comes.
    ahead : Signal
        How many are before it.
    here : Signal
        It has come and has not gone.
    front : Signal
        It is at the front.
    """

    def __init__(
        self,
        contract: Contract,
        arrives: Value,
        goes: Value,
        held: Value,
        *,
        name: str = "",
        at: Value | None = None,
    ) -> None:
        self.contract, m = contract, contract.m
        before, self.ahead = Signal(), Signal.like(held, name="ahead")
        self.here = Signal(name="armed")
        armed = contract.anything(f"{name}arm") if at is None else at
        self.now = contract.see(f"{name}armed_now", armed & arrives & ~before)
        with m.If(self.now):
            m.d.sync += [before.eq(1), self.here.eq(1), self.ahead.eq(held - goes)]
        with m.Elif(self.here):
            m.d.sync += [self.ahead.eq(self.ahead - goes), self.here.eq(self.ahead >= goes)]
        self.front = contract.see(f"{name}armed_front", self.here & (self.ahead == 0))

    def keep(self, name: str, value: ValueLike) -> Signal:
        """Return what a value was when the flit came."""
        value = Value.cast(value)
        kept = Signal(value.shape(), name=name)
        with self.contract.m.If(self.now):
            self.contract.m.d.sync += kept.eq(value)
        return kept
