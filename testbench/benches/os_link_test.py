"""OS-Link ports in lock-step with golden: every output of every port in every clock."""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from golden.arrays import BoolArray
from golden.link import OsLink, OsLinkParameters
from golden.link.os_link import ERRORS
from golden.link.ports import restart
from testbench.os_link_sources import GIVEN, SEEN
from testbench.packing import Columns, pack, unpack
from testbench.runner import parameters, report, tick

CALM, NOISY, BROKEN, RESET = range(4)
"""What happens at a time: traffic alone, or with noise and resets, with breaks, or with all."""

PHASE = 300
"""Clocks of each."""


class Ports:
    """Golden ports of one set of parameters, of which 2i and 2i + 1 are joined."""

    def __init__(self, parameters: OsLinkParameters, ports: int, rng: np.random.Generator) -> None:
        self.link, self.rng, self.ports = OsLink(ports, parameters), rng, ports
        self.offered = np.zeros(ports, np.bool_)
        self.data, self.noise, self.level, self.resets = np.zeros((4, ports), np.int64)
        self.valid, self.ready = np.ones((2, ports))
        self.coverage = dict.fromkeys((*ERRORS, "tx_done", "resets", "bytes"), 0)

    def expected(self) -> Columns:
        """Return what the ports show; the data mean something only if they are valid."""
        link = self.link
        shown = {name: np.asarray(getattr(link, name), np.int64) for name, _ in SEEN}
        shown["rx_data"] = np.where(link.rx_valid, link.rx_data, -1)
        return shown

    def _chance(self, probability: float) -> BoolArray:
        drawn: BoolArray = self.rng.random(self.ports) < probability
        return drawn

    def step(self, phase: int) -> Columns:
        """Go through a clock edge; return what the ports were given."""
        link, rng, n = self.link, self.rng, self.link.parameters.clocks_per_bit
        new = self._chance(1 / (8 * n))
        self.valid[new] = rng.choice([0.02, 0.3, 1], new.sum())
        self.ready[new] = rng.choice([0, 0.02, 0.3, 1], new.sum())
        fresh = ~self.offered & (rng.random(self.ports) < self.valid)
        # Many bytes of equal bits: their long runs are near those of a break.
        byte = np.where(self._chance(0.5), rng.integers(256, size=self.ports), 255)
        self.data = np.where(fresh, np.where(self._chance(0.2), 0, byte), self.data)
        self.offered |= fresh
        ready = rng.random(self.ports) < self.ready
        asked = self._chance(1 / (60 * n)) & (phase in (BROKEN, RESET))
        # A piece of noise inverts the wire, or holds it at a level, for up to two bits; now and
        # then for so long that it looks like a break.
        struck = self._chance(1 / (40 * n)) & (phase in (NOISY, RESET)) & (self.noise == 0)
        long = np.where(self._chance(0.1), 14 * n, 2 * n)
        self.noise = np.where(struck, rng.integers(1, long + 1), np.maximum(self.noise - 1, 0))
        self.level = np.where(struck, rng.integers(0, 3, self.ports), self.level)
        wire = link.link_out[np.arange(self.ports) ^ 1]
        odd = np.where(self.level == 2, ~wire, self.level == 1)
        link_in = np.where(self.noise > 0, odd, wire)
        hit = self._chance(1 / (200 * n)) & (phase in (NOISY, RESET)) & (self.resets == 0)
        length = rng.integers(1, 30 * n, self.ports)
        self.resets = np.where(hit, length, np.maximum(self.resets - 1, 0))
        in_reset = self.resets > 0
        for name in (*ERRORS, "tx_done"):
            self.coverage[name] += int(getattr(link, name).sum())
        self.coverage["resets"] += int(hit.sum())
        self.coverage["bytes"] += int((link.rx_valid & ready).sum())
        takes = link.tx_ready & self.offered
        given = {
            "rst": in_reset,
            "link_in": link_in,
            "tx_data": self.data,
            "tx_valid": self.offered.copy(),
            "rx_ready": ready,
            "tx_break": asked,
        }
        link.step(link_in, self.data, self.offered, ready, asked)
        if in_reset.any():
            restart(in_reset, link)
        self.offered &= ~takes
        return {name: np.asarray(column, np.int64) for name, column in given.items()}


@cocotb.test()
async def works_like_golden(dut: Any) -> None:
    """Compare all outputs in every clock, under traffic, noise, breaks and resets in turn."""
    options = parameters()
    rng = np.random.default_rng(options["seed"])
    sets = [Ports(OsLinkParameters(**each), options["lanes"], rng) for each in options["sets"]]
    ports = len(sets) * options["lanes"]
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
        given = [each.step(cycle // PHASE % 4) for each in sets]
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
