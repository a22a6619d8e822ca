"""Frames over one link whose wires are disturbed; a reader that loses count requests a break."""

import random

import pytest
from amaranth import Elaboratable, Module, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.frame import Token, encode, frames
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.link.frame import FrameReader, FrameWriter
from fingerpost.testbench.context import Context
from tests.hdl.link.frame_bench import as_token

PARAMETERS = OsLinkParameters(breaks=True, timeout=60)
LIMIT = 60_000
"""Clocks after which all must have arrived."""


class Link(Elaboratable):
    """A writer, two ports and a reader, as a user would join them."""

    def __init__(self) -> None:
        self.writer, self.reader = FrameWriter(), FrameReader(2)
        self.here, self.there = OsLink(PARAMETERS), OsLink(PARAMETERS)
        self.hit = Signal(2)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here, there, writer, reader = self.here, self.there, self.writer, self.reader
        m.submodules.here, m.submodules.there = here, there
        m.submodules.writer, m.submodules.reader = writer, reader
        wiring.connect(m, writer.o, here.tx)
        wiring.connect(m, there.rx, reader.i)
        m.d.comb += [
            there.link_in.eq(here.link_out ^ self.hit[0]),
            here.link_in.eq(there.link_out ^ self.hit[1]),
            writer.reset.eq(here.link_break),
            reader.reset.eq(there.link_break),
            here.tx_break.eq(here.err_timeout),
            there.tx_break.eq(reader.lost),
        ]
        return m


def over(
    link: Link, sent: list[tuple[bytes, bytes]], faults: dict[int, tuple[int, int]]
) -> list[Token]:
    """Return what the reader gives.

    A fault inverts a wire for a bit time, so many clocks after the writer has taken that item.
    """
    items = [
        item
        for each in sent
        for item in [*({"data": byte} for byte in encode(*each)[:-2]), {"last": 1}]
    ]
    seen: list[Token] = []

    async def bench(ctx: Context) -> None:
        at, quiet, start, wire = 0, 0, -10, 0
        ctx.set(link.reader.o.ready, 1)
        for clock in range(LIMIT):
            ctx.set(link.hit, (start <= clock < start + 5) << wire)
            ctx.set(link.writer.i.valid, at < len(items))
            ctx.set(link.writer.i.payload, items[min(at, len(items) - 1)])
            if ctx.get(link.reader.o.valid):
                seen.append(as_token(ctx.get(link.reader.o.payload)))
            if ctx.get(link.writer.i.ready & link.writer.i.valid):
                if at in faults:
                    delay, wire = faults[at]
                    start = clock + delay
                at += 1
            quiet = quiet + 1 if at == len(items) else 0
            if quiet == 1000:
                return
            await ctx.tick()
        raise TimeoutError(f"{at} of {len(items)} items")

    simulator = Simulator(link)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def lost(sent: list[tuple[bytes, bytes]], faults: dict[int, tuple[int, int]]) -> int:
    """Return how many frames do not arrive; those that do are what was sent, in order."""
    got = list(frames(over(Link(), sent, faults), 2))
    good = [(frame.route, frame.payload) for frame in got if frame.good]
    rest = iter(sent)
    assert all(frame in rest for frame in good)
    assert good[-2:] == sent[-2:]
    return len(sent) - len(good)


@pytest.mark.parametrize(
    "bit", [0, *(pytest.param(bit, marks=pytest.mark.regress) for bit in (3, 7))]
)
def test_len_that_was_hit_costs_what_it_covers(bit: int) -> None:
    """The reader takes 1, 8 or 128 bytes more, finds no CRC, and asks for a break."""
    sent = [(bytes([i, 1]), bytes(2)) for i in range(26)]  # 7 bytes each
    # The third item is the LEN of the first frame; its bit k is on the wire in bit time 2 + k.
    spoilt = lost(sent, {2: (1 + 5 * (2 + bit), 0)})
    covered = -(-(7 + (1 << bit)) // 7)
    assert covered <= spoilt <= covered + 1  # the break may cut one more


@pytest.mark.parametrize(
    "delay", [14, *(pytest.param(delay, marks=pytest.mark.regress) for delay in (12, 16))]
)
def test_acknowledge_that_was_hit_costs_the_frame(delay: int) -> None:
    """The writer waits in vain, until its port asks for a break."""
    sent = [(bytes([i, 1]), bytes(2)) for i in range(8)]
    # The fourth byte is answered about 2 bit times after its start.
    assert lost(sent, {3: (delay, 1)}) == 1


@pytest.mark.regress
@pytest.mark.parametrize("seed", range(4))
def test_each_fault_costs_a_few_frames_and_no_more(seed: int) -> None:
    rng = random.Random(seed)
    sent = [(rng.randbytes(2), rng.randbytes(rng.randrange(5))) for _ in range(70)]
    faults = {at: (rng.randrange(60), int(rng.random() < 0.3)) for at in range(5, 350, 50)}
    assert len(faults) // 2 <= lost(sent, faults) <= 5 * len(faults)


def test_nothing_is_lost_without_a_fault() -> None:
    assert lost([(bytes([i, 255 - i]), bytes(i)) for i in range(6)], {}) == 0
