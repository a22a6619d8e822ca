from collections.abc import Callable, Sequence

import numpy as np
import pytest
from amaranth import Cat, Module, Signal, Value
from amaranth.sim import Simulator

from fingerpost.golden.algebra.permutation import permutations
from fingerpost.golden.algebra.star_cycles import apart as golden_apart
from fingerpost.golden.algebra.star_cycles import bsymbols as golden_bsymbols
from fingerpost.golden.algebra.star_cycles import leaders
from fingerpost.hdl.routing.star_cycles import (
    apart,
    bsymbols,
    count,
    is_identity,
    is_permutation,
    lowest,
    misplaced,
    one_hot,
    same_cycle,
)
from fingerpost.testbench.context import Context

Rows = Sequence[Value]


def labels(n: int) -> np.ndarray:
    """Return all permutations of 1..n, or some if there are many."""
    total = int(np.prod(np.arange(1, n + 1)))
    return permutations(np.arange(0, total, max(1, total // 300)), n)


def evaluate(n: int, make: Callable[[Module, Rows], Value], cases: np.ndarray) -> list[int]:
    """Return what the logic makes of each list of symbols, which count from 1."""
    m = Module()
    symbols = [Signal(4, name=f"symbol{k}") for k in range(n)]
    p = [one_hot(m, f"p{k}", symbol, n) for k, symbol in enumerate(symbols)]
    made = make(m, p)
    result = Signal(len(made))
    m.d.comb += result.eq(made)
    seen: list[int] = []

    async def bench(ctx: Context) -> None:
        for case in cases.tolist():
            for signal, symbol in zip(symbols, case, strict=True):
                ctx.set(signal, symbol - 1)
            await ctx.delay(1e-9)
            seen.append(ctx.get(result))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def masks(sets: np.ndarray) -> list[int]:
    return [int(x) for x in sets @ (1 << np.arange(sets.shape[-1]))]


@pytest.mark.parametrize("n", range(3, 10))
def test_sets_of_symbols(n: int) -> None:
    p = labels(n)
    assert evaluate(n, apart, p) == masks(golden_apart(p))
    found = evaluate(n, lambda m, p: bsymbols(m, p, apart(m, p)), p)
    assert found == masks(golden_bsymbols(p))
    assert evaluate(n, lambda _, p: misplaced(p), p) == masks(p != np.arange(1, n + 1))


@pytest.mark.parametrize(
    "n", [*range(3, 8), *(pytest.param(n, marks=pytest.mark.regress) for n in (8, 9))]
)
def test_symbols_of_the_same_r_cycle(n: int) -> None:
    p = labels(n)
    whole, leader = golden_apart(p), leaders(p)
    found = np.array(evaluate(n, lambda m, p: Cat(*same_cycle(m, p)), p), dtype=object)
    for k in range(1, n):
        row = (found >> k * n & (1 << n) - 1).astype(np.int64)
        alike = np.array(masks(leader == leader[:, k : k + 1]))
        asked = whole[:, k]
        assert (row[asked] == alike[asked]).all()
        # Symbols of other r-cycles are never among them, whatever the symbol.
        assert ((row & ~alike) == 0).all()


@pytest.mark.parametrize("n", range(3, 10))
def test_permutation_and_identity(n: int) -> None:
    p = labels(n)
    rng = np.random.default_rng(n)
    spoilt = p.copy()
    spoilt[np.arange(len(p)), rng.integers(n, size=len(p))] = rng.integers(1, 17, size=len(p))
    cases = np.concatenate([p, spoilt, [np.arange(1, n + 1)]])
    right = (np.sort(cases, axis=1) == np.arange(1, n + 1)).all(axis=1)
    assert evaluate(n, lambda _, p: is_permutation(p), cases) == right.astype(int).tolist()
    same = (cases == np.arange(1, n + 1)).all(axis=1)
    assert evaluate(n, lambda _, p: is_identity(p), cases) == same.astype(int).tolist()


@pytest.mark.parametrize("width", range(1, 10))
def test_count_and_lowest(width: int) -> None:
    m, mask = Module(), Signal(width)
    number, low = Signal(5), Signal(width)
    m.d.comb += [number.eq(count(m, mask)), low.eq(lowest(mask))]

    async def bench(ctx: Context) -> None:
        for value in range(1 << width):
            ctx.set(mask, value)
            await ctx.delay(1e-9)
            assert (ctx.get(number), ctx.get(low)) == (value.bit_count(), value & -value)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
