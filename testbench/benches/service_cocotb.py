"""One router with endless streams to one output: counts what each of them gets through.

The judgement is not made here but where the cases come from: `tests.testbench.test_service`.
"""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.service.neighbours import Neighbours
from fingerpost.golden.service.streams import cases, to_one_output
from fingerpost.hdl.emit.network import node_straps
from fingerpost.testbench.packing import pack, read, unpack
from fingerpost.testbench.runner import parameters, report
from fingerpost.testbench.sources import link_fields


class Router:
    """The router under test, seen as places and queues of its node."""

    def __init__(self, dut: Any, network: Network, node: int) -> None:
        self.dut, self.network, self.node = dut, network, node
        self.fields, self.channels = link_fields(network), network.virtual_channels
        self.ports = network.topology.degree + 1
        self.first = node * self.ports  # the place of port 0
        self.falling = FallingEdge(dut.clk)

    async def reset(self) -> None:
        """Pass three cycles in reset."""
        self.dut.straps.value, self.dut.increments.value = node_straps(self.network, self.node)
        self.dut.rst.value, self.dut.sent.value = 1, 0
        for _ in range(3):
            await self.falling
        self.dut.rst.value = 0

    async def cycle(self, sides: Neighbours, now: int) -> None:
        """Pass one cycle.

        What comes out can be seen before anything goes in: links are registered.
        """
        value = read(self.dut.received)
        assert value is not None, f"cycle {now}: undefined bits"
        seen = unpack(self.fields, self.ports, value)
        out = np.flatnonzero(seen["valid"])
        sides.take(self.first + out, self._channel(seen["valid"][out]), seen["data"][out], now)
        sent = {name: np.zeros(self.ports, np.int64) for name, _ in self.fields}
        port, channel = np.divmod(sides.give(now) - self.first * self.channels, self.channels)
        np.bitwise_or.at(sent["credit"], port, 1 << channel)
        returned = seen["credit"][:, None] >> np.arange(self.channels) & 1
        sides.give_back(self.first * self.channels + np.flatnonzero(returned))
        flits = sides.send(now)
        some = flits.port_index - self.first
        sent["valid"][some] = 1 << flits.channel
        sent["head"][some], sent["tail"][some] = flits.head, flits.tail
        sent["data"][some] = flits.data
        self.dut.sent.value = pack(self.fields, sent)
        await self.falling

    def _channel(self, valid: IntArray) -> IntArray:
        """Return the channels of flits: the one bit that is set."""
        channel: IntArray = np.log2(valid).astype(np.int64)
        return channel


@cocotb.test()
async def counts_what_streams_get(dut: Any) -> None:
    """Run all trials, with a reset before each."""
    given = parameters()
    network, node = build(given["description"]), given["node"]
    known, router = cases(network), Router(dut, network, node)
    Clock(dut.clk, 2, "ns").start()
    served, errors = [], 0
    for trial in given["trials"]:
        streams = to_one_output(known, node, trial["output"], trial["ways"])
        shape = network.topology.nodes, router.ports, network.virtual_channels
        sides = Neighbours(
            network,
            streams,
            least=trial["least"],
            most=trial["most"],
            period=np.broadcast_to(trial["period"], shape),
            phase=np.broadcast_to(trial["phase"], shape),
            seed=trial["seed"],
        )
        await router.reset()
        for now in range(trial["cycles"]):
            await router.cycle(sides, now)
        served.append(sides.served.tolist())
        errors += int(dut.errors.value)
    report(mismatches=0, message="", served=served, errors=errors)
