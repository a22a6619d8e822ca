"""A routing unit behind its header generator, in Amaranth's simulator, against golden."""

from typing import Any

import numpy as np
from amaranth import Module, Mux, Signal, Value

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.walk import hops
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate


def questions(
    routing: Routing, count: int, seed: int = 0
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return nodes, ports of arrival, headers and selections to ask about, up to `count`.

    A quarter are random headers at terminals, half of them headers of destinations but for one
    field; the rest are taken from routes.
    """
    topology, rng = routing.topology, np.random.default_rng(seed)
    terminals = topology.terminals
    source, goal = rng.choice(terminals, (2, count))
    met = [np.stack(at[1:4]) for at in hops(routing, source, goal, seed=seed)]
    node, arrival, header = np.concatenate(met, axis=1)
    some = rng.permutation(len(node))[: count - count // 4]
    most = 1 << min(routing.header.width, 63)
    strange = rng.integers(most, size=count // 4)
    local, at = np.full_like(strange, topology.local), rng.choice(terminals, len(strange))
    fields = [f for f in routing.header.values() if f.offset + f.width <= 63]
    masks = np.array([((1 << f.width) - 1) << f.offset for f in fields])
    mask = masks[np.arange(len(strange)) // 2 % len(masks)]
    good = routing.encode(at, rng.choice(terminals, len(at)))
    strange = np.where(np.arange(len(at)) % 2 == 0, strange, good & ~mask | strange & mask)
    node = np.concatenate([node[some], at])
    arrival = np.concatenate([arrival[some], local])
    header = np.concatenate([header[some], strange])
    selection = rng.integers(1 << routing.selection_width, size=len(node))
    return node, arrival, header, selection


def mismatches(
    topology: dict[str, Any], routing: dict[str, Any], *, count: int = 200
) -> list[dict[str, Any]]:
    """Return the questions that hardware and golden answer differently, with both answers."""
    golden = routed({"name": "test", "topology": topology, "routing": routing}).routing
    given = questions(golden, count)
    expected = golden.decide(*given)

    m = Module()
    m.submodules.header_generator = maker = header_generator(golden)
    m.submodules.unit = unit = routing_unit(golden)
    header, straps = Signal(golden.header.width), Signal(golden.straps.width)
    source, error = Signal(), Signal()
    m.d.comb += [
        Value.cast(maker.header).eq(header),
        Value.cast(maker.straps).eq(straps),
        Value.cast(unit.straps).eq(straps),
        source.eq(unit.arrival == golden.topology.local),
        Value.cast(unit.header).eq(Mux(source, Value.cast(maker.next_header), header)),
        error.eq(unit.error | (source & maker.error)),
    ]
    seen: list[tuple[int, int, int]] = []

    async def bench(ctx: Context) -> None:
        for node, arrival, asked, selection in zip(*(x.tolist() for x in given), strict=True):
            ctx.set(straps, golden.straps.at(node))
            ctx.set(unit.arrival, arrival)
            ctx.set(header, asked & (1 << golden.header.width) - 1)
            if golden.selection:
                ctx.set(unit.selection, selection)
            if golden.header_cycles:
                await ctx.tick().repeat(golden.header_cycles)
            else:
                await ctx.delay(1e-9)
            seen.append((ctx.get(unit.port), ctx.get(Value.cast(unit.next_header)), ctx.get(error)))

    simulate(m, bench)

    wrong = []
    for row, answer in enumerate(seen):
        right = tuple(int(part[row]) for part in expected)
        if answer[2] != right[2] or (not right[2] and answer != right):
            names = ("node", "arrival", "header", "selection")
            asked = dict(zip(names, (int(x[row]) for x in given), strict=True))
            wrong.append(asked | {"expected": right, "seen": answer})
    assert len(seen) == len(expected.port) > count // 4
    return wrong
