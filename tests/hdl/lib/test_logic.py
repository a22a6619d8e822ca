import random
from collections.abc import Iterable
from itertools import product

import pytest
from amaranth import Module, Signal, Value
from amaranth.sim import Simulator

from fingerpost.hdl.lib.logic import encode, rom, select, subtract_modulo, thermometer
from fingerpost.testbench.context import Context


def evaluate(
    m: Module, output: Value, inputs: list[Signal], cases: Iterable[tuple[int, ...]]
) -> list[int]:
    """Return the value of combinational logic for each case."""
    result = Signal(len(Value.cast(output)))
    m.d.comb += result.eq(output)
    seen: list[int] = []

    async def bench(ctx: Context) -> None:
        for case in cases:
            for signal, value in zip(inputs, case, strict=True):
                ctx.set(signal, value)
            await ctx.delay(1e-9)
            seen.append(ctx.get(result))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.parametrize("modulus", [*range(2, 10), 23, 32, 47])
def test_subtract_modulo(modulus: int) -> None:
    m, a, b = Module(), Signal(range(modulus)), Signal(range(modulus))
    cases = list(product(range(modulus), repeat=2))
    output = subtract_modulo(m, a, b, modulus)
    assert evaluate(m, output, [a, b], cases) == [(x - y) % modulus for x, y in cases]


@pytest.mark.parametrize(
    "entries",
    [[5], [0, 0], [1, 2, 3], [7, 0, 7, 1, 1], [*range(16)], [i * i % 7 for i in range(23)]],
)
def test_rom(entries: list[int]) -> None:
    m, index = Module(), Signal(6)
    output = rom(m, "entries", index, entries)
    padded = entries + [0] * (64 - len(entries))
    assert evaluate(m, output, [index], [(i,) for i in range(64)]) == padded
    assert output.name == "entries"


@pytest.mark.parametrize("width", range(1, 10))
def test_encode(width: int) -> None:
    m, one_hot = Module(), Signal(width)
    cases = [(1 << i,) for i in range(width)]
    assert evaluate(m, encode(one_hot), [one_hot], cases) == list(range(width))


@pytest.mark.parametrize("count", range(1, 5))
def test_select(count: int) -> None:
    m, one_hot = Module(), Signal(count)
    values = [Signal(2, name=f"value{i}") for i in range(count)]
    cases = [
        (chosen, *values)
        for chosen in [0, *(1 << i for i in range(count))]
        for values in product(range(4), repeat=count)
    ]
    expected = [rest[chosen.bit_length() - 1] if chosen else 0 for chosen, *rest in cases]
    assert evaluate(m, select(one_hot, values), [one_hot, *values], cases) == expected


@pytest.mark.parametrize(("limit", "init"), [(1, 0), (1, 1), (2, 0), (4, 4), (6, 3)])
def test_bar(limit: int, init: int) -> None:
    m, up, down = Module(), Signal(), Signal()
    count = thermometer(m, "count", limit, init=init, up=up, down=down)
    seen: list[int] = []
    expected: list[int] = []

    async def bench(ctx: Context) -> None:
        level, rng = init, random.Random(limit)
        for _ in range(200):
            add, take = rng.getrandbits(1), rng.getrandbits(1)
            if not 0 <= level + add - take <= limit:
                add = take = 0
            ctx.set(up, add)
            ctx.set(down, take)
            seen.append(ctx.get(count))
            expected.append((1 << level) - 1)
            level += add - take
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == expected
    assert len(set(seen)) == limit + 1
