"""Reads of a row that is being written, and the form in which memories are generated."""

import random
from importlib import import_module
from typing import Any

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.lib.memory import read_new
from fingerpost.hdl.terminal.flow_receiver import FlowReceiver
from fingerpost.hdl.terminal.flow_sender import FlowSender


class Rows(wiring.Component):
    """A memory of four rows that is read and written in every cycle."""

    address: Signal
    write: Signal
    word: Signal
    enable: Signal
    seen: Signal

    def __init__(self) -> None:
        super().__init__(
            {"address": In(2), "write": In(2), "word": In(8), "enable": In(1), "seen": Out(8)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        memory: Memory = Memory(shape=8, depth=4, init=[])
        m.submodules.memory = memory
        write = memory.write_port()
        address, data = read_new(m, memory, write)
        m.d.comb += [
            *(write.addr.eq(self.write), write.data.eq(self.word), write.en.eq(self.enable)),
            *(address.eq(self.address), self.seen.eq(data)),
        ]
        return m


def test_a_read_returns_what_is_being_written() -> None:
    dut, rng, rows = Rows(), random.Random(1), [0] * 4

    async def bench(ctx: Any) -> None:
        for _ in range(200):
            address, write, word = rng.randrange(4), rng.randrange(4), rng.randrange(256)
            enable = rng.randrange(2)
            for signal, value in (
                *((dut.address, address), (dut.write, write)),
                *((dut.word, word), (dut.enable, enable)),
            ):
                ctx.set(signal, value)
            if enable:
                rows[write] = word
            await ctx.tick()
            assert ctx.get(dut.seen) == rows[address]

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


class Ports:
    """A platform that remembers the synchronous read ports of memories."""

    def __init__(self) -> None:
        self.ports: list[Any] = []

    def get_memory(self, memory: Any) -> Any:
        self.ports += [port for port in memory.read_ports if port.domain != "comb"]
        return memory.elaborate(None)


@pytest.mark.parametrize("ordered", [True, False])
def test_no_synchronous_port_is_transparent(ordered: bool) -> None:
    """In Verilog it is a registered address, of which Vivado makes block RAM that returns old rows.

    See yosys#5082 and amaranth#1589.
    """
    flow = FlowControl(4, 2, 5, 6, ordered, 4)
    layout = FlowLayout(data_width=8, nodes=4, header=2, packet_limit=5, sequence=flow.sequence)
    width, seen = max(layout.head.width, layout.body.width), Ports()
    for component in (
        FlowSender(layout, flow, flit_width=width, credits=2),
        FlowReceiver(layout, flow, flit_width=width),
    ):
        import_module("amaranth.back.rtlil").convert(component, platform=seen)
    assert len(seen.ports) > 4
    assert not [port for port in seen.ports if port.transparent_for]
