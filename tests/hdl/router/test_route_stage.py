import random

import numpy as np
import pytest
from amaranth import Value
from amaranth.sim import Simulator

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_straps
from fingerpost.hdl.router.route_stage import RouteStage
from fingerpost.testbench.context import Context

NODE, PORT, CHANNELS = 5, 1, 2


@pytest.mark.parametrize("outputs", [(0, 1, 2, 3, 4), (0, 2, 4)])
def test_says_of_every_flit_where_it_goes_and_what_is_wrong(
    outputs: tuple[int, ...], borel21: Network
) -> None:
    rng, width = random.Random(1), borel21.routing.header.width
    dut = RouteStage(
        borel21.routing, port=PORT, outputs=outputs, channels=CHANNELS, flit_width=width + 4
    )
    inside = [False] * CHANNELS
    met = dict.fromkeys(("routed", "refused", "no turn", "orphan", "head inside"), 0)

    async def bench(ctx: Context) -> None:
        ctx.set(Value.cast(dut.straps), node_straps(borel21, NODE)[0])
        for _ in range(600):
            channel, data = rng.randrange(CHANNELS), rng.randrange(1 << (width + 4))
            head, tail, refused = rng.random() < 0.6, rng.random() < 0.5, rng.random() < 0.1
            header = data % (1 << width)
            ctx.set(dut.valid, 1 << channel)
            ctx.set(dut.flit, {"head": head, "tail": tail, "data": data})
            ctx.set(Value.cast(dut.header), header)
            ctx.set(dut.refused, refused)
            await ctx.delay(0)
            orphan = not head and not inside[channel]
            begins = head and not inside[channel]
            wrong = orphan or head
            if begins:
                at = np.array([NODE]), np.array([PORT]), np.array([header])
                decision = [int(part[0]) for part in borel21.routing.decide(*at)]
                port, next_header, error = decision
                wrong = refused or bool(error) or port not in outputs
                assert ctx.get(dut.route) == (0 if wrong else 1 << outputs.index(port))
                if not wrong:
                    assert ctx.get(dut.data) == data - header + next_header
                met["refused"] += refused or error
                met["no turn"] += not error and port not in outputs
                met["routed"] += not wrong
            else:
                assert ctx.get(dut.data) == data
            assert bool(ctx.get(dut.error)) == wrong
            assert bool(ctx.get(dut.tail)) == (tail or orphan)
            assert ctx.get(dut.in_packet) == sum(on << v for v, on in enumerate(inside))
            met["orphan"] += orphan
            met["head inside"] += head and not begins
            inside[channel] = (head or inside[channel]) and not tail
            await ctx.tick()
        ctx.set(dut.valid, 0)
        ctx.set(dut.flit.head, 0)
        await ctx.delay(0)
        assert not ctx.get(dut.error)  # of no flit nothing is wrong

    simulator = Simulator(dut)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
    assert met.pop("no turn") or len(outputs) == 5
    assert min(met.values()) > 10, met
