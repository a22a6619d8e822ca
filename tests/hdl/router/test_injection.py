import numpy as np
from amaranth import Value
from amaranth.sim import Simulator

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_straps
from fingerpost.hdl.router.injection import Injection
from fingerpost.testbench.context import Context

NODE, DESTINATION = 5, 17


def test_lost_flits_end_their_packet_and_are_counted_up_to_255(borel21: Network) -> None:
    routing = borel21.routing
    dut = Injection(routing, flit_width=borel21.flit_width)
    header = int(routing.encode(np.array([NODE]), np.array([DESTINATION]))[0])

    async def give(ctx: Context, *, head: bool, tail: bool, full: bool, inside: bool) -> None:
        ctx.set(dut.valid, 1)
        ctx.set(dut.flit, {"head": head, "tail": tail, "data": header})
        for _ in range(routing.header_cycles):
            await ctx.tick()
            ctx.set(dut.valid, 0)
        ctx.set(dut.full, full)
        ctx.set(dut.in_packet, inside)
        await ctx.delay(0)

    async def bench(ctx: Context) -> None:
        ctx.set(Value.cast(dut.straps), node_straps(borel21, NODE)[0])
        await give(ctx, head=True, tail=False, full=False, inside=False)
        assert ctx.get(dut.next_valid)
        assert (ctx.get(dut.next_flit.head), ctx.get(dut.next_flit.tail)) == (1, 0)
        assert not ctx.get(dut.refused)
        await ctx.tick()
        # No room for a body flit: it is lost, and its packet with it.
        await give(ctx, head=False, tail=False, full=True, inside=True)
        assert not ctx.get(dut.next_valid)
        await ctx.tick()
        assert ctx.get(dut.overruns) == 1
        ctx.set(dut.valid, 0)
        ctx.set(dut.full, 0)
        await ctx.delay(0)
        assert ctx.get(dut.next_valid)
        assert (ctx.get(dut.next_flit.head), ctx.get(dut.next_flit.tail)) == (0, 1)
        await ctx.tick()
        assert not ctx.get(dut.next_valid)
        # The counter stops at 255.
        for lost in range(2, 260):
            await give(ctx, head=True, tail=True, full=True, inside=False)
            await ctx.tick()
            assert ctx.get(dut.overruns) == min(lost, 255)

    simulator = Simulator(dut)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
