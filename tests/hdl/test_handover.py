"""The hand-over of a channel: against a list of sources, and what everybody is promised."""

import random
from collections import defaultdict
from dataclasses import dataclass, field

import pytest
from amaranth.sim import Simulator

from hdl.handover import Handover
from testbench.context import Context


@dataclass
class Channel:
    """A channel told as rules: who holds it, and at whom the turn stands.

    Attributes
    ----------
    had : set of int
        Who went without holding it since the turn last came by.
    """

    count: int
    holder: int | None = None
    turn: int = 0
    had: set[int] = field(default_factory=set)

    def step(self, waits: set[int], goes: int | None, *, tail: bool) -> None:
        """Take a clock edge: who waits with a head, who sends, and whether that is a tail."""
        here = self.turn
        first = here if here in waits and here not in self.had | {self.holder} else None
        meets = goes is not None and goes == first  # its turn is over
        if goes is not None and self.holder is None:
            if self.count > 1:  # or else nobody can be served too often
                self.had.add(goes)
            self.holder = goes if not tail else None if meets else first
        elif self.holder is None or (goes is not None and tail):
            self.holder = first
        if first is None or meets:  # or else it stays there
            self.had.discard(here)
            self.turn = (here + 1) % self.count


@dataclass
class Sources:
    """Queues with random packets for the channel; each input nominates one queue that may go.

    Among the inputs the one that has not been served for longest is granted, if anybody takes a
    grant at all: that is for the output to say.
    """

    inputs: tuple[int, ...]
    rng: random.Random
    left: list[int] = field(default_factory=list)  # flits of the packet at the front; 0: none
    begun: list[bool] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left, self.begun = [0] * len(self.inputs), [False] * len(self.inputs)
        self.last = dict.fromkeys(self.inputs, -1)

    def arrive(self, busy: float) -> None:
        """Let packets come to the front."""
        for k, left in enumerate(self.left):
            if not left and self.rng.random() < busy:
                self.left[k], self.begun[k] = self.rng.choice((1, 1, 2, 5)), False

    def grant(self, holder: int | None, turns: dict[int, int]) -> tuple[set[int], int | None]:
        """Return who is nominated, and the input that is granted."""
        able = [k for k, left in enumerate(self.left) if left and holder in (None, k)]
        nominated: dict[int, int] = {}
        for k in sorted(able, key=lambda k: turns.get(k, -1)):
            nominated.setdefault(self.inputs[k], k)
        best = min(nominated, key=lambda i: self.last[i], default=None)
        return set(nominated.values()), best


def bits(members: set[int]) -> int:
    return sum(1 << k for k in members)


def run(inputs: tuple[int, ...], *, busy: float, credit: float, cycles: int, seed: int) -> int:
    """Compare with the rules; return the most packets of one other source that a head let pass."""
    rng = random.Random(seed)
    sources, golden = Sources(inputs, rng), Channel(len(inputs))
    dut = Handover(inputs, inputs=max(inputs) + 1)
    passed: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    turns: dict[int, int] = {}
    most = 0

    async def bench(ctx: Context) -> None:
        nonlocal most
        for cycle in range(cycles):
            sources.arrive(busy)
            every = range(len(inputs))
            waits = {k for k in every if sources.left[k] and not sources.begun[k]}
            nominated, best = sources.grant(golden.holder, turns)
            if rng.random() >= credit:
                nominated, best = set(), None
            goes = None if best is None else next(k for k in nominated if inputs[k] == best)
            ctx.set(dut.waits, bits(waits))
            ctx.set(dut.last, bits({k for k in every if sources.left[k] == 1}))
            ctx.set(dut.nominated, bits(nominated))
            ctx.set(dut.grant, 0 if best is None else 1 << best)
            await ctx.delay(1e-8)
            holder = golden.holder
            assert ctx.get(dut.holder) == (0 if holder is None else 1 << holder), cycle
            assert ctx.get(dut.free) == (holder is None)
            assert ctx.get(dut.sent) == (goes is not None)
            tail = goes is not None and sources.left[goes] == 1
            golden.step(waits, goes, tail=tail)
            if goes is not None:
                sources.last[inputs[goes]] = turns[goes] = cycle
                if goes in waits:  # a packet begins; the others that wait let it pass
                    passed.pop(goes, None)
                    for k in waits - {goes}:
                        passed[k][goes] += 1
                        most = max(most, passed[k][goes])
                sources.begun[goes] = True
                sources.left[goes] -= 1
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return most


INPUTS = [(0,), (0, 1), (0, 0, 1), (0, 1, 2, 3), (0, 0, 1, 1, 2, 2, 3), tuple(range(9))]


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize(("busy", "credit"), [(1, 1), (1, 0.3), (0.3, 0.9), (0.6, 0.5)])
def test_hands_over_as_the_rules_say(inputs: tuple[int, ...], busy: float, credit: float) -> None:
    # While a head waits at most two packets of each other source begin: one that goes while
    # nobody holds the channel, and one whose turn came first.
    seed = len(inputs) + round(10 * credit)
    assert run(inputs, busy=busy, credit=credit, cycles=1500, seed=seed) <= 2


def shares(count: int, *, period: int, cycles: int) -> list[int]:
    """Let all sources send packets of one flit whenever there is a credit; count their packets."""
    dut, served, last = Handover(tuple(range(count)), inputs=count), [0] * count, [-1] * count

    async def bench(ctx: Context) -> None:
        ctx.set(dut.waits, (1 << count) - 1)
        ctx.set(dut.last, (1 << count) - 1)
        for cycle in range(cycles):
            holder = ctx.get(dut.holder)
            able = [k for k in range(count) if ctx.get(dut.free) or holder >> k & 1]
            goes = min(able, key=lambda k: last[k]) if cycle % period == 0 else None
            ctx.set(dut.nominated, 0 if goes is None else bits(set(able)))
            ctx.set(dut.grant, 0 if goes is None else 1 << goes)
            if goes is not None:
                served[goes] += 1
                last[goes] = cycle
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return served


@pytest.mark.parametrize("period", range(1, 9))
@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_turns_do_not_keep_step_with_credits(count: int, period: int) -> None:
    served = shares(count, period=period, cycles=120 * period)
    assert min(served) >= 0.8 * sum(served) / count


def test_a_guest_does_not_set_back_the_turns_of_the_others() -> None:
    # Six others, and a guest that insists after three of their packets: all others get the same.
    count = 7
    dut, served = Handover(tuple(range(count)), inputs=count, guest=True), [0] * count

    async def bench(ctx: Context) -> None:
        since = 0
        for signal in (dut.waits, dut.last):
            ctx.set(signal, (1 << count) - 1)
        for cycle in range(2000):
            insists = since >= 3
            ctx.set(dut.insists, insists)
            holder = ctx.get(dut.holder)
            goes = None if cycle % 3 else holder.bit_length() - 1
            if goes is not None and goes < 0:  # nobody holds it: let who insists go, or nobody
                goes = count - 1 if insists else None
            ctx.set(dut.nominated, 0 if goes is None else 1 << goes)
            ctx.set(dut.grant, 0 if goes is None else 1 << goes)
            if goes is not None:
                served[goes] += 1
                since = 0 if goes == count - 1 else since + 1
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    others = served[:-1]
    assert min(others) > 30
    assert min(others) >= 0.8 * sum(others) / len(others)
    assert served[-1] > 30


def test_refuses_no_sources() -> None:
    with pytest.raises(ValueError, match=r"^Handover needs at least 1 source, not none$"):
        Handover((), inputs=1)
