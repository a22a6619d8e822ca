"""Managers and memories of AXI4 in the model, by rules that are written down here anew."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.run import Run
from fingerpost.golden.measure import Outcome, simulate
from fingerpost.golden.measure.latency import zero_load_of
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.spelling import lengths, pattern
from fingerpost.golden.traffic.traffic import COLUMNS, READ, WRITE, Transactions

ALL = [{"base": 0, "size": 0x10000, "nodes": "all"}]
MESH = {
    "topology": {"family": "grid", "sizes": [3, 3]},
    "routing": {"algorithm": "dimension-order"},
}
BOREL = {
    "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "routing": {"algorithm": "two-phase"},
}


def made(
    terminal: dict[str, Any] | None = None,
    router: dict[str, Any] | None = None,
    of: dict[str, Any] = MESH,
    regions: Sequence[dict[str, Any]] = ALL,
) -> Network:
    own = {"terminal": {"kind": "axi4"} | (terminal or {}), "router": router or {}}
    return build({"name": "axi4", "memory_map": list(regions)} | of | own)


def ran(
    network: Network, traffic: Traffic, *, compiled: bool | None = None, **transactions: Any
) -> Run:
    options = Transactions(**transactions)
    model = engine(network, [traffic], transactions=options, compiled=compiled)
    model.run(50_000, until_delivered=True)
    model.run(40)  # credits, and with flow control acknowledges
    return model.runs[0]


def alone(network: Network, source: int, goal: int, beats: int, kind: int) -> Traffic:
    """Return one transaction, at a time at which flow control has begun."""
    shares = [[1, 0], [0, 1]][kind]
    traffic = Traffic(network, 0.01, 1, lengths=beats, classes=shares)
    values = {"source": source, "destination": goal, "time": 100, "length": beats}
    values |= {"message_class": kind, "kind": 0, "salt": 0x123456789ABC}
    for name, value in values.items():
        setattr(traffic, name, np.array([value], np.int64))
    return traffic


@pytest.mark.parametrize(
    ("terminal", "router", "head", "parts"),
    [
        ({}, {}, 2, 1),
        ({"data_width": 64}, {"flit_width": 64}, 1, 1),
        ({"data_width": 64}, {}, 2, 2),
        ({}, {"hop_cycles": 3}, 2, 1),
    ],
    ids=["32 bits", "64 bits", "halves", "3 cycles a hop"],
)
@pytest.mark.parametrize(("beats", "cycles"), [(1, 1), (1, 7), (5, 2), (16, 1)])
def test_a_transaction_alone_takes_what_the_page_says(
    terminal: dict[str, Any],
    router: dict[str, Any],
    head: int,
    parts: int,
    beats: int,
    cycles: int,
) -> None:
    network, hop = made(terminal, router), router.get("hop_cycles", 2)
    for source, goal, hops in ((0, 1, 1), (0, 8, 4), (5, 3, 2)):
        # A flit takes `hop` cycles in each router, one more than hops; a stream adds 3.
        way = 2 * (hop * (hops + 1) + 3)
        data = beats * parts
        read = way + (head - 1) + (data - 1) + cycles + 6
        write = way + (head + data - 1) + (head + data) + cycles + 6
        for kind, expected in ((READ, read), (WRITE, write)):
            run = ran(network, alone(network, source, goal, beats, kind), memory_cycles=cycles)
            assert (run.begun[0], run.delivered[0] - 100) == (100, expected)
            assert run.faults == []
            assert isinstance(network.terminal, Axi4Terminal)
            given: Any = {"write": kind == WRITE, "memory_cycles": cycles}
            assert network.terminal.least_latency(network, hops, beats, **given) == expected


def test_one_beat_is_read_over_h_hops_in_4_h_and_18_cycles() -> None:
    """Issue 60 asks for 4 h + 19 at most, with two cycles a hop."""
    network = made()
    for goal, hops in ((1, 1), (2, 2), (5, 3), (8, 4)):
        assert ran(network, alone(network, 0, goal, 1, READ)).delivered[0] - 100 == 4 * hops + 18


def test_axi4_lite() -> None:
    """A write is not stored, but sent as it comes; a burst becomes as many accesses of a memory."""
    network = made({"lite": [8]})
    for source, goal, kind, beats, expected in (
        *((8, 0, READ, 1, 4 * 4 + 18), (8, 0, WRITE, 1, 4 * 4 + 18), (0, 8, READ, 9, 4 * 4 + 26)),
        (0, 8, WRITE, 9, 4 * 4 + 16 + 2 * 9 + 4),
    ):
        run = ran(network, alone(network, source, goal, beats, kind))
        assert (run.faults, run.delivered[0] - 100) == ([], expected)
    message = "^Transactions of AXI4-Lite managers need 1 beat, not up to 2$"
    with pytest.raises(ValueError, match=message):
        ran(network, alone(network, 8, 0, 2, READ))


STORED = {"flow_control": "end-to-end"}


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(made(STORED), marks=pytest.mark.regress),
        pytest.param(made(STORED | {"data_width": 64}), marks=pytest.mark.regress),
        made(of=BOREL),
        made(of=BOREL, router={"hop_cycles": 3}),
    ],
    ids=["flow control", "halves", "borel-21", "3 cycles a hop"],
)
@pytest.mark.parametrize("kind", [READ, WRITE])
def test_formula_holds_where_routes_differ_and_packets_are_stored(
    network: Network, kind: int
) -> None:
    terminal = network.terminal
    assert isinstance(terminal, Axi4Terminal)
    rng = np.random.default_rng(3)
    for source, goal in rng.choice(network.topology.nodes, (4, 2)).tolist():
        ends = np.array([source, goal]), np.array([goal, source])
        hops, back = walk(network.routing, *ends).hops.tolist()
        for beats, cycles in ((1, 1), (4, 1), (40, 3)):
            run = ran(network, alone(network, source, goal, beats, kind), memory_cycles=cycles)
            given: Any = {"write": kind == WRITE, "memory_cycles": cycles, "back": back}
            expected = terminal.least_latency(network, hops, beats, **given)
            assert run.delivered[0] - run.begun[0] == expected


@pytest.mark.parametrize(
    "network",
    [
        made(),
        made({"data_width": 64, "outstanding": 2}),
        pytest.param(made(STORED), marks=pytest.mark.regress),
    ],
    ids=["32 bits", "halves", "flow control"],
)
@pytest.mark.parametrize("where", ["uniform", "hotspot:nodes=4,share=0.8"])
def test_nothing_is_lost_and_order_is_kept(network: Network, where: str) -> None:
    """What is sent is checked beat by beat as it comes; here, what becomes of transactions."""
    traffic = Traffic(network, 0.9, 600, seed=2, lengths=(1, 16), pattern=where)
    run = ran(network, traffic, memory_cycles=3)
    assert (run.faults, run.empty, run.flits) == ([], True, 0)
    terminal, layout = network.terminal, network.terminal.transactions  # type: ignore[attr-defined]
    n, packets = len(traffic.source), run.arrays.packets
    assert len(packets) == 2 * n
    writes, beats = traffic.message_class == WRITE, traffic.length * layout.parts
    requests = layout.request_beats + np.where(writes, beats, 0)
    assert (packets["received"][:n] == requests).all()
    assert (packets["received"][n:] == np.where(writes, 1, beats)).all()
    # One address in a cycle, at most one response, and each not before it can be there.
    latency = run.delivered - run.begun
    away = walk(network.routing, traffic.source, traffic.destination).hops
    for kind in (READ, WRITE):
        for node in range(network.topology.nodes):
            own = (traffic.source == node) & (traffic.message_class == kind)
            assert (np.diff(run.begun[own]) > 0).all()
            apart = np.diff(run.delivered[own])
            assert (apart >= np.where(writes, 1, traffic.length)[own][1:]).all()
    least = [
        terminal.least_latency(network, hops, length, write=bool(write), memory_cycles=3)  # type: ignore[attr-defined]
        for hops, length, write in zip(
            away.tolist(), traffic.length.tolist(), writes.tolist(), strict=True
        )
        if length + 2 <= 8 or not terminal.takes_all
    ]
    short = latency if not terminal.takes_all else latency[traffic.length <= 6]
    assert (short >= least).all()
    # No more in flight than there are tags.
    for kind in (READ, WRITE):
        for node in range(network.topology.nodes):
            own = (traffic.source == node) & (traffic.message_class == kind)
            begun, done = run.begun[own], run.delivered[own]
            most = terminal.outstanding + 1  # type: ignore[attr-defined]
            assert (begun[most:] > done[: len(done) - most]).all()


def test_both_forms_do_the_same() -> None:
    network = made({"data_width": 64})
    traffic = Traffic(network, 0.7, 300, seed=4, lengths=(1, 9))
    plain, fast = (ran(network, traffic, compiled=form, memory_cycles=2) for form in (False, True))
    assert (plain.delivered == fast.delivered).all()
    assert (plain.begun == fast.begun).all()


def test_several_runs_and_a_stop() -> None:
    network = made()
    traffics = [Traffic(network, 0.5, 400, seed=seed, lengths=(1, 8)) for seed in (1, 2)]
    model = engine(network, traffics, transactions=Transactions())
    model.run(200)
    for run in model.runs:
        run.stop()
    model.run(600)
    for run, traffic in zip(model.runs, traffics, strict=True):
        assert (run.faults, run.empty, run.flits) == ([], True, 0)
        assert ((run.delivered >= 0) == (run.begun >= 0)).all()
        one = ran(network, traffic)
        came = (run.delivered >= 0) & (run.delivered < 200)
        assert came.any()
        assert (run.delivered[came] == one.delivered[came]).all()


def test_one_in_flight_at_a_time() -> None:
    """An address follows in the cycle behind the last response."""
    network = made(
        {"managers": [0], "subordinates": [8]}, regions=[{"base": 0, "size": 4096, "node": 8}]
    )
    found = simulate(
        network,
        load=1,
        cycles=3000,
        precision=0,
        packet_length=16,
        transactions=Transactions(reads=1, outstanding=1),
    )
    assert found.latencies.percentiles["max"] == 4 * 4 + 18 + 15
    assert found.accepted.mean == pytest.approx(16 / (4 * 4 + 18 + 15 + 1), rel=0.02)


def test_throughput_of_one_manager() -> None:
    """Issue 60 asks for 0.9 beats a cycle of bursts of 16; a packet has a head beside its data."""
    network = made()
    # A write is taken, looked up, laid out in two beats, and only then is its data taken.
    for kind, period in ((READ, 16 + 1), (WRITE, 1 + 1 + 2 + 16)):
        traffic, many = alone(network, 0, 8, 16, kind), np.zeros(40, np.int64)
        for name in COLUMNS:
            setattr(traffic, name, getattr(traffic, name)[many])
        run = ran(network, traffic)
        assert run.faults == []
        assert (np.diff(run.delivered[10:]) == period).all()


def test_managers_and_subordinates_are_those_of_the_file() -> None:
    network = made({"managers": [1, 3, 4], "subordinates": [0, 2, 3]})
    given: dict[str, Any] = {"cycles": 4000, "precision": 0, "packet_length": 4}
    found = simulate(network, load=0.2, **given)
    assert found.outcome is Outcome.STABLE
    assert found.accepted.mean == pytest.approx(0.2, rel=0.1)
    assert found.accepted_least == pytest.approx(0.2, rel=0.2)
    served = np.flatnonzero(found.link_load.sum(axis=1))
    assert set(served) >= {0, 1, 2, 3, 4}


def test_zero_load() -> None:
    """The mean over all pairs, kinds and lengths is that of transactions alone."""
    network, transactions = made(), Transactions(reads=0.75, memory_cycles=3)
    total = 0.0
    for source, goal in zip(*np.nonzero(1 - np.eye(9, dtype=np.int64)), strict=True):
        for kind, share in ((READ, 0.75), (WRITE, 0.25)):
            for beats in (1, 3):
                traffic = alone(network, int(source), int(goal), beats, kind)
                total += share / 2 * int(ran(network, traffic, memory_cycles=3).delivered[0] - 100)
    found = zero_load_of(network, pattern("uniform"), lengths("bimodal:1,3,0.5"), transactions)
    assert found == pytest.approx(total / 72)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"reads": 1.5}, "a share of reads of 0 to 1, not 1.5"),
        ({"outstanding": 0}, "outstanding of at least 1, not 0"),
        ({"memory_cycles": 0}, r"memory_cycles in 1\.\.4096, not 0"),
        ({"memory_cycles": 4097}, r"memory_cycles in 1\.\.4096, not 4097"),
    ],
)
def test_refuses(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^Transactions need {message}$"):
        Transactions(**wrong)


def test_a_slow_memory_is_no_deadlock() -> None:
    found = simulate(
        made(),
        load=0.0005,
        cycles=20_000,
        precision=0,
        transactions=Transactions(reads=1, memory_cycles=4096),
    )
    assert found.outcome is not Outcome.DEADLOCKED
    assert found.packets > 10
