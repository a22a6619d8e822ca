"""End-to-end flow control in the model, by what goes over its ports."""

from collections import Counter, deque
from itertools import product
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine import Run, engine
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.router.state import of_run
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.golden.traffic import Traffic
from tests.networks import built, load, only

SMALL = {"eager": 2, "packet_limit": 5, "receive": 6}

NETWORKS = {
    "mesh": built({"family": "grid", "sizes": [3, 2]}, "dimension-order"),
    "rotator": built({"family": "rotator", "n": 3}, "rotator"),
}


def flow(name: str = "mesh", **terminal: Any) -> Network:
    """Return a network with small windows."""
    plain = NETWORKS.get(name) or load(name)
    kind = {"kind": "axi-stream", "flow_control": "end-to-end", **SMALL, **terminal}
    return build({**plain.description, "terminal": kind})


def control(network: Network) -> FlowControl:
    terminal: Any = network.terminal
    flow: FlowControl = terminal.flow(network)
    return flow


def packets(network: AnyNetwork, *rows: tuple[int, int, int, int]) -> Traffic:
    """Return packets: source, destination, time, length."""
    traffic = Traffic(network, 0.5, 9)
    columns = np.array(sorted(rows, key=lambda row: (row[0], row[2])), np.int64).T
    traffic.source, traffic.destination, traffic.time, traffic.length = columns
    traffic.kind, traffic.message_class = np.zeros((2, len(rows)), np.int64)
    traffic.salt = np.random.default_rng(1).integers(1 << 62, size=len(rows))
    return traffic


class Observed:
    """An engine with one traffic; what goes over the ports of routers and users is checked."""

    def __init__(self, traffic: Traffic, **users: Any) -> None:
        network: Any = traffic.network
        n = network.topology.nodes
        self.flow = control(network)
        self.traffic = traffic
        self.model = engine(network, [traffic], compiled=False, **users)
        self.run = self.model.runs[0]
        self.heads = FlowLayout.controlled(network, self.flow).head
        terminals = network.topology.terminals
        pairs = np.array(list(product(terminals, terminals))).T
        headers = network.routing.encode(*pairs)
        self.dest_of = dict(zip(zip(pairs[0], headers, strict=True), pairs[1], strict=True))
        assert len(self.dest_of) == len(headers)
        self.left = np.zeros(n, np.int64)  # beats of the packet that is being sent
        self.places = np.full(n, network.terminal_depth)
        self.outstanding = np.full((n, n), self.flow.withheld)
        self.promised = np.zeros(n, np.int64)
        self.requests: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
        self.kinds = np.zeros(5, np.int64)
        self.offered = np.zeros(n, np.int64)  # beats of the packet that a user is sending
        self.whole = Counter[tuple[int, int, int]]()  # packets that users have sent whole
        self.receiving: list[tuple[int, int] | None] = [None] * n  # beats, and source
        self.coming = {
            (int(a), int(b)): deque[int]()
            for a, b in zip(traffic.source, traffic.destination, strict=True)
        }
        for number in np.flatnonzero(self.run.expected):
            pair = int(traffic.source[number]), int(traffic.destination[number])
            self.coming[pair].append(int(traffic.length[number]))
        self.arrived = np.zeros(n, np.bool_)
        self.flits_sent = self.flits_arrived = 0

    @property
    def terminals(self) -> Any:
        """Return the arrays of terminals."""
        return of_run(self.model.arrays, 0).terminals

    def go(self, cycles: int) -> None:
        noted: Any = self.model._recorded(cycles)
        local, ports = self.model.config.local, self.model.config.ports
        for row in range(cycles):
            sent, out = (
                {name: column[row] for name, column in wires._asdict().items()}
                for wires in (noted.given, noted.seen)
            )
            self._send(sent, out["credit"][local::ports] > 0)
            self._users_send({name: c[row] for name, c in noted.terminal._asdict().items()})
            self._arrive({name: column[local::ports] for name, column in out.items()})
            returned = sent["credit"] > 0
            assert np.array_equal(returned, self.arrived), "a flit was not taken"
            self.arrived = out["valid"][local::ports] > 0
            self._users_receive({name: c[row] for name, c in noted.terminal._asdict().items()})

    def drain(self, limit: int) -> None:
        while not self.run.empty and self.run.now < limit:
            self.go(1)
        assert self.run.empty, f"{(self.run.delivered[self.run.expected] < 0).sum()} are missing"
        self.go(40)  # the last acknowledges are under way

    def _send(self, sent: dict[str, IntArray], credited: BoolArray) -> None:
        """Check what terminals send; credits count from the next cycle on."""
        sends = sent["valid"] > 0
        waits = (self.left > 0) & ~sends
        assert not self.places[waits].any(), "a gap in a packet, for no lack of credits"
        assert (self.places[sends] > 0).all(), "a flit without a credit"
        self.places += credited.astype(np.int64) - sends
        for at in np.flatnonzero(sends).tolist():
            self.flits_sent += 1
            tail = bool(sent["tail"][at])
            if sent["head"][at]:
                assert self.left[at] == 0, "a head inside a packet"
                self._head(at, int(sent["data"][at]), tail)
                continue
            assert self.left[at] > 0, "a beat outside a packet"
            self.left[at] -= 1
            assert tail == (self.left[at] == 0)

    def _cut(self, word: int, *names: str) -> list[int]:
        """Return fields of a head flit."""
        return [int(self.heads.cut(name, np.array([word]))[0]) for name in names]

    def _head(self, node: int, word: int, tail: bool) -> None:
        header, source, kind, slot, length = self._cut(
            word, "header", "source", "kind", "slot", "length"
        )
        dest = int(self.dest_of[node, header])
        self.kinds[kind] += 1
        assert source == node
        assert tail == (kind in {ACK, GRANT, REQUEST})
        if not tail:
            self.left[node] = length
            self.whole[node, dest, length] -= 1
            assert self.whole[node, dest, length] >= 0, "a packet that was not sent whole"
            assert (kind == EAGER) == (length <= self.flow.eager)
        if kind == GRANT:
            turn = [request[:2] for request in self.requests[node]].index((dest, slot))
            assert turn == 0 or not self.flow.ordered, "a grant out of turn"
            self.promised[node] += self.requests[node].pop(turn)[2]
            assert self.promised[node] <= self.flow.receive
        self.outstanding[node, dest] += {EAGER: length, REQUEST: 1}.get(kind, 0)
        assert self.outstanding[node, dest] <= self.flow.window

    def _users_send(self, user: dict[str, IntArray]) -> None:
        """Count the packets that interfaces have taken whole."""
        taken = (user["given_valid"] & user["ready"]) > 0
        self.offered += taken
        for node in np.flatnonzero(taken & (user["given_last"] > 0)).tolist():
            self.whole[node, int(user["given_dest"][node]), int(self.offered[node])] += 1
            self.offered[node] = 0

    def _arrive(self, came: dict[str, IntArray]) -> None:
        """Note what comes out of routers."""
        self.flits_arrived += int((came["valid"] > 0).sum())
        for at in np.flatnonzero((came["valid"] > 0) & (came["head"] > 0)).tolist():
            source, kind, slot, length = self._cut(
                int(came["data"][at]), "source", "kind", "slot", "length"
            )
            if kind == ACK:
                self.outstanding[at, source] -= length
                assert self.outstanding[at, source] >= 0
            if kind == REQUEST:
                self.requests[at].append((source, slot, length))

    def _users_receive(self, user: dict[str, IntArray]) -> None:
        """Check that the packets of a source come in order, each whole."""
        for node in np.flatnonzero((user["valid"] & user["given_ready"]) > 0).tolist():
            source = int(user["user"][node]) >> 1
            beats, before = self.receiving[node] or (0, source)
            assert before == source, "a beat inside another packet"
            length = self.coming[source, node][0]
            self.promised[node] -= length > self.flow.eager
            assert self.promised[node] >= 0
            assert (beats + 1 == length) == bool(user["last"][node])
            self.receiving[node] = beats + 1, source
            if user["last"][node]:
                self.receiving[node] = None
                self.coming[source, node].popleft()


def healthy(ends: Run, among: BoolArray | None = None) -> None:
    """Check that nothing was lost, doubled, mixed, or overtaken between two nodes."""
    t = ends.traffic
    among = np.ones(len(t.source), np.bool_) if among is None else among
    assert ends.faults == []
    sent = among & ends.expected
    assert np.array_equal(ends.beats[sent], t.length[sent])
    assert not ends.beats[among & ~ends.expected].any()
    for pair in {*zip(t.source[sent].tolist(), t.destination[sent].tolist(), strict=True)}:
        same = sent & (t.source == pair[0]) & (t.destination == pair[1])
        assert (np.diff(ends.delivered[same]) > 0).all()


CASES: dict[str, dict[str, Any]] = {
    "all": {},
    "no stall": {"stall": 0.0},
    "slow users": {"stall": 0.8, "load": 0.3},
    "hot spot": {"pattern": "hotspot:nodes=0,share=1"},
    "one beat": {"terminal": {"eager": 1, "packet_limit": 1, "receive": 1}},
    "long windows": {"terminal": {"eager": 16, "packet_limit": 6, "receive": 6}},
    "several grants": {"terminal": {"eager": 1, "receive": 30}},
    "directed": {"name": "rotator"},
    "may reorder": {"name": "borel-21-adaptive", "load": 0.5},
    "without terminals": {"name": "kyklos-2-2-4", "load": 0.5},
}


@pytest.mark.parametrize("case", only(["all", "may reorder"], CASES))
def test_random_traffic(case: str) -> None:
    given: dict[str, Any] = {"load": 0.9, "stall": 0.3} | CASES[case]
    network = flow(given.pop("name", "mesh"), **given.pop("terminal", {}))
    stall, nodes = given.pop("stall"), network.topology.nodes
    traffic = Traffic(network, cycles=150, seed=3, lengths=(1, 7), malformed=0.2, **given)
    ends = Observed(traffic, stall=stall)
    ends.drain(6000)
    healthy(ends.run)
    assert ends.flits_sent == ends.flits_arrived
    assert (ends.outstanding + ends.flow.eager <= ends.flow.window).all()
    wrong = traffic.source[~ends.run.expected]
    assert np.array_equal(ends.terminals.sender["refused"], np.bincount(wrong, minlength=nodes))
    used = [
        ACK,
        EAGER,
        *([GRANT, REQUEST, DATA] if case not in {"one beat", "long windows"} else []),
    ]
    assert set(np.flatnonzero(ends.kinds)) == set(used)


def onto_zero(network: Network, *lengths: int) -> Traffic:
    """Return packets of every node, also of node 0, to node 0."""
    nodes = range(network.topology.nodes)
    return packets(network, *((node, 0, i, x) for node in nodes for i, x in enumerate(lengths)))


@pytest.mark.parametrize("stops", only([21], [0, 7, 20, 21, 22, 45]))
def test_all_is_taken_though_a_user_reads_no_more(stops: int) -> None:
    network = flow()
    ends = Observed(onto_zero(network, *(1, 2, 1, 5, 2, 3, 1, 2) * 2), reads_until={0: stops})
    ends.go(600)
    assert ends.flits_sent == ends.flits_arrived > 6 * 3
    ends.terminals.user["reads_until"][0] = 1 << 40
    ends.drain(3000)
    healthy(ends.run)


@pytest.mark.regress
def test_no_space_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue of a receiver fills to its last place; with one place less it overflows.

    The first packets open the windows, one after another; then the user stops to read.
    """
    network = flow()
    opening = [(node, 0, 20 + 30 * node, 1) for node in range(6)]
    filling = [(node, 0, 300, 2) for node in range(6)] * 3
    traffic = packets(network, *opening, *filling)
    long = packets(network, *((node, 0, 0, 3) for node in range(1, 3)))
    ends = Observed(traffic, reads_until={0: 300})
    ends.go(500)
    level = ends.terminals.arrivals["level"][0]
    assert level == 6 * ends.flow.window == ends.flow.arrivals - 6
    ends = Observed(long, reads_until={0: 0})
    ends.go(150)
    assert ends.terminals.arrivals["level"][0] == ends.flow.receive
    monkeypatch.setattr(FlowControl, "arrivals", property(lambda flow: 6 * flow.window - 1))
    with pytest.raises(OverflowError, match="full"):
        Observed(traffic, reads_until={0: 300}).go(500)


def beside_a_dead_user(network: Network) -> Traffic:
    """Return packets of nodes 0 and 3 to node 2, which reads none; of the others to others."""
    rng = np.random.default_rng(4)
    columns = (
        rng.choice([1, 2, 4, 5], 60),
        rng.choice([0, 1, 3, 4, 5], 60),
        rng.integers(200, size=60),
    )
    bad = [(node, 2, i, 1 + i % 5) for node in (0, 3) for i in range(30)]
    good = [(int(a), int(b), 30 + int(time), 3) for a, b, time in zip(*columns, strict=True)]
    return packets(network, *bad, *good)


def test_a_user_that_never_reads_harms_only_those_who_send_to_it() -> None:
    network = flow()
    ends = Observed(beside_a_dead_user(network), reads_until={2: 0})
    ends.go(500)
    good = np.isin(ends.traffic.source, [1, 2, 4, 5])
    healthy(ends.run, good)
    assert (ends.run.delivered[~good] < 0).all()
    assert ends.flits_sent == ends.flits_arrived
    # They wait hardly longer than they would without the packets to the dead user.
    t = ends.traffic
    rows = zip(t.source[good], t.destination[good], t.time[good], t.length[good], strict=True)
    alone = Observed(packets(network, *((int(a), int(b), int(c), int(d)) for a, b, c, d in rows)))
    alone.drain(500)
    assert (ends.run.delivered[good] - alone.run.delivered).max() < 50


def served_at_a_hot_spot(name: str, classes: int = 1) -> tuple[float, float]:
    """Return what the sources that get least and most get of the mean: all send to one."""
    cycles = 2000
    terminal = {"kind": "axi-stream", "flow_control": "end-to-end"}
    given = {"router": {"classes": classes}, "terminal": terminal}
    network = build({**load(name).description, **given})
    nodes = network.topology.nodes
    traffic = packets(
        network, *((node, 0, 0, 1) for node in range(1, nodes) for _ in range(cycles // 9))
    )
    traffic.message_class = np.tile(np.sort(np.arange(cycles // 9) % classes), nodes - 1)
    model = engine(network, [traffic])
    model.run(cycles)
    delivered = model.runs[0].delivered >= 0
    assert 0.28 < delivered.sum() / cycles < 0.36  # 5/14, the pace of a terminal
    got = np.bincount(traffic.source, delivered, minlength=nodes)[1:]
    return float(got.min() / got.mean()), float(got.max() / got.mean())


@pytest.mark.regress
def test_a_hot_spot_serves_all_sources_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first cycle on. If windows never close it does not: the first packets open some."""
    assert served_at_a_hot_spot("petersen")[0] > 0.8
    assert served_at_a_hot_spot("petersen", classes=2)[0] > 0.8
    assert served_at_a_hot_spot("mesh-4x4-flow")[1] < 1.5
    monkeypatch.setattr(FlowControl, "busy", property(lambda flow: 1 << 30))
    assert served_at_a_hot_spot("mesh-4x4-flow")[1] > 2


@pytest.mark.parametrize(
    ("eager", "order", "apart"), only([(3, 3, 0)], [(3, 3, 0), (3, 3, 40), (4, 2, 40), (4, 3, 3)])
)
def test_no_window_is_stuck(eager: int, order: int, apart: int) -> None:
    """Eager packets of all lengths in all orders, close together and one at a time."""
    network = flow(eager=eager, packet_limit=eager, receive=eager)
    lengths = [x for word in product(range(1, eager + 1), repeat=order) for x in word]
    ends = Observed(packets(network, *((0, 1, i * apart, x) for i, x in enumerate(lengths))))
    ends.drain(len(lengths) * (apart + 20))
    healthy(ends.run)


@pytest.mark.parametrize("ordered", [True, False])
def test_windows_have_room_beside_withheld_units(ordered: bool) -> None:
    """By exhaustion: a receiver withholds the most, and still the longest eager packet fits."""
    for eager in range(1, 17):
        flow = FlowControl(4, eager, 64, 128, ordered)
        withheld = {flow.withheld}
        for _ in range(2 * eager + 1):
            totals = {w + x for w in withheld for x in range(1, eager + 1)}
            kept_open = {0 if total >= flow.batch else total for total in totals}
            kept_shut = {min(total, flow.withheld) for total in totals}
            withheld |= kept_open | kept_shut
        assert max(withheld) + eager <= flow.window


NAMES = "mesh", "rotator", "borel-21", "borel-21-adaptive"


@pytest.mark.regress
@pytest.mark.parametrize("name", only(["mesh"], NAMES))
def test_latency_of_an_eager_packet_alone(name: str) -> None:
    """By hand: a packet is stored and sent, so it takes the time of its beats twice.

    And from the last beat taken to the last beat delivered 5 cycles beside those of routers: to
    take it, to choose the packet, the head flit, and two to be written and read at the receiver;
    2 more where packets are put in order.
    """
    network = flow(name, eager=16, packet_limit=16, receive=16)
    terminals = network.topology.terminals.tolist()
    pairs = list(product(terminals[:5], terminals[-5:]))[: 16 + 4]
    gap = 120
    start = control(network).clearing + 20
    rows = [(a, b, start + gap * i, 1 + i % 16) for i, (a, b) in enumerate(pairs)]
    ends = Observed(packets(network, *rows))
    ends.drain(start + gap * len(rows))
    t = ends.traffic
    hops = walk(network.routing, t.source, t.destination).hops
    routers = 2 * (hops + 1) + network.routing.header_cycles
    ends_take = 5 if network.in_order else 7
    assert np.array_equal(ends.run.delivered - t.time, routers + ends_take + 2 * (t.length - 1))
    least = [network.least_latency(int(h), int(x)) for h, x in zip(hops, t.length, strict=True)]
    assert np.array_equal(ends.run.delivered - t.time, least)
    means = [zero_load(network, int(h), flits=int(x)) for h, x in zip(hops, t.length, strict=True)]
    assert means == least
    assert zero_load(network, 1, flits=8.5, longest=16) is not None
    assert zero_load(network, 1, flits=8.5, longest=17) is None


def test_a_long_packet_waits_for_its_grant() -> None:
    """By hand: the request goes there and the grant back before the packet goes as an eager one."""
    network = flow("borel-21", eager=2, packet_limit=9, receive=9)
    rows = [(i, (7 * i + 1) % 21, 40 + 130 * i, 3 + i) for i in range(7)]
    ends = Observed(packets(network, *rows))
    ends.drain(130 * 8)
    t = ends.traffic
    there, back = (
        2 * (walk(network.routing, *pair).hops + 1) + network.routing.header_cycles
        for pair in ((t.source, t.destination), (t.destination, t.source))
    )
    assert np.array_equal(ends.run.delivered - t.time, 2 * there + back + 12 + 2 * (t.length - 1))
    hops, hops_back = (
        walk(network.routing, *pair).hops.tolist()
        for pair in ((t.source, t.destination), (t.destination, t.source))
    )
    given = zip(hops, t.length.tolist(), hops_back, strict=True)
    assert [network.least_latency(*one) for one in given] == (ends.run.delivered - t.time).tolist()
    assert (np.array(hops) != hops_back).any()
