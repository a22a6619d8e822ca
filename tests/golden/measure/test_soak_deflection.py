"""A soak of deflection routers finds what is lost, doubled, misplaced or miscounted."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.measure.soak import Soak, SoakError
from tests.golden.measure.test_soak import spoilt
from tests.golden.test_axi_stream import streams
from tests.networks import TOPOLOGIES, deflection


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_flit_of_a_sound_network_is_accounted_for(name: str) -> None:
    network = deflection(name)
    totals = Soak(network, packets=1500, malformed=0.2, seed=3).piece(0)
    assert totals.packets == totals.flits == totals.delivered + totals.drained
    assert totals.packets == pytest.approx(1500, rel=0.3)
    assert totals.errors == totals.drained
    assert totals.drained > 50 or network.all_known
    assert totals.longest_time > network.hop_cycles * network.destinations.diameter


# What is done to the compiled model; each returns whether it found something to do it to.


def on_links(model: Deflection) -> Any:
    return model.arrays.routers.links[0, model.runs[0].now & 1]


def carried(model: Deflection) -> list[int]:
    """Return the slots whose links have a flit in this cycle; of streams, one of a packet."""
    now, entrance = on_links(model), model.arrays.entrance
    found: list[int] = np.flatnonzero(now["valid"]).tolist()
    if not entrance:
        return found
    return [slot for slot in found if entrance.flits["tag"][0][now["tag"][slot]] >= 0]


def lose(model: Deflection) -> bool:
    found = carried(model)
    if found:
        on_links(model)["valid"][found[0]] = False
    return bool(found)


def misplace(model: Deflection) -> bool:
    if not model.arrays.clock["ejected"][0, 0]:
        return False
    out = model.arrays.routers.ejected["node"]
    out[0, 0] = (out[0, 0] + 1) % model.config.nodes
    return True


def miscount(model: Deflection) -> bool:
    model.arrays.routers.errors[0, 5] += 1
    return True


def mix(model: Deflection) -> bool:
    """Let two beats, of different packets, change places on their links."""
    found, rows = carried(model), on_links(model)["tag"]
    packets = model.arrays.entrance.flits["tag"][0][rows[found]]
    others: list[int] = np.flatnonzero(packets != packets[:1]).tolist()
    if others:
        pair = [found[0], found[others[0]]]
        rows[pair] = rows[pair[::-1]]
    return bool(others)


SINGLE: dict[str, Any] = {"packets": 4500, "malformed": 0.01}
BEATS: dict[str, Any] = {"packets": 500}


@pytest.mark.parametrize(
    ("given", "spoil", "found"),
    [
        (SINGLE, lose, r": nothing has moved since cycle \d+: 0 flits inside, 1 packet missing"),
        (SINGLE, misplace, r", node \d+: packet \d+, from \d+ to \d+, out of place"),
        (SINGLE, miscount, r": \d+ errors were counted at node 5, not"),
        (BEATS, mix, r", node \d+: beat \d of packet \d+, from \d+ to \d+, out of place"),
    ],
)
def test_what_goes_wrong_is_found(
    given: dict[str, Any], spoil: Callable[[Deflection], bool], found: str
) -> None:
    single = given is SINGLE
    network = deflection("borel") if single else streams("uneven", packet_limit=4)
    soak = Soak(network, **given, make=spoilt(spoil, Deflection, plain=not single))
    with pytest.raises(SoakError, match=rf"^{network.name}, seed 0, piece 7, cycle \d+{found}"):
        soak.piece(7)


def test_every_beat_is_accounted_for() -> None:
    """Users stall and pause; some send too long packets, and packets to no terminal."""
    given = {"packets": 500, "malformed": 0.2, "stall": 0.3, "seed": 3}
    network, make = streams("uneven", packet_limit=4), partial(Deflection, plain=True)
    soak = Soak(network, **given, make=make)  # type: ignore[arg-type]
    totals = soak.piece(0)
    assert soak.in_order
    assert totals.flits == totals.delivered + totals.drained > 2.5 * totals.packets
    assert totals.drained > 150
    assert not totals.errors
