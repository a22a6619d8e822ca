"""Components of the router: their timing diagrams are true, the cycles of a hop, and resets."""

import re
from functools import reduce
from typing import Any

import numpy as np
import pytest
from amaranth.lib import wiring

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.routing import Table
from fingerpost.golden.topology import EdgeList
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.router.router import Router
from fingerpost.hdl.router.switch_allocator import Arbiter, BypassLimit, SwitchAllocator
from fingerpost.hdl.router.vc_allocator import BatchArbiter, CreditCounter, VcAllocator
from fingerpost.hdl.router.vc_buffer import VcBuffer
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate
from tests.networks import deflection

COMPONENTS = (
    Arbiter(3),
    BatchArbiter(3),
    BypassLimit(2),
    CreditCounter(2),
    SwitchAllocator((1, 1, 1), yielding=(2,), gated=True),
    VcBuffer(depth=2, outputs=1),
    VcAllocator(2, predict=False),
)


def diagram(component: wiring.Component) -> dict[str, list[int]]:
    """Return the rows of a diagram: a signal, and its value in each cycle, in binary."""
    lines = (type(component).__doc__ or "").splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r" +cycle +0", line))
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    rows = [line.split() for line in lines[start + 1 : end]]
    return {name: [int(value, 2) for value in values] for name, *values in rows}


def is_input(component: wiring.Component, name: str) -> bool:
    return component.signature.members[name.partition(".")[0]].flow is wiring.In


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: type(each).__name__)
def test_diagram_is_true(component: wiring.Component) -> None:
    rows = diagram(component)
    signals: dict[str, Any] = {name: reduce(getattr, name.split("."), component) for name in rows}
    driven = [name for name in rows if is_input(component, name)]
    assert 0 < len(driven) < len(rows)

    async def bench(ctx: Context) -> None:
        for cycle in range(len(rows[driven[0]])):
            for name in driven:
                ctx.set(signals[name], rows[name][cycle])
            await ctx.delay(1e-8)
            seen = {name: ctx.get(signal) for name, signal in signals.items()}
            assert seen == {name: values[cycle] for name, values in rows.items()}, cycle
            await ctx.tick()

    simulate(component, bench)


@pytest.mark.parametrize("requests", [0, -1])
def test_refuses_no_requests(requests: int) -> None:
    message = f"Arbiter needs at least 1 request, not {requests}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Arbiter(requests)


def stream(credits: int, stages: Pipeline, cycles: int = 60) -> tuple[list[int], list[int]]:
    """Return the cycles in which flits are granted to a router, and in which they leave it.

    A router like it sends single-flit packets from node 0 of a triangle to node 1, through node 2,
    as long as it has credits.
    """
    triangle = EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3)
    table = Table(triangle)
    router = Router(table, lanes=Lanes(1, 1), depth=8, flit_width=8, pipeline=stages)
    arrival = next(p for p in range(2) if triangle.neighbour[2, p] == 0)
    granted: list[int] = []
    left: list[int] = []

    async def bench(ctx: Context) -> None:
        ctx.set(router.straps.as_value(), table.straps.at(2))
        link, out = router.inputs[arrival], router.outputs[1 - arrival]
        ctx.set(link.flit.as_value(), 1 << 2 | 0b11)
        held = credits
        for cycle in range(cycles):
            if held:
                held -= 1
                granted.append(cycle)
            ctx.set(link.valid, cycle - stages.link_cycles in granted[-8:])
            await ctx.delay(1e-8)
            if ctx.get(out.valid):
                left.append(cycle)
            ctx.set(out.credit, ctx.get(out.valid))
            held += ctx.get(link.credit)
            await ctx.tick()

    simulate(router, bench)
    return granted, left


@pytest.mark.parametrize(
    ("stages", "hop"),
    [
        (Pipeline(), 2),
        (Pipeline(routing=2), 3),
        (Pipeline(allocation=1), 3),
        (Pipeline(routing=2, allocation=1), 4),
        (Pipeline(traversal=2), 3),
        (Pipeline(credit=2), 2),
    ],
    ids=repr,
)
def test_hardware_follows_the_pipeline(stages: Pipeline, hop: int) -> None:
    assert stages.hop_cycles == hop
    granted, left = stream(1, stages)
    assert left[0] - granted[0] == stages.link_cycles + stages.hop_cycles
    assert set(np.diff(granted)) == {stages.full_rate_depth}
    depth = stages.full_rate_depth
    assert np.diff(stream(depth, stages)[1]).max() == 1
    assert np.diff(stream(depth - 1, stages)[1]).max() == 2


def test_what_deflected_flits_carry_has_no_reset() -> None:
    """The placer of ECP5 takes 20 times as long where 37 bits in each of 16 registers have one."""
    network = deflection("petersen")
    node_type = network.topology.node_type[0]
    text = module_verilog(DeflectionRouter(network, node_type), "router")
    (reset,) = re.findall(r"if \(rst\) begin\n(.*?)\n    end else", text, re.S)
    has = {name for name, _ in re.findall(r"(\w+) <= (\d+)'d", reset)}
    every = {*re.findall(r"^ +(\w+?)(?:\[[\d:]+\])? <= ", text, re.M)}
    payload = {name for name in every if re.search("data|destination|payload", name)}
    assert len(payload - {"eject__data"}) >= 3 * 3  # a stage a slot, or two fields of it
    assert payload & has == {"eject__data"}  # that of the last flit while there is none
    assert {name for name in every if re.search("valid|key|epoch|old", name)} <= has
