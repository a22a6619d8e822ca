import random
import re

import pytest
from amaranth import Value
from amaranth.sim import Simulator

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_straps
from fingerpost.hdl.emit.verilog import router
from fingerpost.hdl.router.router import Router
from fingerpost.testbench.context import Context


def test_links_see_no_input_before_the_next_edge(borel21: Network) -> None:
    dut = router(borel21)
    rng = random.Random(1)
    incoming = [*dut.inputs, dut.inject]
    outgoing = [*dut.outputs, dut.eject]
    inputs: list[Value] = [Value.cast(x) for link in incoming for x in (link.valid, link.flit)] + [
        Value.cast(link.credit) for link in outgoing
    ]
    outputs: list[Value] = [Value.cast(x) for link in outgoing for x in (link.valid, link.flit)] + [
        Value.cast(link.credit) for link in incoming
    ]
    changes: set[int] = set()
    straps, increments = node_straps(borel21, 3)

    async def bench(ctx: Context) -> None:
        ctx.set(Value.cast(dut.straps), straps)
        ctx.set(dut.increments, increments)
        before: list[int] = []
        for _ in range(120):
            await ctx.tick()
            now = [ctx.get(output) for output in outputs]
            changes.update(i for i, value in enumerate(now) if before and before[i] != value)
            for _ in range(4):
                for value in inputs:
                    ctx.set(value, rng.getrandbits(len(value)))
                await ctx.delay(1e-8)
                assert [ctx.get(output) for output in outputs] == now
            before = now

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert changes == set(range(len(outputs)))  # all of them do something


@pytest.mark.parametrize(
    ("channels", "depth", "flit_width", "message"),
    [
        (
            2,
            4,
            9,
            "Router needs a flit_width of at least 10, the bits of a two-phase header, not 9",
        ),
        (2, 0, 32, "Router needs a buffer_depth of at least 1, not 0"),
    ],
)
def test_refuses_impossible_parameters(
    channels: int, depth: int, flit_width: int, message: str, borel21: Network
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Router(borel21.routing, lanes=Lanes(1, channels), depth=depth, flit_width=flit_width)


@pytest.mark.parametrize(("channels", "depth", "flit_width"), [(1, 1, 10), (2, 4, 32), (3, 5, 64)])
def test_ports_are_as_wide_as_asked(
    channels: int, depth: int, flit_width: int, borel21: Network
) -> None:
    lanes = Lanes(1, channels)
    dut = Router(borel21.routing, lanes=lanes, depth=depth, flit_width=flit_width)
    assert len(dut.inputs) == len(dut.outputs) == 4
    for link in (*dut.inputs, *dut.outputs):
        assert (len(link.valid), len(link.credit)) == (channels, channels)
        assert len(Value.cast(link.flit)) == flit_width + 2
    for link in (dut.inject, dut.eject):
        assert (len(link.valid), len(link.credit)) == (1, 1)
    assert len(Value.cast(dut.straps)) == borel21.routing.straps.width
    assert len(dut.increments) == 16
