"""OS-Link ports in lock-step with golden: every output of every port in every clock."""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.os_link.ports import GIVEN, RESET, SEEN, Ports
from fingerpost.testbench.packing import Columns, pack, unpack
from fingerpost.testbench.runner import parameters, report, tick


@cocotb.test()
async def works_like_golden(dut: Any) -> None:
    """Compare all outputs in every clock, under traffic, noise, breaks and resets in turn."""
    options = parameters()
    rng = np.random.default_rng(options["seed"])
    sets = [
        Ports(OsLinkParameters(**each), options["copies"], rng, patient=True)
        for each in options["sets"]
    ]
    ports = len(sets) * options["copies"]
    zeros = {name: np.zeros(ports, np.int64) for name, _ in GIVEN}
    dut.given.value = pack(GIVEN, zeros | {"rst": np.ones(ports, np.int64)})
    Clock(dut.clk, 2, "ns").start()
    falling = FallingEdge(dut.clk)
    for _ in range(3):
        await falling
    mismatches, message = 0, ""
    for cycle in range(options["cycles"]):
        expected: Columns = {
            name: np.concatenate([each.expected()[name] for each in sets]) for name, _ in SEEN
        }
        try:
            seen = unpack(SEEN, ports, int(dut.seen.value))
        except ValueError:
            mismatches, message = 1, f"cycle {cycle}: undefined bits"
            break
        seen["rx_data"] = np.where(seen["rx_valid"] == 1, seen["rx_data"], -1)
        for name, _ in SEEN:
            wrong = expected[name] != seen[name]
            if wrong.any():
                p = int(wrong.argmax())
                mismatches += 1
                message = message or (
                    f"cycle {cycle}, port {p}, {name}: expected {expected[name][p]}, "
                    f"seen {seen[name][p]}"
                )
        if mismatches:
            break
        given = [each.step(cycle // each.phase % (RESET + 1)) for each in sets]
        dut.given.value = pack(
            GIVEN, {name: np.concatenate([each[name] for each in given]) for name, _ in GIVEN}
        )
        await falling
        if cycle % 256 == 0:
            tick(cycle, options["cycles"])
    report(
        cycles=cycle,
        mismatches=mismatches,
        message=message,
        coverage=[each.coverage for each in sets],
    )
    assert not mismatches, message
