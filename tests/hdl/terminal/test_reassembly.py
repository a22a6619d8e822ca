"""Reassembly beside its model, and both beside what was sent; beats arrive in any order."""

from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine.axi_start import order_config, order_state
from fingerpost.golden.jit.plain import view
from fingerpost.golden.terminal import reassembly
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.terminal.reassembly import Reassembly
from tests.formal.planted import planted
from tests.hdl.simulators import simulate

PEERS = 3


class Model:
    """The model of one terminal, in plain Python."""

    def __init__(self, flow: FlowControl) -> None:
        order, peers = order_config(flow), flow.peers
        arrays: Any = order_state(1, 1, order, peers)
        self.state: Any = view(type(arrays)(*(array[0] for array in arrays)))
        self.clock = SimpleNamespace(overflow=0)
        self.given: Any = (
            SimpleNamespace(terminal=SimpleNamespace(peers=peers, order=order)),
            SimpleNamespace(terminals=SimpleNamespace(order=self.state), clock=[self.clock]),
        )

    def front(self) -> tuple[bool, int, bool, bool, int, int]:
        """Return whether there is a beat: word, last, from a window, source, tag."""
        return reassembly.front(0, *self.given)

    def request(self) -> tuple[bool, int, int, int, int]:
        """Return whether the oldest may be granted: peer, slot, length, sequence number."""
        return reassembly.oldest_request(0, *self.given)

    def rests(self) -> bool:
        return reassembly.rests(0, *self.given)

    @property
    def level(self) -> int:
        """Return the beats and requests that are stored."""
        return int(self.state.reassembly[0].stored + self.state.requests[0].level)

    def step(self, pop: bool, grant: bool, arrival: tuple[Any, ...] | None) -> None:
        """Go through a clock edge."""
        granted, source, sequence, request, word, last = arrival or (False, 0, 0, False, 0, False)
        body, eager = arrival is not None and not request, not (granted or request)
        slot, length = word >> Senders.flow_length, word & ((1 << Senders.flow_length) - 1)
        kind = body, arrival is not None and request
        beat = source, eager, sequence, word << 1, last, 0
        reassembly.arrive(0, pop, grant, *kind, *beat, slot, length, *self.given)
        assert not self.clock.overflow


class Senders:
    """Sources with random packets, and a network that delivers their beats in any order."""

    def __init__(self, flow: FlowControl, packets: int, seed: int) -> None:
        self.flow, self.rng = flow, np.random.default_rng(seed)
        lengths = self.rng.integers(1, flow.packet_limit + 1, size=(PEERS, packets))
        self.lengths: list[deque[int]] = [deque(row) for row in lengths.tolist()]
        self.issued, self.freed = [0] * PEERS, [0] * PEERS
        self.due: list[deque[list[int]]] = [deque() for _ in range(PEERS)]  # what is to come out
        self.flying: list[tuple[bool, int, int, bool, int, bool]] = []
        self.asked: dict[int, int] = {}  # lengths of requests by source
        self.granted: deque[tuple[int, list[int]]] = deque()
        self.base = self.promised = self.delivered = 0

    def send(self) -> None:
        """Let each source send its next packet, if it fits."""
        for source, lengths in enumerate(self.lengths):
            if not lengths:
                continue
            long = lengths[0] > self.flow.eager
            units = 1 if long else lengths[0]
            if self.issued[source] - self.freed[source] + units > self.flow.window:
                continue
            length, first = lengths.popleft(), self.issued[source]
            self.issued[source] += units
            words = self.rng.integers(256, size=length).tolist()
            self.due[source].append(words)
            if long:
                word = (first % 8) << self.flow_length | length
                self.flying.append((False, source, first, True, word, True))
                continue
            for i, word in enumerate(words):
                self.flying.append((False, source, first + i, False, word, i == length - 1))

    flow_length = 6

    def arrival(self) -> tuple[bool, int, int, bool, int, bool] | None:
        """Return what arrives: any of what is on its way."""
        if not self.flying or self.rng.random() < 0.2:
            return None
        return self.flying.pop(int(self.rng.integers(len(self.flying))))

    def grant(self, source: int, slot: int, length: int, base: int) -> None:
        """Send a long packet."""
        assert len(self.due[source][0]) == length
        assert slot == self.freed[source] % 8, "a request before its turn, or twice"
        assert base == self.base % (2 * self.flow.space)
        words = self.due[source][0]
        for i, word in enumerate(words):
            self.flying.append((True, source, self.base + i, False, word, i == length - 1))
        self.granted.append((source, words))
        self.base += length
        self.promised += length

    def take(self, source: int, word: int, last: bool, eager: bool) -> None:
        """Check a beat that is handed over."""
        words = self.due[source][0]
        if not eager:
            assert self.granted[0][0] == source
            self.promised -= 1
        assert word == words.pop(0)
        assert last == (not words)
        self.freed[source] += eager or last
        if last:
            self.delivered += 1
            self.due[source].popleft()
            if not eager:
                self.granted.popleft()


def run(eager: int, seed: int, cycles: int = 700, packets: int = 12) -> None:
    """Let all packets through, model and hardware side by side."""
    flow = FlowControl(PEERS, eager, 2 * eager, 3 * eager, False)
    layout = FlowLayout(
        data_width=8, nodes=PEERS, header=1, packet_limit=2 * eager, sequence=flow.sequence
    )
    assert layout.length == Senders.flow_length
    dut, model = Reassembly(layout, flow), Model(flow)
    senders, rng = Senders(flow, packets, seed), np.random.default_rng(seed + 1)

    async def bench(context: Any) -> None:
        for place in range(flow.clearing):
            context.set(dut.clear, place)
            await context.tick()
        context.set(dut.cleared, 1)
        for _ in range(cycles):
            senders.send()
            arrival = senders.arrival()
            values = arrival or (False, 0, 0, False, 0, False)
            granted, source, sequence, request, word, last = values
            sequence %= 1 << flow.sequence
            for port, value in (
                *((dut.push, arrival is not None), (dut.granted, granted), (dut.source, source)),
                *((dut.sequence, sequence), (dut.request, request), (dut.last, last)),
                (dut.body, word if request else word << 1),
            ):
                context.set(port, int(value))
            valid, wanted = bool(context.get(dut.valid)), bool(context.get(dut.wanted_valid))
            there, *front = model.front()
            may_grant, peer, slot, length, _ = model.request()
            assert (valid, wanted) == (there, model.state.requests[0].front_valid)
            assert (bool(context.get(dut.rests)) and not wanted) == model.rests()
            pop = valid and bool(rng.random() < 0.8)
            if valid:
                beat = [
                    context.get(signal)
                    for signal in (
                        *(dut.front_body, dut.front_last, dut.front_eager, dut.front_source),
                    )
                ]
                assert beat == front[:4]
            if pop:
                senders.take(beat[3], beat[0] >> 1, bool(beat[1]), bool(beat[2]))
            may = wanted and bool(context.get(dut.may_grant))
            assert may == may_grant
            grant = may and senders.promised + length <= flow.receive and bool(rng.random() < 0.5)
            if grant:
                assert context.get(dut.wanted.peer) == peer
                assert context.get(dut.wanted.length) == length
                senders.grant(peer, context.get(dut.wanted.slot), length, context.get(dut.base))
                assert slot == senders.freed[peer] % 8
            context.set(dut.pop, pop)
            context.set(dut.grant, grant)
            await context.tick()
            model.step(pop, grant, arrival)

    simulate(dut, bench)
    assert senders.delivered == PEERS * packets
    assert model.level == 0


@pytest.mark.regress
@pytest.mark.parametrize("eager", [1, 2, 3])
def test_beats_come_out_in_order(eager: int) -> None:
    """Nothing is lost, doubled, or handed over before its turn."""
    run(eager, seed=eager, packets=40, cycles=1600)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("read_new(m, heads, ends)", "(lambda x: (x.addr, x.data))(heads.read_port())"),
        ("held.eq(check & present & comes)", "held.eq(0)"),
        ("ready.push.eq(comes | (check & present))", "ready.push.eq(comes)"),
        ("grants.r_en.eq(then)", "grants.r_en.eq(over)"),
        ("requests.entry.follows.eq(after)", "requests.entry.follows.eq(shown.sequence)"),
    ],
)
def test_finds_faults(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, "terminal.reassembly.Reassembly", old, new)
    with pytest.raises((AssertionError, IndexError)):
        run(2, seed=2, packets=40, cycles=1600)
