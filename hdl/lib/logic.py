"""Small pieces of logic that several components share, and their random bits."""

from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth import C, Cat, Module, Mux, Signal, Value, signed
from amaranth.hdl import ValueCastable, ValueLike
from amaranth.lib.wiring import Out

from fingerpost.golden.algebra.chance import SEED
from fingerpost.golden.header import bits
from fingerpost.hdl.lib.component import Component


def select(one_hot: Value, values: Sequence[Value | ValueCastable]) -> Value:
    """Return the value whose bit is set in `one_hot`, 0 if none is: AND-OR."""
    every = (Value.cast(value) for value in values)
    return reduce(or_, (v & one_hot[i].replicate(len(v)) for i, v in enumerate(every)))


def encode(one_hot: Value) -> Value:
    """Return the number of the bit that is set in `one_hot`."""
    numbers = range(len(one_hot))
    return Cat(
        reduce(or_, [one_hot[i] for i in numbers if i >> b & 1], Value.cast(0))
        for b in range(bits(len(one_hot)))
    )


def thermometer(
    m: Module, name: str, limit: int, *, init: int = 0, up: Value, down: Value
) -> Signal:
    """Return a register that counts 0..`limit`: bit i is set while it counts above i.

    No comparison is needed to tell whether some, or several, are left, and each of its bits depends
    on its neighbours only.
    """
    count = Signal(limit, init=(1 << init) - 1, name=name)  # bit i: it counts above i
    with m.If(up ^ down):
        m.d.sync += count.eq(Mux(up, Cat(1, count), count >> 1))
    return count


def count(m: Module, counter: Signal, events: ValueLike) -> None:
    """Add the number of events of each cycle to a register that stops at its largest number."""
    events = Value.cast(events)
    if len(events) == 1:
        with m.If(events & ~counter.all()):
            m.d.sync += counter.eq(counter + 1)
        return
    total, width = counter + events, len(counter)
    m.d.sync += counter.eq(total[:width] | total[width:].any().replicate(width))


def delayed(m: Module, name: str, value: Value, cycles: int) -> Value:
    """Return a value some cycles later, from registers of this name."""
    for cycle in range(cycles):
        register = Signal.like(value, name=f"{name}{cycle}" if cycle else name)
        m.d.sync += register.eq(value)
        value = register
    return value


def subtract_modulo(m: Module, a: Value, b: Value, modulus: int) -> Signal:
    """Return <a - b> mod `modulus`, for a and b in 0..modulus-1."""
    difference = Signal(signed(bits(modulus) + 1))
    remainder = Signal(range(modulus))
    m.d.comb += [
        difference.eq(a - b),
        remainder.eq(Mux(difference < 0, difference + modulus, difference)),
    ]
    return remainder


def rom(m: Module, name: str, index: Value, entries: Sequence[int]) -> Signal:
    """Return `entries[index]`, as a combinational case statement; 0 beyond the last entry.

    Indices of equal entries share a case: one case per entry takes Yosys quadratic time.
    """
    output = Signal(max(1, max(entries).bit_length()), name=name)
    indices = defaultdict(list)
    for i, entry in enumerate(entries):
        indices[entry].append(i)
    with m.Switch(index):
        for entry, patterns in indices.items():
            with m.Case(*patterns):
                m.d.comb += output.eq(entry)
    return output


def advance(state: Signal) -> Value:
    """Return 16 bits after 16 steps of x^16 + x^15 + x^13 + x^4 + 1: exclusive ors alone."""
    bits = list(state)
    for _ in range(16):
        bits = [bits[15] ^ bits[14] ^ bits[12] ^ bits[3], *bits[:15]]
    return Cat(bits)


class Chance(Component):
    """A linear-feedback shift register that takes 16 steps in a cycle.

    Members
    -------
    state : ``Out(16)``    The random bits of this cycle.
    """

    def __init__(self) -> None:
        super().__init__(state=Out(16))

    def elaborate(self, platform: object) -> Module:
        """Take the steps."""
        m = Module()
        register = Signal(16, init=SEED)
        m.d.sync += register.eq(advance(register))
        m.d.comb += self.state.eq(register)
        return m


def lowest(word: Value) -> Value:
    """Return one-hot the lowest bit of `word` that is set, or 0."""
    return Cat(bit & ~word[:i].any() for i, bit in enumerate(word))


def highest(word: Value) -> Value:
    """Return one-hot the highest bit of `word` that is set, or 0."""
    return Cat(bit & ~word[i + 1 :].any() for i, bit in enumerate(word))


def at_least(value: Value, bound: Value) -> Value:
    """Return whether value >= bound, bit by bit.

    For `>=` synthesis takes a carry chain, and keeps it if the bound, a strap, turns out to be
    constant. Of this nothing is left then but an AND or an OR at each bit: 3 or 4 LUTs for 11 bits.
    """
    above: Value = C(1, 1)
    for i in range(max(len(value), len(bound))):
        v, b = (x[i] if i < len(x) else C(0, 1) for x in (value, bound))
        above = Mux(v ^ b, v, above)
    return above
