"""AXI4-Stream terminals of the model, by what comes out, not by how."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import Engine, Run, engine
from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.measure import simulate
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.golden.traffic import BAD_HEADER, NO_TAIL, Traffic
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.test_flow_control import healthy, packets
from tests.networks import built, deflection, load


def axi(name: str = "", *, flit_width: int = 32, **terminal: Any) -> Network:
    plain = load(name) if name else built({"family": "grid", "sizes": [3, 3]}, "dimension-order")
    router = plain.description.get("router", {}) | {"flit_width": flit_width}
    kind = {"kind": "axi-stream", **terminal}
    return build({**plain.description, "router": router, "terminal": kind})


def exchange(network: Network, load: float = 0.3, cycles: int = 200, **more: Any) -> Engine:
    traffic = Traffic(network, load, cycles, seed=2, lengths=(1, 5), malformed=0.2)
    model = engine(network, [traffic], compiled=False, **more)
    run = model.runs[0]
    model.run(cycles)
    while not run.empty and run.now < 4 * cycles:
        model.run(10)
    assert (run.errors.sum(), run.overruns.sum()) == (0, 0)
    credits = model.arrays.terminals.sender["credits"][0]
    assert (credits == network.terminal_depth)[network.topology.terminals].all()
    return model


@pytest.mark.parametrize("store", [0, 4])
@pytest.mark.parametrize(
    ("name", "stall"), [("", 0.0), ("", 0.5), ("borel-21", 0.3), ("kyklos-2-2-4", 0.3)]
)
def test_all_that_is_known_and_fits_comes_out(name: str, stall: float, store: int) -> None:
    network = axi(name, store=store)
    model = exchange(network, stall=stall)
    run, sender = model.runs[0], model.arrays.terminals.sender[0]
    traffic, known = run.traffic, run.traffic.kind != BAD_HEADER
    too_long = np.bool_(store) & (traffic.length > store)
    lost = ~known | too_long
    assert (run.faults, run.empty) == ([], True)
    assert np.array_equal(run.expected, ~lost)
    assert np.array_equal(run.beats, np.where(lost, 0, traffic.length))
    refused = np.bincount(traffic.source[lost], minlength=network.topology.nodes)
    assert np.array_equal(sender["refused"], refused)
    assert (~known).sum() > 5
    assert store or sender["expired"].sum() == 0
    assert not store or (known & lost).sum() > 5


def test_a_sender_that_stops_inside_a_packet_holds_no_channel() -> None:
    """All send long packets to the middle of a mesh; one stops after its first beats."""
    received = {}
    for store in (0, 8):
        network = axi(store=store)
        traffic = Traffic(
            network, 0.1, 300, seed=2, pattern=pattern("hotspot:nodes=4"), lengths=(8, 8)
        )
        stopped = int(traffic.source[0])
        stop = int(traffic.time[0]) + 3
        model = engine(network, [traffic], sends_until={stopped: stop}, compiled=False)
        model.run(900)
        others, delivered = traffic.source != stopped, model.runs[0].delivered
        received[store] = (delivered[others] >= 0).mean()
        assert (delivered[~others] < 0).all()
    assert received[8] == 1
    assert received[0] < 0.5


def test_who_falls_silent_is_cut_off() -> None:
    model = exchange(axi(timeout=12), cycles=400)
    run, packets = model.runs[0], model.arrays.packets
    silent = (run.traffic.kind == NO_TAIL) & (run.traffic.length > 1)
    assert np.array_equal(packets["closed"], silent)
    assert model.arrays.terminals.sender["expired"].sum() == silent.sum() > 10
    assert run.faults == []
    assert (run.delivered[silent] >= 0).all()
    # What was sent before the silence came, and then a beat with the mark.
    assert np.array_equal(run.beats[silent], packets["pause"][silent] + 1)


@pytest.mark.parametrize("store", [0, 4])
@pytest.mark.parametrize(("name", "length"), [("", 1), ("", 4), ("borel-21", 2)])
def test_latency_of_a_packet_alone(name: str, length: int, store: int) -> None:
    """By hand: a beat waits a cycle for its head, a head goes before it, and a queue is behind.

    A packet that is stored waits for its last beat, and then two cycles to be read.
    """
    network = axi(name, store=store)
    ends_take = 3 + length - 1 if not store else 5 + 2 * (length - 1)
    traffic = Traffic(network, 0.05 * length, 30, lengths=(length, length))
    packets = len(traffic.time)
    traffic.time[:] = 60 * np.arange(packets)
    model = engine(network, [traffic], compiled=False)
    model.run(60 * packets)
    taken = model.runs[0].delivered - traffic.time
    hops = walk(network.routing, traffic.source, traffic.destination).hops
    routers = network.hop_cycles * (hops + 1) + network.routing.header_cycles
    assert packets >= 10
    assert np.array_equal(taken, routers + ends_take)
    assert routers[0] + ends_take == network.least_latency(int(hops[0]), length)


@pytest.mark.regress
def test_a_beat_in_every_cycle_but_one_a_packet() -> None:
    """Two terminals with long packets: L beats take L + 1 cycles, without contention."""
    line = built({"family": "grid", "sizes": [2]}).description
    network = build({**line, "terminal": {"kind": "axi-stream"}})
    found = simulate(network, load=2.0, cycles=600, packet_length=9)
    assert found.accepted.mean == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("width", "flit"), [(8, 9), (16, 18), (24, 27), (32, 35), (64, 68), (128, 133)]
)
def test_mark_is_as_wide_as_the_bytes_need(width: int, flit: int) -> None:
    assert axi(flit_width=width).flit_width == flit


@pytest.mark.parametrize(("beats", "idle"), [(1, 52), (2, 51), (5, 51)])
def test_a_timeout_of_50_closes_after_a_pause(beats: int, idle: int) -> None:
    """Counted from when the beat before has left: a cycle after the next, or after the head."""
    network = axi(timeout=50)
    traffic = Traffic(network, 0.5, 9)
    for name, value in (
        ("source", 0),
        ("destination", 4),
        ("message_class", 0),
        ("time", 20),
        ("length", beats + 2),
        ("kind", NO_TAIL),
        ("salt", beats - 1),
    ):  # the salt says before which beat the user falls silent
        setattr(traffic, name, np.array([value]))
    record = engine(network, [traffic], compiled=False).record(150)
    taken = np.flatnonzero(record.given["valid"][:, 0] & record.terminals["ready"][:, 0])
    closed = np.flatnonzero(record.terminals["expired"][:, 0] == 0)[-1]
    assert closed - taken[beats - 1] - 1 == idle


def streams(name: str, router: dict[str, Any] | None = None, **terminal: Any) -> DeflectionNetwork:
    kind = {"kind": "axi-stream", "flow_control": "end-to-end", **terminal}
    return build_deflection({**deflection(name, **(router or {})).description, "terminal": kind})


def started(network: DeflectionNetwork, traffic: Traffic, **options: Any) -> Deflection:
    """Return an engine behind the cycles in which memories are cleared."""
    terminal: Any = network.terminal
    flow: FlowControl = terminal.flow(network)
    traffic.time += flow.clearing
    found = Deflection(network, [traffic], **options)
    found.run(flow.clearing)
    return found


def drained(engine: Deflection, limit: int) -> Run:
    """Return the run behind all packets, and their credits."""
    run = engine.runs[0]
    for _ in range(limit):
        engine.run(1)
        if run.empty:
            break
    assert run.empty, f"{(run.delivered[run.expected] < 0).sum()} packets are missing"
    return run


@pytest.mark.parametrize(
    ("name", "terminal"),
    [
        ("uneven", {"eager": 2, "packet_limit": 5, "receive": 6}),
        pytest.param("kyklos", {"packet_limit": 6, "receive": 6}, marks=pytest.mark.regress),
        pytest.param("digraph", {"eager": 1, "receive": 70}, marks=pytest.mark.regress),
        pytest.param("borel", {"eager": 16}, marks=pytest.mark.regress),
    ],
)
def test_packets_come_whole_and_in_order(name: str, terminal: dict[str, Any]) -> None:
    network = streams(name, **terminal)
    traffic = Traffic(network, 0.9, 80, seed=3, lengths=(1, 7), malformed=0.2)
    run = drained(started(network, traffic, stall=0.3, plain=name == "uneven"), 4000)
    healthy(run)
    assert (run.delivered[run.expected] >= 0).sum() > 50


@pytest.mark.regress
@pytest.mark.parametrize("hop_cycles", [3, 4])
def test_latency_of_a_packet_alone_between_deflection_routers(hop_cycles: int) -> None:
    """By hand: 5 cycles as with other routers, 1 in the queue for a place, 2 to be put in order.

    A longer packet waits for its request to go there, and for the grant to come back: 7 cycles as
    with other routers, 1 in each queue, 3 to put the request in order.
    """
    network = streams("uneven", {"hop_cycles": hop_cycles}, eager=4, packet_limit=8, receive=8)
    rows = [(i % 6, (5 * i + 1 + i // 6) % 6, 120 * i, 1 + i % 8) for i in range(16)]
    run = drained(started(network, packets(network, *(r for r in rows if r[0] != r[1]))), 2500)
    t = run.traffic
    hops = network.destinations.distance[t.source, t.destination].astype(int)
    alone = hop_cycles * hops + 1
    cycles = alone + 8 + 2 * (t.length - 1) + (t.length > 4) * (2 * alone + 12)
    assert np.array_equal(run.delivered - t.time, cycles)
    given = zip(hops.tolist(), t.length.tolist(), strict=True)
    assert [network.least_latency(*one) for one in given] == cycles.tolist()
