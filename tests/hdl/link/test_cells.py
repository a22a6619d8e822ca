"""Status of packets of cells that lack something; errors on a wire that a node counts.

Contracts have the rest: formal.cells.
"""

from binascii import crc_hqx
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.routers import router
from fingerpost.hdl.link.cell_link import CellReceiver
from fingerpost.hdl.node import additions, node
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate
from tests.testbench.faults.networks import PAIR


def statuses(data: list[int]) -> list[int]:
    """Return the statuses of the tails that a receiver of two channels makes of bytes."""
    receiver, found = CellReceiver(channels=2, flit_width=32), []

    async def bench(ctx: Context) -> None:
        for byte in [*data, None, None]:
            ctx.set(receiver.bytes.valid, byte is not None)
            ctx.set(receiver.bytes.payload, byte or 0)
            if ctx.get(receiver.link.valid) and ctx.get(receiver.link.flit.tail):
                found.append(ctx.get(receiver.link.flit.data) >> 16)
            await ctx.tick()

    simulate(receiver, bench)
    return found


def packet(channel: int) -> list[int]:
    """Return the bytes of a packet of one flit; the CRC is the library's."""
    covered = bytes([channel << 3 | 0b111, 0xCD, 0xAB])
    return [*covered, *crc_hqx(covered, 0xFFFF).to_bytes(2, "little")]


def test_a_packet_that_lacks_its_tail_or_changes_its_channel_is_bad() -> None:
    torn = [packet(0)[0] & ~0b100, *packet(0)[1:]]
    assert statuses(packet(0) + packet(1) + packet(0)) == [0, 0, 0]
    assert statuses(torn + packet(0) + packet(0)) == [0xFFFF, 0]
    assert statuses(torn + packet(1) + packet(1) + packet(0)) == [0, 0, 0xFFFF]
    assert statuses([packet(0)[0] ^ 0b1000, *packet(0)[1:], *packet(1)]) == [0xFFFF, 0]


@pytest.mark.parametrize("high", [0, 30])
def test_with_os_links_what_is_wrong_on_a_wire_is_told(high: int) -> None:
    """A stop bit that is high: the error stays."""
    link = {"kind": "os-link", "clocks_per_bit": 4}
    network = build(PAIR | {"router": {"flit_width": 24}, "link": link})
    assert additions(network) == ["OS-Links"]
    dut: Any = node(network, router(network))
    told: list[int] = []

    async def bench(ctx: Context) -> None:
        for bit in (*[0] * 40, *[1] * high, *[0] * 20):
            ctx.set(dut.link_in, bit)
            await ctx.tick().repeat(4)
            told.append(ctx.get(dut.link_errors))

    simulate(dut, bench)
    assert not any(told[:40])
    assert (told[-1] != 0) == (high > 0)
