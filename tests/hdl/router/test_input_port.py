"""An input port against its contract, as lists of flits and a rule for the candidate."""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from amaranth import Value
from amaranth.sim import Simulator

from fingerpost.formal.triangle import triangle
from fingerpost.hdl.router.input_port import InputPort
from fingerpost.testbench.context import Context

ROUTING = triangle()
HEADER = ROUTING.header.width
OUTPUTS = (0, 2)
PORTS = (2, 0, 1)
"""Where the node sends the headers 0, 1 and 2: no route turns from here to port 1, and header 3
names no node."""
STRAPS = sum(port << 2 * node for node, port in enumerate(PORTS))

MOODS = [(0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1, 1), (1, 0.05), (0.05, 1)]
"""How probable it is that a flit comes, and that an output can take one."""


class Flit(NamedTuple):
    """A flit, what it is in its packet, and where that goes; route 0: discarded."""

    head: bool
    tail: bool
    route: int
    data: int


@dataclass
class Channel:
    """What a channel holds, oldest first, and the route of the packet that arrives."""

    held: deque[Flit] = field(default_factory=deque)
    route: int | None = None

    def take_in(self, head: bool, tail: bool, data: int, *, refused: bool) -> bool:
        """Let a flit come; return whether it is malformed."""
        inside, header = self.route is not None, data % (1 << HEADER)
        wrong = head == inside
        if self.route is None:
            known = head and not refused and header < len(PORTS) and PORTS[header] in OUTPUTS
            self.route = 1 << OUTPUTS.index(PORTS[header]) if known else 0
            wrong |= not known
        tail |= not head and not inside  # a body flit alone is a packet of its own
        self.held.append(Flit(not inside, tail, self.route, data))
        if tail:
            self.route = None
        return wrong


class Bench:
    """Random flits into an input port, which is compared with its contract in each cycle."""

    def __init__(
        self, channels: int, depth: int, width: int, *, register: bool, by_packet: bool, seed: int
    ) -> None:
        self.depth, self.width, self.late, self.by_packet = depth, width, register, by_packet
        self.dut = InputPort(
            ROUTING, port=1, outputs=OUTPUTS, channels=channels, depth=depth, flit_width=width,
            register=register, by_packet=by_packet,
        )  # fmt: skip
        self.rng = random.Random(seed)
        self.channels = [Channel() for _ in range(channels)]
        self.order = list(range(channels))  # the least recently granted first
        self.candidate = 0
        self.credits = [depth] * channels
        self.coming: int | None = None  # the channel of the flit that is in the register
        self.came = self.discarded = self.errors = 0
        self.taken: Flit | None = None
        self.back = [False] * channels
        ways = ["kept", "by turns", "by arrival", "again"]
        self.chosen = dict.fromkeys(ways + ["went on", "elsewhere"] * by_packet, 0)

    def run(self, cycles: int) -> None:
        async def bench(ctx: Context) -> None:
            ctx.set(Value.cast(self.dut.straps), STRAPS)
            for cycle in range(cycles):
                if cycle % 16 == 0:
                    self.poke(ctx)
                    await ctx.delay(1e-8)
                self.look(ctx)
                push, take = MOODS[cycle * len(MOODS) // cycles]
                self.drive(ctx, push, take)
                await ctx.delay(1e-8)
                assert ctx.get(self.dut.error) == self.wrong
                self.errors += self.wrong
                await ctx.tick()
            while any(channel.held for channel in self.channels) or any(self.back):
                self.look(ctx)
                self.drive(ctx, 0, 1)
                await ctx.tick()
            assert self.credits == [self.depth] * len(self.channels)  # one for each flit

        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    def poke(self, ctx: Context) -> None:
        """Put anything in: what is looked at next must not follow within the cycle."""
        dut = self.dut
        inputs = (dut.link.valid, dut.link.flit, dut.header, dut.refused)
        for value in (*inputs, dut.eligible, dut.eligible_next):
            ctx.set(Value.cast(value), self.rng.getrandbits(len(Value.cast(value))))
        ctx.set(dut.granted, self.rng.getrandbits(1))

    def fronts(self) -> list[Flit | None]:
        """Return the fronts that can be seen; what is still in the register cannot."""
        return [
            channel.held[0] if len(channel.held) > (self.late and self.coming == v) else None
            for v, channel in enumerate(self.channels)
        ]

    def look(self, ctx: Context) -> None:
        """Compare all that comes out of registers."""
        dut = self.dut
        assert ctx.get(dut.candidate) == 1 << self.candidate
        assert [bool(ctx.get(dut.link.credit) >> v & 1) for v in range(len(self.back))] == self.back
        for v, (channel, front) in enumerate(zip(self.channels, self.fronts(), strict=True)):
            self.credits[v] += self.back[v]
            assert ctx.get(dut.valid[v]) == (front is not None)
            assert ctx.get(dut.full[v]) == (len(channel.held) == self.depth)
            assert ctx.get(dut.in_packet[v]) == (channel.route is not None)
            if front:
                seen = (ctx.get(dut.head[v]), ctx.get(dut.tail[v]), ctx.get(dut.request[v]))
                assert seen == (front.head, front.tail, front.route)
        if self.taken:
            st_flit = tuple(ctx.get(getattr(dut.st_flit, name)) for name in Flit._fields[:2])
            assert st_flit == (self.taken.head, self.taken.tail)
            assert ctx.get(dut.st_flit.data) == self.taken.data

    def drive(self, ctx: Context, push: float, take: float) -> None:
        """Choose what happens in this cycle, and what must follow from it."""
        dut, rng, fronts = self.dut, self.rng, self.fronts()
        eligible = {v for v, f in enumerate(fronts) if f and f.route and rng.random() < take}
        eligible_next = {v for v, f in enumerate(fronts) if f and f.route and rng.random() < take}
        granted = self.candidate in eligible and rng.random() < 0.8
        ctx.set(dut.eligible, sum(1 << v for v in eligible))
        ctx.set(dut.eligible_next, sum(1 << v for v in eligible_next))
        ctx.set(dut.granted, granted)

        # A flit that is sent, and one without a route, returns a credit.
        leave = {v for v, f in enumerate(fronts) if f and not f.route}
        self.discarded += len(leave)
        leave |= {self.candidate} if granted else set()
        self.taken = fronts[self.candidate] if granted else None
        self.back = [v in leave for v in range(len(self.channels))]
        arriving = self.arrive(ctx, push)
        for v in leave:
            self.channels[v].held.popleft()
        seen = self.coming if self.late else arriving
        self.coming = arriving
        self.nominate(eligible, eligible_next, seen, fronts, granted=granted)

    def nominate(
        self, eligible: set[int], eligible_next: set[int], arriving: int | None,
        fronts: list[Flit | None], *, granted: bool,
    ) -> None:  # fmt: skip
        """Choose the next candidate: docs/explanation/router.md, Candidate."""
        now = self.candidate
        others = [v for v in self.order if v in eligible_next and v != now]
        present = fronts[now]
        if self.by_packet and present:  # those first that go elsewhere
            elsewhere = [v for v in others if (f := fronts[v]) and f.route != present.route]
            self.chosen["elsewhere"] += 0 < len(elsewhere) < len(others)
            others = elsewhere or others
        if granted:
            self.order.remove(now)
            self.order.append(now)
        if now in eligible and not granted:
            self.chosen["kept"] += 1
        elif self.by_packet and granted and present and not present.tail:
            self.chosen["went on"] += 1
        elif others:
            self.candidate = others[0]
            self.chosen["by turns"] += 1
        elif arriving is not None:
            self.candidate = arriving
            self.chosen["by arrival"] += 1
        else:
            self.chosen["again"] += 1

    def arrive(self, ctx: Context, push: float) -> int | None:
        """Send a flit if there is a credit for it; most are parts of packets."""
        dut, rng = self.dut, self.rng
        v = rng.randrange(len(self.channels))
        valid = self.credits[v] > 0 and rng.random() < push
        head = (self.channels[v].route is None) != (rng.random() < 0.1)
        tail, refused = rng.random() < 0.4, rng.random() < 0.05
        data = rng.getrandbits(self.width)
        ctx.set(dut.link.valid, valid << v)
        ctx.set(dut.link.flit, {"head": head, "tail": tail, "data": data})
        ctx.set(Value.cast(dut.header), data % (1 << HEADER))
        ctx.set(dut.refused, refused)
        self.wrong = False
        if not valid:
            return None
        self.credits[v] -= 1
        self.came += 1
        self.wrong = self.channels[v].take_in(head, tail, data, refused=refused)
        return v


@pytest.mark.parametrize(
    ("channels", "depth", "width", "register", "by_packet"),
    [
        (1, 1, 8, False, False), (1, 3, 64, True, True), (1, 8, 32, False, False),
        (2, 1, 32, True, False), (2, 2, 8, False, False), (2, 8, 64, False, False),
        (4, 2, 64, True, False), (4, 3, 8, False, False), (4, 8, 64, True, True),
        (8, 3, 8, False, True),
    ],
)  # fmt: skip
def test_keeps_its_contract(
    channels: int, depth: int, width: int, register: bool, by_packet: bool
) -> None:
    bench = Bench(
        channels, depth, width, register=register, by_packet=by_packet, seed=channels * depth
    )
    bench.run(1200 if by_packet else 600)
    assert bench.came > 100
    assert bench.discarded > 20
    assert bench.errors > 20
    if channels > 1:
        assert min(bench.chosen.values()) > 10, bench.chosen
