"""Cells in lock-step with the model, some bytes corrupted; errors on a wire that a node counts."""

from binascii import crc_hqx
from typing import Any

import numpy as np
import pytest
from amaranth import Module

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import router
from fingerpost.hdl.link.cell_link import CellReceiver, CellSender
from fingerpost.hdl.node import additions, node
from fingerpost.testbench.context import Context
from tests.golden.link.one_link import OneLink
from tests.hdl.simulators import simulate


class Bench:
    """A sender whose bytes go to a receiver, and what both have done."""

    def __init__(self, channels: int, depth: int, width: int, noise: float) -> None:
        self.channels, self.depth, self.width, self.noise = channels, depth, width, noise
        shape = {"channels": channels, "flit_width": width}
        self.sender, self.receiver = CellSender(depth=depth, **shape), CellReceiver(**shape)
        self.gold = OneLink(channels=channels, depth=depth, flit_width=width)
        self.rng = np.random.default_rng(channels)
        self.flits = self.bad_packets = self.bad_cells = self.tails = 0

    def run(self, clocks: int) -> None:
        m = Module()
        m.submodules.sender, m.submodules.receiver = self.sender, self.receiver

        async def bench(ctx: Context) -> None:
            self.credits, self.inside = [self.depth] * self.channels, [False] * self.channels
            self.owed = [0] * self.channels
            for _ in range(clocks):
                self._clock(ctx)
                await ctx.tick()

        simulate(m, bench)

    def _clock(self, ctx: Context) -> None:
        rng, s, r = self.rng, self.sender, self.receiver
        gs = self.gold.sender
        ready = bool(rng.random() < 0.3)
        v, tail = int(rng.integers(self.channels)), bool(rng.random() < 0.4)
        head, data = not self.inside[v], int(rng.integers(1 << self.width))
        if tail and rng.random() < 0.9:
            data &= (1 << self.width - 16) - 1
        send = self.credits[v] > 0 and rng.random() < 0.1
        back = [self.owed[c] < self.depth and rng.random() < 0.05 for c in range(self.channels)]
        ctx.set(s.link.valid, send << v)
        for name, value in (("head", head), ("tail", tail), ("data", data)):
            ctx.set(getattr(s.link.flit, name), int(value))
        ctx.set(s.credit, sum(bit << c for c, bit in enumerate(back)))
        ctx.set(s.bytes.ready, int(ready))

        assert ctx.get(s.bytes.valid) == gs.valid
        byte, valid = gs.byte, gs.valid and ready
        if gs.valid:
            assert ctx.get(s.bytes.payload) == byte
        if rng.random() < self.noise:
            byte ^= 1 << int(rng.integers(8))
        ctx.set(r.bytes.valid, int(valid))
        ctx.set(r.bytes.payload, byte)
        self._compare(ctx)

        for c in np.flatnonzero(back):
            self.owed[c] += 1
        returned = sum(bit << c for c, bit in enumerate(back))
        self.gold.send((v, head, tail, data) if send else None, returned, ready=ready)
        self.gold.receive(byte, valid)
        if send:
            self.credits[v] -= 1
            self.inside[v] = not tail

    def _compare(self, ctx: Context) -> None:
        r, gold = self.receiver, self.gold
        assert ctx.get(r.bytes.ready) == 1  # or acknowledges would be withheld
        arrived, flit = gold.arrived, r.link.flit
        assert ctx.get(r.link.valid) == (1 << arrived[0] if arrived else 0)
        if arrived:
            channel, tail = arrived[0], arrived[2]
            assert tuple(map(ctx.get, (flit.head, flit.tail, flit.data))) == arrived[1:]
            self.credits[channel] = min(self.depth, self.credits[channel] + 1)
            self.flits += 1
            self.tails += tail
        credits = gold.receiver.credits
        assert ctx.get(r.credit) == credits
        for c in range(self.channels):
            self.owed[c] = max(0, self.owed[c] - (credits >> c & 1))
        assert ctx.get(r.bad_packet) == gold.bad_packet
        assert ctx.get(r.bad_cell) == gold.receiver.bad_cell
        self.bad_packets += gold.bad_packet
        self.bad_cells += gold.receiver.bad_cell


@pytest.mark.regress
@pytest.mark.parametrize(
    ("channels", "depth", "width", "noise"),
    [(1, 1, 24, 0), (2, 4, 32, 0), (3, 2, 40, 0), (7, 4, 56, 0), (2, 4, 32, 0.01)],
)
def test_sender_and_receiver_are_golden(
    channels: int, depth: int, width: int, noise: float
) -> None:
    bench = Bench(channels, depth, width, noise)
    bench.run(4000 if noise else 2000)
    assert bench.flits > (50 if noise else 25)
    if noise:
        assert bench.bad_packets > 5
        assert bench.bad_cells > 0
    else:  # those that were bad before
        assert 0 < bench.bad_packets < 0.3 * bench.tails


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


def test_a_packet_without_its_tail_spoils_the_next_one_of_its_channel() -> None:
    assert statuses(packet(0) + packet(1) + packet(0)) == [0, 0, 0]
    torn = [packet(0)[0] & ~0b100, *packet(0)[1:]]
    assert statuses(torn + packet(0) + packet(0)) == [0xFFFF, 0]
    assert statuses(torn + packet(1) + packet(1) + packet(0)) == [0, 0, 0xFFFF]


def test_a_packet_on_a_wrong_channel_is_bad() -> None:
    assert statuses([packet(0)[0] ^ 0b1000, *packet(0)[1:], *packet(1)]) == [0xFFFF, 0]


def pair(**link: Any) -> Network:
    return build(
        {
            "name": "pair",
            "topology": {"family": "edge-list", "nodes": 2, "links": [(0, 1)]},
            "routing": {"algorithm": "table"},
            "router": {"flit_width": 24},
            "link": link,
        }
    )


@pytest.mark.parametrize("high", [0, 30])
def test_with_os_links_what_is_wrong_on_a_wire_is_told(high: int) -> None:
    """A stop bit that is high: the error stays."""
    network = pair(kind="os-link", clocks_per_bit=4)
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
