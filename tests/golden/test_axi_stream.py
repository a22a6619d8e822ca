"""AXI4-Stream terminals of the model, by what comes out, not by how."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.measure import simulate
from fingerpost.golden.model import Model, Traffic, cycle
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.terminal import AxiTerminalModel
from fingerpost.golden.terminal.axi_interfaces import DirectInterfaces
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.stored_sender import StoredSender
from fingerpost.golden.traffic import NO_TAIL, WELL_FORMED
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.model.networks import built
from tests.networks import load


def axi(name: str = "", *, flit_width: int = 32, **terminal: Any) -> Network:
    plain = load(name) if name else built({"family": "grid", "sizes": [3, 3]}, "dimension-order")
    router = plain.description.get("router", {}) | {"flit_width": flit_width}
    kind = {"kind": "axi-stream", **terminal}
    return build({**plain.description, "router": router, "terminal": kind})


def exchange(
    network: Network, load: float = 0.3, cycles: int = 400, **more: Any
) -> AxiTerminalModel:
    traffic = Traffic(network, load, cycles, seed=2, lengths=(1, 5), malformed=0.2)
    ends = AxiTerminalModel(traffic, timeout=network.terminal.timeout, **more)  # type: ignore[attr-defined]
    model = Model(network)
    for now in range(4 * cycles):
        if now >= cycles and ends.empty:
            break
        cycle(model, ends, now)
    assert (model.errors.sum(), model.overruns.sum()) == (0, 0)
    sender: Any = ends.interfaces.sender
    sender = sender.sender if isinstance(sender, StoredSender) else sender
    assert (sender.credits == network.terminal_depth)[network.topology.terminals].all()
    return ends


@pytest.mark.parametrize("store", [0, 4])
@pytest.mark.parametrize(
    ("name", "stall"), [("", 0.0), ("", 0.5), ("borel-21", 0.3), ("kyklos-2-2-4", 0.3)]
)
def test_all_that_is_known_and_fits_comes_out(name: str, stall: float, store: int) -> None:
    network = axi(name, store=store)
    ends = exchange(network, stall=stall, store=store)
    traffic, sender = ends.traffic, ends.interfaces.sender
    too_long = np.bool_(store) & (traffic.length > store)
    lost = ~ends.known | too_long
    assert (ends.faults, ends.empty) == ([], True)
    assert np.array_equal(ends.expected, ~lost)
    assert np.array_equal(ends.received, np.where(lost, 0, traffic.length))
    refused = np.bincount(traffic.source[lost], minlength=network.topology.nodes)
    assert np.array_equal(sender.refused, refused)
    assert (~ends.known).sum() > 5
    assert store or sender.expired.sum() == 0
    assert not store or (ends.known & lost).sum() > 5


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
        ends = network.terminal.model(traffic, sends_until={stopped: stop})
        model = Model(network)
        for now in range(3000):
            cycle(model, ends, now)
        others = traffic.source != stopped
        received[store] = (ends.delivered[others] >= 0).mean()
        assert (ends.delivered[~others] < 0).all()
    assert received[8] == 1
    assert received[0] < 0.5


@pytest.mark.parametrize("flit_width", [8, 64, 256])
def test_any_width(flit_width: int) -> None:
    ends = exchange(axi(flit_width=flit_width), cycles=100)
    assert ends.faults == []
    assert ends.empty


def test_who_falls_silent_is_cut_off() -> None:
    ends = exchange(axi(timeout=12))
    silent = (ends.traffic.kind == NO_TAIL) & (ends.traffic.length > 1)
    assert np.array_equal(ends.closed, silent)
    assert ends.interfaces.sender.expired.sum() == silent.sum() > 10
    assert ends.faults == []
    assert (ends.delivered[silent] >= 0).all()
    # What was sent before the silence came, and then a beat with the mark.
    assert np.array_equal(ends.received[silent], ends.pause[silent] + 1)


def test_faults_of_what_comes_are_told() -> None:
    network = axi()
    ends = AxiTerminalModel(Traffic(network, 0.3, 50, seed=2), timeout=0)
    model = Model(network)
    for now in range(60):
        cycle(model, ends, now)
        model.ejected = model.ejected._replace(data=model.ejected.data ^ (1 << 20))
    assert ends.faults
    assert "out of place" in ends.faults[0]


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
    ends, model = network.terminal.model(traffic), Model(network)
    for now in range(60 * packets):
        cycle(model, ends, now)
    hops = walk(network.routing, traffic.source, traffic.destination).hops
    routers = network.hop_cycles * (hops + 1) + network.routing.header_cycles
    assert packets >= 10
    assert np.array_equal(ends.delivered - traffic.time, routers + ends_take)
    assert routers[0] + ends_take == network.least_latency(int(hops[0]), length)


@pytest.mark.regress
def test_a_beat_in_every_cycle_but_one_a_packet() -> None:
    """Two terminals with long packets: L beats take L + 1 cycles, without contention."""
    line = built({"family": "grid", "sizes": [2]}).description
    network = build({**line, "terminal": {"kind": "axi-stream"}})
    found = simulate(network, load=2.0, cycles=600, packet_length=9)
    assert found.accepted.mean == pytest.approx(0.9, abs=0.01)


def test_head_has_header_and_source() -> None:
    network = axi("borel-21")
    layout = AxiLayout.of(network)
    assert (network.flit_width, network.data_width) == (32 + 2 + 1, 32)
    assert (layout.head["header"].width, layout.head["source"].offset) == (10, 10)
    assert layout.head["source"].width == 5  # 21 nodes
    traffic = Traffic(network, 0.1, 50)
    ends = AxiTerminalModel(traffic, timeout=0)
    header = network.routing.encode(traffic.source, traffic.destination)
    assert isinstance(ends.interfaces, DirectInterfaces)
    assert np.array_equal(ends.interfaces.head[: len(traffic.source)] & 0x3FF, header)
    assert np.array_equal(ends.interfaces.head[: len(traffic.source)] >> 10, traffic.source)
    assert (traffic.kind == WELL_FORMED).all()


@pytest.mark.parametrize(
    ("width", "flit"), [(8, 9), (16, 18), (24, 27), (32, 35), (64, 68), (128, 133)]
)
def test_mark_is_as_wide_as_the_bytes_need(width: int, flit: int) -> None:
    assert axi(flit_width=width).flit_width == flit


def test_room_for_the_status_of_a_link() -> None:
    network = axi("borel-21-os-link")
    assert network.flit_width == 56  # 32, a mark of 3, a CRC of 16, in whole bytes


def test_has_no_credits_to_believe_in() -> None:
    with pytest.raises(ValueError, match=r"^AXI4-Stream terminals need a surplus of 0, not 2$"):
        AxiTerminalModel(Traffic(axi(), 0.1, 10), timeout=0, surplus=2)


@pytest.mark.parametrize(("beats", "idle"), [(1, 52), (2, 51), (5, 51)])
def test_a_timeout_of_50_closes_after_a_pause(beats: int, idle: int) -> None:
    """Counted from when the beat before has left: a cycle after the next, or after the head."""
    layout = AxiLayout.of(axi())
    sender = AxiSender(1, credits=8, timeout=50, layout=layout)
    offered, one = Beats.none(1), np.ones(1, np.int64)
    valid, taken = np.array([True]), 0
    while taken < beats:
        sender._settle()
        taken += int(sender.ready[0])
        sender.step(valid, offered, one, valid, one)
    for paused in range(60):
        sender._settle()
        if sender.closes[0]:
            assert paused == idle
            return
        sender.step(~valid, offered, one, valid, one)
    pytest.fail("never closed")
