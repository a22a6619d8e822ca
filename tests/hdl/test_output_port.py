"""An output port against its contract: who goes when, on what channel, and what is on the link."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from amaranth import Value
from amaranth.sim import Simulator

from golden.deadlock.lanes import Lanes
from hdl.output_port import OutputPort
from testbench.context import Context

MOODS = [(0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1, 1), (1, 0.1), (0.2, 1)]
"""How probable it is that a front comes, and that the receiver gives a credit back."""


@dataclass(eq=False)
class Queue:
    """A channel of an input: flits of any packets, of which only the front is seen."""

    input: int
    number: int
    courtesy: int  # packets that a head lets pass here; 0: it is no guest
    let_pass: int = 0  # by its head, so far
    present: bool = False
    left: int = 0  # flits of the packet at the front
    length: int = 0
    here: bool = False  # the packet wants this output
    channel: int = 0  # there, on this channel
    passed: Counter["Queue"] = field(default_factory=Counter)  # since its head waits, by others

    @property
    def head(self) -> bool:
        return self.left in (0, self.length)

    @property
    def last(self) -> bool:
        return self.left == 1

    @property
    def waits(self) -> bool:
        """Whether a head waits for this output."""
        return self.present and self.here and self.head

    @property
    def insists(self) -> bool:
        """Whether the head of a guest has let enough packets of others pass."""
        return self.courtesy > 0 and self.let_pass >= self.courtesy

    @property
    def polite(self) -> bool:
        """Whether the queue is a guest's that does not insist."""
        return self.courtesy > 0 and not self.insists

    def go(self) -> None:
        self.left -= 1
        self.present = False
        self.passed.clear()


class Crossing(NamedTuple):
    """A flit that was taken: from where, on what channel, as what."""

    input: int
    queue: "Queue"
    channel: int
    flit: dict[str, int]


class Bench:
    """Random packets at the inputs of an output port, which is compared with its contract."""

    def __init__(
        self, lanes: Lanes, *, links: int, terminal: bool, eject: bool, depth: int, width: int,
        seed: int, courtesies: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        self.lanes, self.eject, self.depth, self.width = lanes, eject, depth, width
        channels = (lanes.channels,) * links + (1,) * terminal
        self.dut = OutputPort(
            channels=channels, terminal=terminal, lanes=lanes, eject=eject, depth=depth,
            guests=[i for i, limit in enumerate(courtesies) if limit], flit_width=width,
        )  # fmt: skip
        self.outgoing = 1 if eject else lanes.channels
        self.rng = random.Random(seed)
        limits = courtesies or (0,) * len(channels)
        self.queues = [[Queue(i, v, limits[i]) for v in range(n)] for i, n in enumerate(channels)]
        self.every = [queue for queues in self.queues for queue in queues]
        self.local = len(channels) - 1 if terminal else -1
        self.increments, self.lane = self.rng.getrandbits(len(channels)), 0
        self.alone = max(channels) == 1  # there are no rounds
        self.nominees = [0] * len(channels)
        self.order = list(range(len(channels)))  # who was not served for longest comes first
        self.credits, self.held = [depth] * self.outgoing, [0] * self.outgoing
        self.owner: list[Queue | None] = [None] * self.outgoing
        self.crossing: Crossing | None = None
        self.on_link: Crossing | None = None
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
                self.decide(ctx)
                await ctx.tick()

        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    def poke(self, ctx: Context) -> None:
        """Put anything in: what is on the link must not follow within the cycle."""
        dut = self.dut
        inputs: list[Any] = [*dut.fronts, *dut.crossing, dut.lane, *dut.insists, dut.link.credit]
        for value in map(Value.cast, inputs):
            ctx.set(value, self.rng.getrandbits(len(value)))

    def look_at_link(self, ctx: Context) -> None:
        """See there what crossed in the cycle before, on its channel, and nothing else."""
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
        for queue in self.every:
            if queue.present or rng.random() >= come:
                continue
            queue.present = True
            if not queue.left:
                queue.left = queue.length = rng.choice((1, 1, 2, 5))
                queue.here = rng.random() < 0.9
                queue.channel = self.channel(queue)
        self.nominees = [
            v if queues[v].present and rng.random() < 0.7 else rng.randrange(len(queues))
            for v, queues in zip(self.nominees, self.queues, strict=True)
        ]

    def channel(self, queue: Queue) -> int:
        """Return the channel on which the packets of a queue go on: golden.deadlock.lanes."""
        if self.eject:
            return 0
        if queue.input == self.local:
            return self.lane
        raised = self.increments >> queue.input & 1
        return int(self.lanes.next_vc[queue.number]) if raised else queue.number

    def drive(self, ctx: Context, credit: float) -> None:
        dut, rng = self.dut, self.rng
        for i, queues in enumerate(self.queues):
            # Between packets an input wants anything.
            wants = [q.here if q.left else rng.random() < 0.5 for q in queues]
            columns = {
                "wants": wants,
                "waits": [q.present for q in queues],
                "head": [q.head for q in queues],
                "last": [q.last for q in queues],
                "nominee": [v == self.nominees[i] for v in range(len(queues))],
            }
            for name, row in columns.items():
                ctx.set(getattr(dut.fronts[i], name), sum(bit << v for v, bit in enumerate(row)))
            bits = rng.getrandbits(self.width + 2)
            anything = {"head": bits & 1, "tail": bits >> 1 & 1, "data": bits >> 2}
            crossing = self.crossing if self.crossing and self.crossing.input == i else None
            ctx.set(dut.crossing[i], crossing.flit if crossing else anything)
        self.back = [held > 0 and rng.random() < credit for held in self.held]
        ctx.set(dut.link.credit, sum(bit << c for c, bit in enumerate(self.back)))
        for i, insists in zip(dut.guests, dut.insists, strict=True):
            ctx.set(insists, sum(q.insists << q.number for q in self.queues[i]))
        ctx.set(dut.lane, 1 << self.lane)

    def decide(self, ctx: Context) -> None:
        """Compare who may go, and who does; then let that one go."""
        dut = self.dut
        able = {q: bool(ctx.get(dut.able[q.input]) >> q.number & 1) for q in self.every}
        self.look_at_able(able)
        soon = {q: bool(ctx.get(dut.soon[q.input]) >> q.number & 1) for q in self.every}
        self.look_at_soon(soon, able)
        tail = self.crossing is not None and self.crossing.flit["tail"]
        ends = 1 << self.crossing.input if self.crossing and tail else 0
        assert ctx.get(dut.through) == (ends if dut.guests else 0)

        asking = [i for i, v in enumerate(self.nominees) if able[self.queues[i][v]]]
        first = [i for i in self.order if i in asking]
        heads = {i: q for i in first if (q := self.queues[i][self.nominees[i]]).head}
        first.sort(key=lambda i: heads[i].polite - heads[i].insists if i in heads else 0)
        for i in dut.guests:
            self.met["insists"] += i in heads and heads[i].insists
            self.met["polite"] += i in heads and heads[i].polite
        assert ctx.get(dut.grant) == (1 << first[0] if first else 0)

        own = self.crossing.queue if self.crossing else None
        passed = [q for q in self.every if tail and q.waits and q.courtesy and q is not own]
        self.on_link = self.crossing
        self.crossing = self.take(self.queues[first[0]][self.nominees[first[0]]]) if first else None
        for queue in passed:
            queue.let_pass += queue.waits  # it has not gone now
        for i, v in enumerate(self.nominees):
            queue = self.queues[i][v]
            if queue.present and not queue.here and self.rng.random() < 0.5:
                queue.go()
        for c, back in enumerate(self.back):
            self.credits[c] += back
            self.held[c] -= back

    def look_at_able(self, able: dict[Queue, bool]) -> None:
        """Nobody goes into another's packet, or without a credit; and not everybody is kept."""
        for q in self.every:
            if not (q.present and q.here and self.credits[q.channel]):
                assert not able[q]
            elif q.head:
                assert self.owner[q.channel] is None or not able[q]
            else:
                assert self.owner[q.channel] is q
                assert able[q]
        for c in range(self.outgoing):
            # A guest that does not insist is not there for the others.
            heads = [q for q in self.every if q.waits and q.channel == c and not q.polite]
            if heads and self.credits[c] and self.owner[c] is None:
                assert any(able[q] for q in heads)
                self.met["had its turn"] += not all(able[q] for q in heads)

    def look_at_soon(self, soon: dict[Queue, bool], able: dict[Queue, bool]) -> None:
        """With one channel it is foreseen that the packet on it ends; with several nothing is."""
        if self.outgoing > 1:
            assert soon == able
            return
        owner, heads = self.owner[0], [q for q in self.every if q.waits]
        assert all(soon[q] == able[q] for q in self.every if not q.waits)
        if owner and self.credits[0]:
            nominated = self.nominees[owner.input] == owner.number
            ends = owner.present and owner.last and nominated
            assert any(soon[q] for q in heads) == (ends and bool(heads))
            self.met["foreseen"] += ends and bool(heads)

    def most(self, queue: Queue) -> int:
        """Return how many packets of a queue may pass a head that waits."""
        if not self.alone:
            return 2
        if not queue.courtesy:
            return 1
        # It insists again when each of the others has gone once.
        return 1 + (len(self.queues) - 2) // queue.courtesy

    def take(self, queue: Queue) -> Crossing:
        """Let the front of a queue go; whoever waits for its channel sees it pass."""
        c, head, tail = queue.channel, queue.head, queue.last
        self.credits[c] -= 1
        assert self.credits[c] >= 0
        self.owner[c] = None if tail else queue
        self.order.remove(queue.input)
        self.order.append(queue.input)
        for other in self.every if head else ():
            # A guest that does not insist is in nobody's way, and waits as long as it takes.
            polite = queue.polite or other.polite
            if other is not queue and other.waits and other.channel == c and not polite:
                other.passed[queue] += 1
                assert other.passed[queue] <= self.most(queue)
        self.met["long"] += not tail
        queue.go()
        queue.let_pass = 0 if head else queue.let_pass
        if queue.input == self.local and tail and not self.eject:
            self.lane = (self.lane + 1) % int(self.lanes.count[0])
        data = self.rng.getrandbits(self.width)
        return Crossing(queue.input, queue, c, {"head": head, "tail": tail, "data": data})


@pytest.mark.parametrize(
    ("lanes", "links", "depth", "width", "courtesies", "eject"),
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
    lanes: Lanes, links: int, depth: int, width: int, courtesies: tuple[int, ...], eject: bool
) -> None:
    bench = Bench(
        lanes, links=links, terminal=True, eject=eject, depth=depth, width=width, seed=depth,
        courtesies=courtesies,
    )  # fmt: skip
    bench.run(600)
    wanted = {"long"} | ({"foreseen"} if bench.outgoing == 1 else set())
    wanted |= {"insists", "polite"} if courtesies else set()
    wanted |= {"had its turn"} if lanes.channels > 1 else set()
    assert min(bench.met[name] for name in wanted) > 0, bench.met
    assert min(bench.sent) > 20


def test_keeps_its_contract_without_a_terminal() -> None:
    bench = Bench(Lanes(2, 2), links=3, terminal=False, eject=False, depth=2, width=8, seed=1)
    bench.run(600)
    assert min(bench.sent) > 20
