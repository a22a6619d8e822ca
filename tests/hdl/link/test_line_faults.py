"""The faults of fingerpost.testbench.os_link.line, in hardware, clock by clock."""

from typing import Any

import numpy as np
import pytest
from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.os_link import ERRORS
from fingerpost.hdl.link import OsLink
from fingerpost.testbench.context import Context
from fingerpost.testbench.os_link.line import Effect, Links, effects, traffic
from fingerpost.testbench.packing import pack, unpack

DRIVEN = ("link_in", 1), ("tx_data", 8), ("tx_valid", 1), ("rx_ready", 1), ("tx_break", 1)
SINGLE = "link_out", "tx_ready", "rx_valid", "tx_done", *ERRORS, "idle"
SEEN = *((name, 1) for name in SINGLE), ("rx_data", 8)


class Ports(wiring.Component):
    """Ports side by side, as one row each in a wide input and output."""

    driven: Signal
    seen: Signal

    def __init__(self, ports: int, parameters: OsLinkParameters) -> None:
        self.ports, self.parameters = ports, parameters
        widths = [sum(width for _, width in fields) for fields in (DRIVEN, SEEN)]
        super().__init__({"driven": In(ports * widths[0]), "seen": Out(ports * widths[1])})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rows: list[Any] = []
        for i in range(self.ports):
            m.submodules[f"port{i}"] = port = OsLink(self.parameters)
            inputs = [port.link_in, port.tx.payload, port.tx.valid, port.rx.ready, port.tx_break]
            row = Cat(*inputs)
            m.d.comb += row.eq(self.driven.word_select(i, len(row)))
            named = {"tx_ready": port.tx.ready, "rx_valid": port.rx.valid}
            flags = [named[n] if n in named else getattr(port, n) for n in SINGLE]
            rows.append(Cat(*flags, port.rx.payload))
        m.d.comb += self.seen.eq(Cat(*rows))
        return m


def lock_step(links: Links, clocks: int) -> None:
    """Compare every output of every port after each clock."""
    ports = Ports(links.ports, links.parameters)

    async def bench(ctx: Context) -> None:
        for _ in range(clocks):
            values = [np.asarray(each, np.int64) for each in links.inputs()]
            links.step()
            values.append(np.asarray(links.asked, np.int64))
            names = (name for name, _ in DRIVEN)
            ctx.set(ports.driven, pack(DRIVEN, dict(zip(names, values, strict=True))))
            await ctx.tick()
            seen = unpack(SEEN, links.ports, ctx.get(ports.seen))
            for name in SINGLE:
                wrong = np.flatnonzero(seen[name] != getattr(links.link, name))
                assert not len(wrong), f"clock {links.clock}, port {wrong[0]}: {name}"
            held = links.link.rx_valid
            assert (seen["rx_data"] == links.link.rx_data)[held].all()

    simulator = Simulator(ports)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(
    ("lanes", "breaks"),
    [
        (6, False),
        (4, True),
        pytest.param(200, False, marks=pytest.mark.regress),
        pytest.param(100, True, marks=pytest.mark.regress),
    ],
)
def test_hardware_does_the_same_with_a_fault(lanes: int, breaks: bool) -> None:
    parameters = OsLinkParameters(breaks=breaks, timeout=60 if breaks else 0)
    window = (450, 1000) if breaks else (180, 700)
    links = Links(
        parameters, traffic(2 * lanes, count=4, longest=4, seed=lanes), seed=lanes, window=window
    )
    lock_step(links, 2600 if breaks else 1600)
    if not breaks and lanes >= 200:
        links.run(6000)  # to the end, to see that the sample has faults of every effect
        assert {Effect.WRONG, Effect.HANG, Effect.HANG_FLAG, Effect.COUNT_FLAG} <= {*effects(links)}
    assert (links.got > 0).all()
    assert (links.flags != 0).any()
