"""A network with terminals that send without end: counts the flits delivered from each.

The judgement is not made here but in `fingerpost.golden.service.judgement`.
"""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.flit import Flits
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.service.flows import Flows
from fingerpost.testbench.packing import pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import terminal_fields, wire_fields


async def press(dut: Any, network: Network, flows: Flows, cycles: int) -> None:
    """Let terminals send into the hardware, from a reset on."""
    n, local = network.topology.nodes, network.topology.local
    wires = n * local * sum(width for _, width in wire_fields(network))
    fields = terminal_fields(network)
    falling = FallingEdge(dut.clk)
    dut.rst.value, dut.given.value = 1, 0
    for _ in range(3):
        await falling
    dut.rst.value = 0
    for now in range(cycles):
        value = read(dut.seen)
        assert value is not None, f"cycle {now}: undefined bits"
        seen = unpack(fields["received"], n, value >> wires)
        node = np.flatnonzero(seen["valid"])  # all packets are of message class 0
        head, tail = (seen[name][node].astype(np.bool_) for name in ("head", "tail"))
        place, zeros = node * (local + 1) + local, np.zeros_like(node)
        out = Flits(place, zeros, head, tail, seen["data"][node], zeros)
        credited = np.flatnonzero(seen["credit"]) * network.classes
        sent, back = flows.exchange(credited, out)
        given = {name: np.zeros(n, np.int64) for name, _ in fields["sent"]}
        at = sent.port_index // (local + 1)
        given["valid"][at], given["credit"][back // network.classes] = 1, 1
        for name in ("head", "tail", "data"):
            given[name][at] = getattr(sent, name)
        dut.given.value = pack(fields["sent"], given)
        if now % 64 == 0:
            tick(now, cycles)
        await falling


@cocotb.test()
async def tells_what_sources_get(dut: Any) -> None:
    """Run all trials, with a reset before each."""
    given = parameters()
    network = build(given["description"])
    Clock(dut.clk, 2, "ns").start()
    found = []
    for trial in given["trials"]:
        flows = Flows(network, np.array(trial["destination"]), length=trial["length"])
        await press(dut, network, flows, trial["cycles"])
        state = ("last", "delivered", "gap", "began")
        arrays = {name: getattr(flows, name).tolist() for name in state}
        found.append(arrays | {"astray": flows.astray})
    report(mismatches=0, message="", found=found)
