"""Two OS-Link ports on clocks of their own: bytes in order, and what their wires show."""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer, ValueChange

from fingerpost.golden.link.packets import ACK, DATA, WireError, check_windows, decode
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.testbench.benches.os_link import OsLinkClocksBench
from fingerpost.testbench.runner import parameters, report

BIT_LIMIT = 60
"""Bit times for a byte, with stalls, before the bench gives up."""


class Port:
    """One port: its clock, what it sends and receives, and the wire from it."""

    def __init__(
        self, dut: Any, side: str, bench: OsLinkClocksBench, rng: np.random.Generator
    ) -> None:
        self.dut, self.side, self.rng = dut, side, rng
        number = "ab".index(side)
        self.period, self.start = bench.periods[number], bench.starts[number]
        self.delay, self.stall = bench.late[number], bench.stall
        self.data = rng.integers(256, size=bench.count).tolist()
        self.taken, self.done, self.errors = 0, 0, 0
        self.got: list[int] = []
        self.wave: list[bool] = []
        self.transitions = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dut, f"{name}_{self.side}")

    async def drive(self) -> None:
        """Offer and take bytes in every clock; outputs depend on registers alone."""
        for name in ("link_in", "tx_data", "tx_valid", "rx_ready", "tx_break"):
            getattr(self, name).value = 0
        self.rst.value = 1
        self.clk.value = 0
        await Timer(self.start, "ns")
        Clock(self.clk, self.period, "ns").start(start_high=False)
        falling = FallingEdge(self.clk)
        for _ in range(3):
            await falling
        self.rst.value = 0
        valid = False
        while True:
            self.wave.append(bool(int(self.link_out.value)))
            valid = self.taken < len(self.data) and (valid or self.rng.random() >= self.stall)
            ready = self.rng.random() >= self.stall
            self.tx_valid.value, self.rx_ready.value = int(valid), int(ready)
            self.tx_data.value = self.data[min(self.taken, len(self.data) - 1)]
            self.done += int(self.tx_done.value)
            for i, name in enumerate(ERRORS):
                self.errors |= int(getattr(self, name).value) << i
            if ready and int(self.rx_valid.value):
                self.got.append(int(self.rx_data.value))
            if valid and int(self.tx_ready.value):
                self.taken, valid = self.taken + 1, False
            await falling

    async def carry(self, other: "Port") -> None:
        """Bring every transition to the other port, late."""
        change = ValueChange(self.link_out)
        while True:
            await change
            self.transitions += 1
            cocotb.start_soon(self.arrive(other, int(self.link_out.value)))

    async def arrive(self, other: "Port", level: int) -> None:
        await Timer(self.delay, "ns")
        other.link_in.value = level


@cocotb.test()
async def bytes_arrive_in_order(dut: Any) -> None:
    """Send all bytes both ways; decode the wires without a port."""
    bench = OsLinkClocksBench.of(parameters())
    n, breaks = bench.link.clocks_per_bit, bench.link.breaks
    rng = np.random.default_rng(bench.seed)
    a, b = (Port(dut, side, bench, rng) for side in "ab")
    for port in (a, b):
        cocotb.start_soon(port.drive())
    await Timer(max(a.start, b.start) + 4 * max(a.period, b.period), "ns")
    for port, other in ((a, b), (b, a)):
        cocotb.start_soon(port.carry(other))
    bit = n * max(a.period, b.period)
    for _ in range(100 + BIT_LIMIT * bench.count):
        await Timer(bit, "ns")
        if all(len(port.got) == bench.count == port.done for port in (a, b)):
            break
    await Timer(30 * bit, "ns")
    found = [
        f"port {port.side}: {what}"
        for port, other in ((a, b), (b, a))
        for what, wrong in (
            (f"{len(port.got)} bytes came of {len(other.data)}", len(port.got) != len(other.data)),
            ("other bytes came", port.got != other.data[: len(port.got)]),
            (f"{port.done} acknowledges", port.done != bench.count),
            (f"errors {port.errors:#b}", port.errors & ~(0b100001 if breaks else 0)),
        )
        if wrong
    ]
    try:
        found += wires(a, b, n, breaks=breaks)
    except WireError as error:
        found.append(str(error))
    report(mismatches=len(found), message="; ".join(found), bytes=len(a.got) + len(b.got))
    assert not found


def wires(a: Port, b: Port, n: int, *, breaks: bool) -> list[str]:
    """Return what is wrong on the wires."""
    lengths = np.array([len(a.wave), len(b.wave)])
    waves = np.zeros((lengths.max(), 2), np.bool_)
    for i, port in enumerate((a, b)):
        waves[: lengths[i], i] = port.wave
    packets = decode(waves, lengths, n)
    found = []
    for i, port in enumerate((a, b)):
        changes = int((np.diff(waves[: lengths[i], i].astype(int), prepend=0) != 0).sum())
        if changes != port.transitions:
            found.append(f"port {port.side}: {port.transitions} transitions in {changes} clocks")
        for kind in (DATA, ACK):
            count = len(packets.of(i, kind))
            if count != len(a.data) and not (breaks and kind == ACK):
                found.append(f"port {port.side}: {count} packets of kind {kind}")
    if not breaks:
        starts, periods = (np.array([getattr(p, x) for p in (a, b)]) for x in ("start", "period"))
        time = starts[packets.wire] + packets.start * periods[packets.wire]
        check_windows(packets, time, 2, 1.4 * n * periods.min(), complete=True)
    return found
