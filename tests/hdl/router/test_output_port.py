"""An output port against its contract: which flit is granted when, on what channel."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from amaranth import Value
from amaranth.sim import Simulator

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.hdl.router.output_port import OutputPort
from fingerpost.testbench.context import Context

MOODS = [(0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1, 1), (1, 0.1), (0.2, 1)]
"""The probabilities that a flit arrives, and that the receiver returns a credit."""


@dataclass(eq=False)
class Buffer:
    """A channel of an input: flits of any packets, of which only the front is seen."""

    input: int
    number: int
    bypass_limit: int  # of its heads; 0: it does not yield
    bypassed: int = 0  # packets that have bypassed its head so far
    present: bool = False
    left: int = 0  # flits of the packet at the front
    length: int = 0
    here: bool = False  # the packet is for this output
    channel: int = 0  # there, on this channel
    passed: Counter["Buffer"] = field(default_factory=Counter)  # since its head waits, by others

    @property
    def head(self) -> bool:
        return self.left in (0, self.length)

    @property
    def tail(self) -> bool:
        return self.left == 1

    @property
    def waits(self) -> bool:
        """Whether a head waits for this output."""
        return self.present and self.here and self.head

    @property
    def promoted(self) -> bool:
        """Whether the head of a yielding input has reached its bypass limit."""
        return self.bypass_limit > 0 and self.bypassed >= self.bypass_limit

    @property
    def unpromoted(self) -> bool:
        """Whether the input yields and the head is not promoted."""
        return self.bypass_limit > 0 and not self.promoted

    def go(self) -> None:
        self.left -= 1
        self.present = False
        self.passed.clear()


class Traversal(NamedTuple):
    """A flit in switch traversal: from where, on what channel, as what."""

    input: int
    buffer: "Buffer"
    channel: int
    flit: dict[str, int]


class Bench:
    """Random packets at the inputs of an output port, which is compared with its contract."""

    def __init__(
        self, lanes: Lanes, *, links: int, terminal: bool, eject: bool, depth: int, width: int,
        seed: int, bypass_limits: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        self.lanes, self.eject, self.depth, self.width = lanes, eject, depth, width
        channels = (lanes.channels,) * links + (1,) * terminal
        self.dut = OutputPort(
            channels=channels, terminal=terminal, lanes=lanes, eject=eject, depth=depth,
            yielding=[i for i, limit in enumerate(bypass_limits) if limit], flit_width=width,
        )  # fmt: skip
        self.outgoing = 1 if eject else lanes.channels
        self.rng = random.Random(seed)
        limits = bypass_limits or (0,) * len(channels)
        self.buffers = [[Buffer(i, v, limits[i]) for v in range(n)] for i, n in enumerate(channels)]
        self.every = [buffer for buffers in self.buffers for buffer in buffers]
        self.local = len(channels) - 1 if terminal else -1
        self.increments, self.lane = self.rng.getrandbits(len(channels)), 0
        self.alone = max(channels) == 1  # there are no batches
        self.candidates = [0] * len(channels)
        self.order = list(range(len(channels)))  # the least recently granted first
        self.credits, self.held = [depth] * self.outgoing, [0] * self.outgoing
        self.owner: list[Buffer | None] = [None] * self.outgoing
        self.traversing: Traversal | None = None
        self.on_link: Traversal | None = None
        self.sent = [0] * self.outgoing
        self.met: Counter[str] = Counter()

    def run(self, cycles: int) -> None:
        async def bench(ctx: Context) -> None:
            ctx.set(self.dut.increments, self.increments)
            for cycle in range(cycles):
                if cycle % 16 == 0:
                    self.poke(ctx)
                    await ctx.delay(1e-8)
                self.look_at_link(ctx)
                come, credit = MOODS[cycle * len(MOODS) // cycles]
                self.fill(come)
                self.drive(ctx, credit)
                await ctx.delay(1e-8)
                self.choose_lane(ctx)
                self.decide(ctx)
                await ctx.tick()

        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    def poke(self, ctx: Context) -> None:
        """Put anything in: what is on the link must not follow within the cycle."""
        dut = self.dut
        inputs: list[Any] = [*dut.fronts, *dut.st_flit, dut.lane, *dut.promoted, dut.link.credit]
        for value in map(Value.cast, inputs):
            ctx.set(value, self.rng.getrandbits(len(value)))

    def look_at_link(self, ctx: Context) -> None:
        """See there the flit that crossed the switch, on its channel, and nothing else."""
        link, flit = self.dut.link, self.on_link
        assert ctx.get(link.valid) == (1 << flit.channel if flit else 0)
        if flit:
            assert {name: ctx.get(getattr(link.flit, name)) for name in flit.flit} == flit.flit
            self.sent[flit.channel] += 1
            self.held[flit.channel] += 1
            assert self.held[flit.channel] <= self.depth  # the receiver has a place for it

    def fill(self, come: float) -> None:
        """Let flits come to the fronts, and packets of any length begin."""
        rng = self.rng
        for buffer in self.every:
            if buffer.present or rng.random() >= come:
                continue
            buffer.present = True
            if not buffer.left:
                buffer.left = buffer.length = rng.choice((1, 1, 2, 5))
                buffer.here = rng.random() < 0.9
                buffer.channel = self.channel(buffer)
        self.candidates = [
            v if buffers[v].present and rng.random() < 0.7 else rng.randrange(len(buffers))
            for v, buffers in zip(self.candidates, self.buffers, strict=True)
        ]

    def channel(self, buffer: Buffer) -> int:
        """Return the channel on which the packets of a buffer go on: golden.deadlock.lanes."""
        if self.eject:
            return 0
        if buffer.input == self.local:
            return self.lane
        raised = self.increments >> buffer.input & 1
        return int(self.lanes.next_vc[buffer.number]) if raised else buffer.number

    def drive(self, ctx: Context, credit: float) -> None:
        dut, rng = self.dut, self.rng
        for i, buffers in enumerate(self.buffers):
            # Between packets a request is arbitrary.
            request = [q.here if q.left else rng.random() < 0.5 for q in buffers]
            columns = {
                "request": request,
                "valid": [q.present for q in buffers],
                "head": [q.head for q in buffers],
                "tail": [q.tail for q in buffers],
                "candidate": [v == self.candidates[i] for v in range(len(buffers))],
            }
            for name, row in columns.items():
                ctx.set(getattr(dut.fronts[i], name), sum(bit << v for v, bit in enumerate(row)))
            bits = rng.getrandbits(self.width + 2)
            anything = {"head": bits & 1, "tail": bits >> 1 & 1, "data": bits >> 2}
            traversing = self.traversing if self.traversing and self.traversing.input == i else None
            ctx.set(dut.st_flit[i], traversing.flit if traversing else anything)
        self.back = [held > 0 and rng.random() < credit for held in self.held]
        ctx.set(dut.link.credit, sum(bit << c for c, bit in enumerate(self.back)))
        for i, promoted in zip(dut.yielding, dut.promoted, strict=True):
            ctx.set(promoted, sum(q.promoted << q.number for q in self.buffers[i]))
        ctx.set(dut.lane, 1 << self.lane)

    def choose_lane(self, ctx: Context) -> None:
        """See a head of the terminal take a lane that is free, if there is one."""
        if not self.dut.choosing:
            return
        terminal, lanes = self.buffers[self.local][0], range(int(self.lanes.count[0]))
        chosen = [c for c in lanes if ctx.get(self.dut.next_lane) >> c & 1]
        assert len(chosen) == 1
        if not terminal.head:
            assert chosen == [self.lane]
        elif terminal.waits and chosen != [self.lane]:
            assert self.credits[chosen[0]]
            assert not self.owner[chosen[0]]
            self.met["another lane"] += 1
        if terminal.present and terminal.here:
            self.lane = terminal.channel = chosen[0]
        if terminal.waits and not ctx.get(self.dut.eligible[terminal.input]):
            # What is free was served in its batch: other heads wait there.
            for c in lanes:
                free = self.credits[c] and not self.owner[c]
                assert not free or any(q.waits and q.channel == c for q in self.every)

    def decide(self, ctx: Context) -> None:
        """Compare which flits are eligible, and the grant; then send that flit."""
        dut = self.dut
        eligible = {q: bool(ctx.get(dut.eligible[q.input]) >> q.number & 1) for q in self.every}
        self.look_at_eligible(eligible)
        later = {q: bool(ctx.get(dut.eligible_next[q.input]) >> q.number & 1) for q in self.every}
        self.look_at_eligible_next(later, eligible)
        tail = self.traversing is not None and self.traversing.flit["tail"]
        ends = 1 << self.traversing.input if self.traversing and tail else 0
        assert ctx.get(dut.tail_passed) == (ends if dut.yielding else 0)

        asking = [i for i, v in enumerate(self.candidates) if eligible[self.buffers[i][v]]]
        first = [i for i in self.order if i in asking]
        heads = {i: q for i in first if (q := self.buffers[i][self.candidates[i]]).head}
        first.sort(key=lambda i: heads[i].unpromoted - heads[i].promoted if i in heads else 0)
        for i in dut.yielding:
            self.met["promoted"] += i in heads and heads[i].promoted
            self.met["unpromoted"] += i in heads and heads[i].unpromoted
        assert ctx.get(dut.grant) == (1 << first[0] if first else 0)

        own = self.traversing.buffer if self.traversing else None
        passed = [q for q in self.every if tail and q.waits and q.bypass_limit and q is not own]
        self.on_link = self.traversing
        self.traversing = (
            self.take(self.buffers[first[0]][self.candidates[first[0]]]) if first else None
        )
        for buffer in passed:
            buffer.bypassed += buffer.waits  # it has not gone now
        for i, v in enumerate(self.candidates):
            buffer = self.buffers[i][v]
            if buffer.present and not buffer.here and self.rng.random() < 0.5:
                buffer.go()
        for c, back in enumerate(self.back):
            self.credits[c] += back
            self.held[c] -= back

    def look_at_eligible(self, eligible: dict[Buffer, bool]) -> None:
        """No flit enters another's packet or is sent without a credit; not all are masked."""
        for q in self.every:
            if not (q.present and q.here and self.credits[q.channel]):
                assert not eligible[q]
            elif q.head:
                assert self.owner[q.channel] is None or not eligible[q]
            else:
                assert self.owner[q.channel] is q
                assert eligible[q]
        for c in range(self.outgoing):
            # An unpromoted head does not count for the others.
            heads = [q for q in self.every if q.waits and q.channel == c and not q.unpromoted]
            if heads and self.credits[c] and self.owner[c] is None:
                assert any(eligible[q] for q in heads)
                self.met["served"] += not all(eligible[q] for q in heads)

    def look_at_eligible_next(
        self, later: dict[Buffer, bool], eligible: dict[Buffer, bool]
    ) -> None:
        """With one channel the end of its packet is predicted; with several nothing is."""
        if self.outgoing > 1:
            assert later == eligible
            return
        owner, heads = self.owner[0], [q for q in self.every if q.waits]
        assert all(later[q] == eligible[q] for q in self.every if not q.waits)
        if owner and self.credits[0]:
            nominated = self.candidates[owner.input] == owner.number
            ends = owner.present and owner.tail and nominated
            assert any(later[q] for q in heads) == (ends and bool(heads))
            self.met["predicted"] += ends and bool(heads)

    def most(self, buffer: Buffer) -> int:
        """Return how many packets of a buffer may pass a head that waits."""
        if not self.alone:
            return 2
        if not buffer.bypass_limit:
            return 1
        # It is promoted again when each of the others has been granted once.
        return 1 + (len(self.buffers) - 2) // buffer.bypass_limit

    def take(self, buffer: Buffer) -> Traversal:
        """Send the front flit of a buffer; other heads that wait for its channel see it pass."""
        c, head, tail = buffer.channel, buffer.head, buffer.tail
        self.credits[c] -= 1
        assert self.credits[c] >= 0
        self.owner[c] = None if tail else buffer
        if tail or not self.lanes.spare:
            self.order.remove(buffer.input)
            self.order.append(buffer.input)
        for other in self.every if head else ():
            # An unpromoted head blocks no other, and waits as long as it takes.
            unpromoted = buffer.unpromoted or other.unpromoted
            if other is not buffer and other.waits and other.channel == c and not unpromoted:
                other.passed[buffer] += 1
                assert other.passed[buffer] <= self.most(buffer)
        self.met["long"] += not tail
        buffer.go()
        buffer.bypassed = 0 if head else buffer.bypassed
        if buffer.input == self.local and tail and not self.eject:
            self.lane = (self.lane + 1) % int(self.lanes.count[0])
        data = self.rng.getrandbits(self.width)
        return Traversal(buffer.input, buffer, c, {"head": head, "tail": tail, "data": data})


@pytest.mark.parametrize(
    ("lanes", "links", "depth", "width", "bypass_limits", "eject"),
    [
        (Lanes(1, 1), 3, 1, 8, (), False),
        (Lanes(1, 1), 2, 3, 64, (0, 0, 2), True),
        (Lanes(1, 2), 3, 2, 64, (0, 0, 0, 3), False),
        (Lanes(2, 2), 2, 3, 8, (0, 0, 1), False),
        (Lanes(3, 4), 2, 2, 8, (0, 0, 2), True),
        *(
            pytest.param(*size, marks=pytest.mark.regress)
            for size in (
                (Lanes(1, 1), 3, 8, 32, (0, 0, 0, 2), False),
                (Lanes(2, 2), 3, 1, 32, (0, 0, 0, 3), True),
                (Lanes(2, 2), 3, 2, 16, (2, 2, 0, 5), False),
                (Lanes(2, 4), 3, 1, 32, (0, 0, 0, 2), False),
                (Lanes(2, 4), 3, 2, 32, (0, 1, 0, 0), False),
                (Lanes(3, 4), 2, 8, 64, (), False),
            )
        ),
    ],
)
def test_keeps_its_contract(
    lanes: Lanes, links: int, depth: int, width: int, bypass_limits: tuple[int, ...], eject: bool
) -> None:
    bench = Bench(
        lanes, links=links, terminal=True, eject=eject, depth=depth, width=width, seed=depth,
        bypass_limits=bypass_limits,
    )  # fmt: skip
    bench.run(600)
    wanted = {"long"} | ({"predicted"} if bench.outgoing == 1 else set())
    wanted |= {"promoted", "unpromoted"} if bypass_limits else set()
    wanted |= {"served"} if lanes.channels > 1 else set()
    wanted |= {"another lane"} if bench.dut.choosing else set()
    assert min(bench.met[name] for name in wanted) > 0, bench.met
    assert min(bench.sent) > 20


def test_keeps_its_contract_without_a_terminal() -> None:
    bench = Bench(Lanes(2, 2), links=3, terminal=False, eject=False, depth=2, width=8, seed=1)
    bench.run(600)
    assert min(bench.sent) > 20
