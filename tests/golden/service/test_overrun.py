"""A terminal that sends without credit: it may lose its own packets only."""

from collections.abc import Iterator

import numpy as np
import pytest

from fingerpost.golden.model import CreditTerminalModel, Flits, Model, Traffic
from fingerpost.golden.network.network import Network
from tests.golden.model.networks import packet
from tests.networks import load


def rogue(network: Network, node: int, length: int, seed: int) -> Iterator[Flits]:
    """Yield flits of packets to other terminals, one behind the other, with a negative tag."""
    rng, terminals = np.random.default_rng(seed), network.topology.terminals
    while True:
        goal = int(rng.choice(terminals[terminals != node]))
        for flit in packet(network, node, goal, length):
            yield flit._replace(tag=np.array([-1]))


def cycle(model: Model, terminals: CreditTerminalModel, number: int, more: Flits) -> None:
    """Run one cycle in which a rogue sends besides; all terminals read at once."""
    terminals.credit(model.injection_credit)
    out = model.ejected
    known = Flits._make(column[out.tag >= 0] for column in out)
    terminals.receive(known, number)
    sent = terminals.send(number)
    joined = Flits._make(np.concatenate(pair) for pair in zip(sent, more, strict=True))
    model.step(joined, out.port_index // model.ports)


@pytest.mark.regress
@pytest.mark.parametrize("length", [3, 1])
@pytest.mark.parametrize("name", ["borel-21", "rotator-4", "petersen", "scc-4"])
def test_sending_without_credit_harms_nobody_else(name: str, length: int) -> None:
    net, busy, node = load(name), 600, 5
    traffic = Traffic(net, 0.3, busy, seed=length, lengths=(1, 4))
    model, terminals = Model(net), CreditTerminalModel(traffic)
    # The rogue has nothing else to send.
    terminals.end[node] = terminals.packet[node]
    others = traffic.source != node
    flits = rogue(net, node, length, seed=1)
    for now in range(busy):
        cycle(model, terminals, now, next(flits))
    # A packet of its own that has lost its tail holds the way until the next one ends.
    flits = rogue(net, node, 1, seed=2)
    for now in range(busy, 4 * busy):
        slow = now % 60 == 0 and now < 2 * busy
        cycle(model, terminals, now, next(flits) if slow else Flits.empty())
    assert terminals.faults == []
    late = np.flatnonzero(others & (terminals.delivered < 0))
    assert not len(late), f"{len(late)} of {others.sum()} packets of others are missing"
    assert model.overruns[node] > 0
    assert not np.delete(model.overruns, node).any()
    assert length > 1 or not model.errors.any()
