"""A terminal that sends without credit: it may lose its own packets only."""

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import LATE
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic
from tests.networks import load

COLUMNS = "source", "message_class", "destination", "time", "length", "kind", "salt"


def with_rogue(network: Network, node: int, length: int, cycles: int) -> Traffic:
    """Return traffic in which a node has a flit for every cycle, of packets to all others."""
    traffic = Traffic(network, 0.3, cycles, seed=length, lengths=(1, 4))
    rogue = Traffic(network, 1.0, 2 * cycles, seed=1, lengths=length)
    rogue.time[:] = 0
    kept, own = traffic.source != node, rogue.source == node
    source = np.concatenate([traffic.source[kept], rogue.source[own]])
    order = np.argsort(source, kind="stable")
    for name in COLUMNS:
        column = np.concatenate([getattr(traffic, name)[kept], getattr(rogue, name)[own]])
        setattr(traffic, name, column[order])
    return traffic


@pytest.mark.regress
@pytest.mark.parametrize("length", [3, 1])
@pytest.mark.parametrize("name", ["borel-21", "rotator-4", "petersen", "scc-4"])
def test_sending_without_credit_harms_nobody_else(name: str, length: int) -> None:
    net, busy, node = load(name), 600, 5
    traffic = with_rogue(net, node, length, busy)
    model = engine(net, [traffic])
    assert isinstance(model, Wormhole)
    run, terminals = model.runs[0], of_run(model.arrays, 0).terminals
    others = traffic.source != node
    # The rogue believes that it always has a credit; what it loses is no fault of the network.
    terminals.credits[node] = 1 << 20
    model.packets["expected"] = others
    model.run(busy)
    # A packet of its own that has lost its tail holds the way until the next one ends.
    for now in range(busy, 2 * busy):
        terminals.due[node] = LATE if now % 60 else 0
        model.run(1)
    terminals.due[node] = LATE
    model.run(2 * busy)
    assert terminals.packet[node] < terminals.end[node]
    assert run.faults == []
    late = np.flatnonzero(others & (run.delivered < 0))
    assert not len(late), f"{len(late)} of {others.sum()} packets of others are missing"
    assert run.overruns[node] > 0
    assert not np.delete(run.overruns, node).any()
    assert length > 1 or not run.errors.any()
