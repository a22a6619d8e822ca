"""The model of a network across OS-Links: what must be true of it, whatever the clock."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.link.cell_link import OsLinks
from fingerpost.golden.link.packets import check_windows, decode
from fingerpost.golden.model import CreditTerminalModel, Flits, Model, Traffic, cycle
from fingerpost.golden.network.network import Network, build
from tests.golden.model.networks import packet
from tests.testbench.faults.networks import RING


def network(**link: Any) -> Network:
    return build(RING | {"link": {"kind": "os-link", **link}})


def os_links(model: Model) -> OsLinks:
    assert isinstance(model.links, OsLinks)
    return model.links


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
    terminals, model = CreditTerminalModel(traffic, stall=0.3), Model(net)
    links = os_links(model)
    waves, longest, now = [], 0, 0
    while not terminals.empty and now < 30_000:
        cycle(model, terminals, now)
        waves.append(links.wires.copy())
        longest = max(longest, int(links.ports.level.max()))
        now += 1
        if now == traffic.cycles:
            terminals.stop()
    assert terminals.missing == "none is missing"
    assert not terminals.faults
    assert terminals.expected.sum() > 10
    # Nothing waits in a receiver: a router never withholds an acknowledge.
    assert longest == 1
    # Poisoned packets are all that the links found wrong.
    bad_packet = 1 << 6
    assert set(links.errors.tolist()) <= {0, bad_packet}

    # What is on the wires, decoded from the waveforms alone: a wire and its partner in halves.
    partner, rows = links.partner, np.arange(len(links.places))
    order = np.concatenate([rows[rows < partner], partner[rows < partner]])
    wave, n = np.array(waves)[:, order], links.ports.parameters.clocks_per_bit
    packets = decode(wave, np.full(len(order), len(wave)), n)
    assert len(packets.start) > 500
    check_windows(packets, packets.start / n, len(order), 1.5, complete=False)


def test_a_flit_takes_the_time_of_its_bytes() -> None:
    net = network(clocks_per_bit=5)
    model, idle = Model(net), np.empty(0, np.int64)
    (flit,) = packet(net, 0, 1, 1)
    for _ in range(300):  # the hold-off after the reset is over
        model.step(Flits.empty(), idle)
    model.step(flit, idle)
    clocks = 0
    while not len(model.ejected.port_index):
        model.step(Flits.empty(), idle)
        clocks += 1
        assert clocks < 1000
    assert model.ejected.port_index.tolist() == [1 * model.ports + model.local]
    assert model.ejected.tag.tolist() == [1]
    # docs/design/os-link-internals.md: (B - 1) P + s bit times, P = 11, s = 11.2; B = 5. And
    # some clocks in two routers, and for the byte that is ready to be sent.
    least = 5 * (4 * 11 + 11.2)
    assert least < clocks < least + 20


def test_a_packet_that_was_wrong_before_comes_out_so() -> None:
    net = network()
    model, idle = Model(net), np.empty(0, np.int64)
    (flit,) = packet(net, 0, 2, 1)
    model.step(flit._replace(data=flit.data | 1 << 20), idle)  # its status
    for _ in range(3000):
        model.step(Flits.empty(), idle)
        if len(model.ejected.port_index):
            assert model.ejected.data[0] >> 16 == 0xFFFF
            break
    else:
        pytest.fail("it did not come out")
    assert sorted(os_links(model).errors.tolist()) == [0] * 8 + [1 << 6] * 2  # at both hops
