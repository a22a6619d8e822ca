"""OS-Link ports behind registers under the driver of cocotbext-axi, addressed as SystemRDL says."""

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from fingerpost.testbench.runner import parameters, report

BYTES = 30
ROOM, RECEIVED, IDLE = 1, 2, 4
FRAME, ACKNOWLEDGE = 1, 2
ROOM_ENABLED, RECEIVED_ENABLED, ERRORS_ENABLED = 1, 2, 4


def chance(rng: random.Random) -> Iterator[bool]:
    """Yield true in half of the cycles."""
    while True:
        yield rng.random() < 0.5


class Software:
    """What a program does with a port."""

    def __init__(self, dut: Any, end: str, at: dict[str, int], seed: int) -> None:
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{end}_axil"), dut.clk, dut.rst)
        self.at, self.rng = at, random.Random(seed)
        for channel in (self.bus.write_if.b_channel, self.bus.read_if.r_channel):
            channel.set_pause_generator(chance(self.rng))

    async def read(self, name: str) -> int:
        answer = await self.bus.read(self.at[name], 4)
        assert answer.resp == AxiResp.OKAY, f"{name} is not read"
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> bool:
        answer = await self.bus.write(self.at[name], value.to_bytes(4, "little"))
        assert answer.resp in {AxiResp.OKAY, AxiResp.SLVERR}
        return bool(answer.resp == AxiResp.OKAY)

    async def send(self, data: bytes) -> None:
        """Offer each byte until it is accepted, without a look at the status before."""
        for byte in data:
            while not await self.write("send", byte | 0x5500):
                pass

    async def receive(self, count: int) -> bytes:
        """Ask again and again, and sleep now and then until the peer is held up."""
        got = bytearray()
        while len(got) < count:
            word = await self.read("receive")
            assert word <= 0x1FF
            assert word & 0x100 or not word
            if word & 0x100:
                got.append(word & 0xFF)
            if self.rng.random() < 0.1:
                await ClockCycles(self.bus.read_if.clock, 300)
        return bytes(got)


@cocotb.test(timeout_time=500, timeout_unit="us")
async def works(dut: Any) -> None:
    """Constants, bytes both ways at once, refusals, errors, interrupts."""
    given = parameters()
    dut.noise.value = 0
    dut.rst.value = 1
    Clock(dut.clk, 10, "ns").start()
    a, b = (Software(dut, end, given["at"], seed) for seed, end in enumerate("ab"))
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 4)

    for name, value in given["constants"].items():
        assert await a.read(name) == value, name
        assert not await a.write(name, 0), name
    for name in ("receive", "status"):
        assert not await a.write(name, ~0 & 0xFFFFFFFF)
    for beyond in given["beyond"]:
        assert (await a.bus.read(beyond, 4)).resp == AxiResp.SLVERR
        assert (await a.bus.write(beyond, b"\1\0\0\0")).resp == AxiResp.SLVERR

    rng = random.Random(7)
    there, back = rng.randbytes(BYTES), rng.randbytes(BYTES)
    assert await b.read("receive") == 0
    tasks = [
        cocotb.start_soon(job)
        for job in (a.send(there), b.send(back), a.receive(BYTES), b.receive(BYTES))
    ]
    await Combine(*tasks)
    assert tasks[3].result() == there
    assert tasks[2].result() == back
    while await a.read("status") != ROOM | IDLE or await b.read("status") != ROOM | IDLE:
        pass
    assert await a.read("errors") == await b.read("errors") == 0

    # A byte whose lowest strobe is not set is none.
    answer = await a.bus.write(given["at"]["send"] + 1, b"\1\2\3")
    assert answer.resp == AxiResp.OKAY
    await ClockCycles(dut.clk, 400)
    assert await b.read("status") == ROOM | IDLE

    await interrupts(dut, a, b)
    await wrong(dut, a)
    report(mismatches=0, bytes=2 * BYTES)


async def interrupts(dut: Any, a: Software, b: Software) -> None:
    """As each is enabled, and for as long as there is a reason."""
    assert dut.a_irq.value == 0
    await a.write("enable", ROOM_ENABLED)
    assert dut.a_irq.value == 1
    assert await a.read("enable") == ROOM_ENABLED
    await a.write("enable", ~ROOM_ENABLED & 0xFFFFFFFF)
    assert dut.a_irq.value == 0
    assert await a.read("enable") == RECEIVED_ENABLED | ERRORS_ENABLED
    assert await b.write("send", 0xA5)
    await ClockCycles(dut.clk, 100)
    assert dut.a_irq.value == 1
    assert await a.read("status") & RECEIVED
    assert await a.read("receive") == 0x1A5
    assert dut.a_irq.value == 0
    assert await a.read("receive") == 0


async def wrong(dut: Any, a: Software) -> None:
    """An acknowledge for nothing, and a byte without stop bit; each is forgotten by itself."""
    for bits in ("10", "11111111111"):
        for bit in bits:
            await FallingEdge(dut.clk)
            dut.noise.value = int(bit)
            await ClockCycles(dut.clk, 5)
        dut.noise.value = 0
        await ClockCycles(dut.clk, 100)
    assert dut.a_irq.value == 1
    assert await a.read("errors") == FRAME | ACKNOWLEDGE
    await a.write("errors", 0)
    await a.write("errors", ACKNOWLEDGE)
    assert await a.read("errors") == FRAME
    assert dut.a_irq.value == 1
    await a.write("errors", FRAME)
    assert await a.read("errors") == 0
    assert dut.a_irq.value == 0
