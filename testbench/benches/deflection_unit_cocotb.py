"""Deflection routers alone against golden: where flits go, and with which key."""

from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.testbench.benches.deflection_unit import DeflectionUnitBench, given_fields
from fingerpost.testbench.benches.network_cocotb import begin
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.packing import pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import wire_fields


@cocotb.test()
async def decides_like_golden(dut: Any) -> None:
    """Ask all questions of all nodes at once, and compare what leaves."""
    bench = DeflectionUnitBench.of(parameters())
    network: Any = bench.network
    questions, chosen = bench.questions(), bench.chosen().tolist()
    fields, given = wire_fields(network), given_fields(network)
    await begin(dut)
    falling, settled = FallingEdge(dut.clk), ReadOnly()
    message, decisions = "", 0
    for cycle, (asked, leaves) in enumerate(questions):
        dut.given.value = pack(given, asked)
        await settled
        value = read(dut.seen)
        if value is None:
            message = f"cycle {cycle}: undefined bits"
        else:
            seen = unpack(fields, questions.rows, value)
            groups = [(leaves, seen, network.topology.local, network.link.payload)]
            message = sentence(cycle, groups, chosen)
        if message:
            break
        decisions += int(leaves["valid"].sum())
        if cycle % 64 == 0:
            tick(cycle, questions.cycles)
        await falling
    report(decisions=decisions, mismatches=int(bool(message)), message=message)
    assert not message, message
