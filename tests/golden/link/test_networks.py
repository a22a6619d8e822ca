"""The model of a network across OS-Links: what must be true of it, whatever the clock."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import Record, engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.link.packets import decode
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.traffic import POISONED, WELL_FORMED, Traffic
from tests.golden.link.windows import check_windows
from tests.testbench.faults.networks import RING

BAD_PACKET = 1 << 6


def network(**link: Any) -> Network:
    return build(RING | {"link": {"kind": "os-link", **link}})


def started(traffic: Traffic, *, compiled: bool = False, **options: Any) -> Wormhole:
    """Return a model, a plain one: what runs for a second need not be compiled."""
    assert isinstance(traffic.network, Network)
    made = engine(traffic.network, [traffic], compiled=compiled, **options)
    assert isinstance(made, Wormhole)
    return made


def halves(net: Network) -> list[int]:
    """Return the links by node and port, and, behind all of one direction, those of the other."""
    topology, degree = net.topology, net.topology.degree
    partner = (topology.neighbour * degree + topology.arrival_port).ravel()
    first = [at for at in range(len(partner)) if at < partner[at]]
    return first + partner[first].tolist()


@pytest.mark.regress
@pytest.mark.parametrize(
    "link",
    [
        {"clocks_per_bit": 4, "fifo": 1},
        {"acknowledge": "late"},
        {"slot": 12, "fifo": 4},
    ],
    ids=str,
)
def test_all_packets_are_delivered_at_saturation(link: dict[str, Any]) -> None:
    net = network(**link)
    traffic = Traffic(net, 0.02, 1200, lengths=(1, 4), malformed=0.1)
    model = started(traffic, compiled=True, stall=0.3)
    run, waves, longest = model.runs[0], [], 0
    while not (run.empty and not run.flits) and run.now < 30_000:
        record = model.record(1)
        waves.append(record.links["wire"])
        longest = max(longest, int(model.arrays.links.ports.port["level"].max()))
        if run.now == traffic.cycles:
            run.stop()
    assert run.all_delivered
    assert not run.faults
    assert run.expected.sum() > 10
    # Nothing waits in a receiver: a router never withholds an acknowledge.
    assert longest == 1
    # Poisoned packets are all that the links found wrong.
    assert set(record.links["errors"][-1].tolist()) <= {0, BAD_PACKET}

    # What is on the wires, decoded from the waveforms alone.
    order, n = halves(net), model.config.links.port.clocks_per_bit
    wave = np.concatenate(waves)[:, order] > 0
    packets = decode(wave, np.full(len(order), len(wave)), n)
    assert len(packets.start) > 500
    check_windows(packets, packets.start / n, len(order), 1.5, complete=False)


def test_a_flit_takes_the_time_of_its_bytes() -> None:
    net = network(clocks_per_bit=5)
    traffic = Traffic(net, 0.05, 60)
    turn = np.arange(len(traffic.time)) - np.searchsorted(traffic.source, traffic.source)
    traffic.time[:] = 300 + 700 * turn  # after the hold-off
    model = started(traffic)
    model.run(1000 + 700 * int(turn.max()))
    clocks = model.runs[0].delivered - traffic.time
    ends = traffic.source, traffic.destination
    hops = np.minimum((ends[0] - ends[1]) % 5, (ends[1] - ends[0]) % 5)
    # docs/design/os-link-internals.md: (B - 1) P + s bit times, P = 11, s = 11.2; B = 5. And
    # some clocks in two routers, and for the byte that is ready to be sent.
    least = 5 * (4 * 11 + 11.2)
    for count in (1, 2):
        found = clocks[hops == count].min()
        assert count * least < found < count * (least + 20)


def test_a_packet_that_was_wrong_before_comes_out_so() -> None:
    net = network()
    traffic = Traffic(net, 0.002, 1000)
    two_hops = (traffic.destination - traffic.source) % 5 == 2
    traffic.kind[:] = np.where(np.arange(len(two_hops)) == two_hops.argmax(), POISONED, WELL_FORMED)
    record = started(traffic).record(3000)
    out = record.terminals["data"][record.terminals["valid"] > 0]
    assert sorted((out >> 16).tolist())[-2:] == [0, 0xFFFF]
    errors = record.links["errors"][-1].tolist()
    assert sorted(errors) == [0] * 8 + [BAD_PACKET] * 2  # at both hops


SERIAL: dict[str, Any] = {"kind": "os-link", "clocks_per_bit": 4, "timeout": 64, "longest": 20}
BOTH_FORMS: dict[str, dict[str, Any]] = {
    "links": {"link": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12}},
    "terminals": {"link": {"kind": "flit"}, "terminal": SERIAL},
    "both": {"link": {"kind": "os-link", "acknowledge": "late"}, "terminal": SERIAL},
    "axi": {"link": {"kind": "os-link"}, "terminal": {"kind": "axi-stream", "timeout": 200}},
}


@pytest.mark.regress
@pytest.mark.parametrize("case", BOTH_FORMS)
def test_both_forms_are_equal_in_every_cycle(case: str) -> None:
    net = build(RING | BOTH_FORMS[case])
    traffic = Traffic(net, 0.05, 1500, lengths=(1, 4), malformed=0.3)
    forms = [started(traffic, stall=0.3, compiled=compiled) for compiled in (True, False)]
    for _ in range(6):
        mine, its = (form.record(500) for form in forms)
        assert differences(mine, its) == []
    assert forms[0].runs[0].received.sum() > 10


def differences(mine: Record, its: Record) -> list[str]:
    """Return the columns in which two records differ."""
    assert mine.first == its.first
    pairs = zip(mine[1:], its[1:], strict=True)
    return [name for a, b in pairs for name in a if not np.array_equal(a[name], b[name])]


def test_goes_on_where_it_was_saved(tmp_path: Any) -> None:
    """In the middle of bytes, and with flits on the links."""
    traffic = Traffic(network(), 0.02, 1500, lengths=(1, 4), malformed=0.1)
    first, again = (started(traffic, stall=0.3) for _ in range(2))
    first.run(601)
    assert first.runs[0].flits > 5
    first.save(tmp_path / "state.npz")
    again.load(tmp_path / "state.npz")
    assert differences(first.record(300), again.record(300)) == []
