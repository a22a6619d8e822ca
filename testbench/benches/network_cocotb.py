"""The network in lock-step with the model: every link and terminal in every cycle."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.golden.network.kinds import build_any
from fingerpost.testbench.network_run import NetworkRun
from fingerpost.testbench.packing import pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import terminal_fields, wire_fields


@cocotb.test()
async def runs_in_lock_step(dut: Any) -> None:
    """Send random traffic, compare all that is visible in each cycle, then drain."""
    await lock_step(dut)


async def lock_step(dut: Any) -> None:
    """Go through a run in lock-step, and report what came of it."""
    given = parameters()
    network = build_any(given["description"])
    run = NetworkRun(network, given)
    n, local = network.topology.nodes, network.topology.local
    wires, terminal = wire_fields(network), terminal_fields(network)
    streams = network.terminal.streams(network)
    wire_bits = n * local * sum(width for _, width in wires)

    dut.rst.value = 1
    dut.given.value = 0
    Clock(dut.clk, 2, "ns").start()
    falling, settled = FallingEdge(dut.clk), ReadOnly()
    for _ in range(3):
        await falling
    dut.rst.value = 0

    message = ""
    while not run.finished():
        dut.given.value = pack(terminal["sent"], run.give())
        await settled
        value = read(dut.seen)
        if value is None:
            message = f"cycle {run.cycle}: undefined bits"
        else:
            between = unpack(wires, n * local, value & ((1 << wire_bits) - 1))
            ends = unpack(terminal["received"], n * streams, value >> wire_bits)
            message = run.compare(between, ends)
        if message:
            break
        run.step()
        if run.cycle % 64 == 0:
            tick(min(run.cycle, given["cycles"]), given["cycles"])
        await falling

    message = message or run.lacking()
    report(**run.report(message))
    assert not message, message
