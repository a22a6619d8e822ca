"""Message classes, and terminals that stop reading: what routes through them waits, no other."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import Engine, engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import BOREL, arriving, built
from tests.quick import only

CASES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "one channel": ({"family": "grid", "sizes": [2, 3]}, "dimension-order", {"classes": 2}),
    "rings": ({"family": "grid", "sizes": [5, 3], "wrap": True}, "dimension-order", {"classes": 3}),
    "increments": (BOREL, "two-phase", {"classes": 2}),
    "lanes": (BOREL, "two-phase", {"classes": 2, "virtual_channels": 3}),
    "many lanes": (BOREL, "two-phase", {"classes": 2, "virtual_channels": 5}),
    "shallow": (BOREL, "vertex-transitive", {"classes": 4, "buffer_depth": 1}),
    "free links": (BOREL, "adaptive", {"classes": 2, "bypass_limit": 2}),
    "chance": ({"family": "star", "n": 4}, "random", {"classes": 2, "routing_register": True}),
    "leaves": ({"family": "kyklos", "m": 2, "r": 2, "n": 4}, "m", {"classes": 2}),
}


DEAF = 1 << 20
"""A channel of a terminal whose backlog is less by so much returns no credit."""


def of(case: str) -> Network:
    topology, algorithm, router = CASES[case]
    return built(topology, algorithm, **router)


def deafen(model: Engine, channels: IntArray, *, deaf: bool = True) -> None:
    """Let some channels of terminals return no credit; or let them return credits again."""
    assert isinstance(model, Wormhole)
    of_run(model.arrays, 0).terminals.backlog[channels] -= DEAF if deaf else -DEAF


@pytest.mark.parametrize("case", only(["rings", "lanes", "leaves"], CASES))
def test_a_class_that_is_not_taken_stops_no_other(case: str) -> None:
    """Terminals take class 0 until their buffers are full; each class is on its channels."""
    network = of(case)
    traffic = Traffic(network, 0.5, 300, seed=1, lengths=(1, 4))
    model = engine(network, [traffic], stall=0.1)
    assert isinstance(model, Wormhole)
    deafen(model, np.arange(0, network.topology.nodes * network.classes, network.classes))
    for _ in range(1000):
        model.run(1)
        place, flits = arriving(model)
        flits = flits[place % model.config.ports < model.config.local]
        of_channel = flits["channel"] // network.channels_per_class
        assert (of_channel == traffic.message_class[flits["tag"]]).all()
    ends, others = model.runs[0], traffic.message_class > 0
    assert ends.faults == []
    assert (ends.delivered[others] >= 0).all()
    assert (ends.delivered[~others] < 0).any()


def test_shares_of_classes_are_those_that_are_asked_for() -> None:
    net = of("rings")
    traffic = Traffic(net, 0.5, 4000, classes=(3, 0, 1))
    found = np.bincount(traffic.message_class, minlength=3) / len(traffic.source)
    assert found == pytest.approx([0.75, 0, 0.25], abs=0.02)
    assert (np.diff(traffic.terminal_channel) >= 0).all()


@pytest.mark.parametrize("shares", [(1.0,), (1, -1, 1), (0, 0, 0)])
def test_refuses_other_shares(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^Traffic needs a share for each message class"):
        Traffic(of("rings"), 0.5, 10, classes=shares)


def test_channels_and_proof_are_those_of_one_class() -> None:
    one, two = (built(BOREL, "two-phase", classes=n) for n in (1, 2))
    assert (one.virtual_channels, two.virtual_channels, two.channels_per_class) == (2, 4, 2)
    assert two.lanes.next_vc.tolist() == [1, 1, 3, 3]
    assert one.in_order
    assert two.in_order
    assert two.assumption.endswith("of class c without waiting to send packets of a class <= c")
    assert one.assumption.endswith("takes arriving packets without waiting to send")
