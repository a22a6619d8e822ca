"""A soak of deflection routers finds what is lost, doubled, misplaced or miscounted."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.compiled.deflection.engine import CompiledDeflection
from fingerpost.golden.measure.soak import Soak, SoakError
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.traffic import Traffic
from tests.golden.deflection.examples import TOPOLOGIES, deflection


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


def links(model: CompiledDeflection, *, full: bool) -> list[int]:
    """Return the slots whose links have a flit in this cycle, or none."""
    found = model.arrays.routers.links[0, model.runs[0].now & 1]["valid"] == full
    slots: list[int] = np.flatnonzero(found).tolist()
    return slots


def lose(model: CompiledDeflection) -> bool:
    found = links(model, full=True)
    if found:
        model.arrays.routers.links["valid"][0, model.runs[0].now & 1, found[0]] = False
    return bool(found)


def double(model: CompiledDeflection) -> bool:
    found = links(model, full=True)[:1], links(model, full=False)[:1]
    if all(found):
        now = model.arrays.routers.links[0, model.runs[0].now & 1]
        now[found[1]] = now[found[0]]
    return all(found)


def misplace(model: CompiledDeflection) -> bool:
    if not model.arrays.clock["ejected"][0, 0]:
        return False
    out = model.arrays.routers.ejected["node"]
    out[0, 0] = (out[0, 0] + 1) % model.config.nodes
    return True


def miscount(model: CompiledDeflection) -> bool:
    model.arrays.routers.errors[0, 5] += 1
    return True


def spoilt(spoil: Callable[[CompiledDeflection], bool]) -> Callable[..., CompiledDeflection]:
    """Return what makes models to which something is done once, after 200 cycles."""

    class Spoilt(CompiledDeflection):
        done = False

        def run(self, cycles: int, *, until_delivered: bool = False) -> None:
            for _ in range(cycles):
                super().run(1)
                self.done = self.done or (self.runs[0].now >= 200 and spoil(self))

    def make(
        network: DeflectionNetwork, traffics: Sequence[Traffic], **options: Any
    ) -> CompiledDeflection:
        return Spoilt(network, traffics, **options)

    return make


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lose, r": nothing has moved since cycle \d+: 0 flits inside, 1 packet missing"),
        (double, r", node \d+: packet \d+, from \d+ to \d+, out of place"),
        (misplace, r", node \d+: packet \d+, from \d+ to \d+, out of place"),
        (miscount, r": \d+ errors were counted at node 5, not"),
    ],
)
def test_what_goes_wrong_is_found(spoil: Callable[[CompiledDeflection], bool], found: str) -> None:
    soak = Soak(deflection("borel"), packets=4500, malformed=0.01, make=spoilt(spoil))
    with pytest.raises(SoakError, match=rf"^borel, seed 0, piece 7, cycle \d+{found}"):
        soak.piece(7)


# With AXI4-Stream terminals, that put packets of several beats together again.


def streams() -> DeflectionNetwork:
    terminal = {"kind": "axi-stream", "flow_control": "end-to-end", "packet_limit": 4}
    return build_deflection(
        {
            "name": "streams",
            "topology": TOPOLOGIES["borel"],
            "router": {"kind": "deflection"},
            "terminal": terminal,
        }
    )


def beats(model: CompiledDeflection) -> list[int]:
    """Return the slots of beats on links in this cycle: flits that belong to a packet."""
    now = model.arrays.routers.links[0, model.runs[0].now & 1]
    flits = model.arrays.entrance.flits["tag"][0]
    return [slot for slot in links(model, full=True) if flits[now["tag"][slot]] >= 0]


def lose_beat(model: CompiledDeflection) -> bool:
    found = beats(model)
    if found:
        model.arrays.routers.links["valid"][0, model.runs[0].now & 1, found[0]] = False
    return bool(found)


def double_beat(model: CompiledDeflection) -> bool:
    found = beats(model)[:1], links(model, full=False)[:1]
    if all(found):
        now, flits = model.arrays.routers.links[0, model.runs[0].now & 1], model.arrays.entrance
        model.arrays.clock["free"][0, 0] -= 1
        row = flits.free[0, model.arrays.clock["free"][0, 0]]
        flits.flits[0, row] = flits.flits[0, now["tag"][found[0]][0]]
        now[found[1]] = now[found[0]]
        now["tag"][found[1]] = row
    return all(found)


def mix(model: CompiledDeflection) -> bool:
    """Let two beats, of different packets, change places on their links."""
    found = beats(model)
    rows = model.arrays.routers.links["tag"][0, model.runs[0].now & 1]
    packets = model.arrays.entrance.flits["tag"][0][rows[found]]
    others: list[int] = np.flatnonzero(packets != packets[:1]).tolist()
    if others:
        pair = [found[0], found[others[0]]]
        rows[pair] = rows[pair[::-1]]
    return bool(others)


def test_every_beat_is_accounted_for() -> None:
    """Users stall and pause; some send too long packets, and packets to no terminal."""
    soak = Soak(streams(), packets=1500, malformed=0.2, stall=0.3, seed=3)
    totals = soak.piece(0)
    assert soak.in_order
    assert totals.flits == totals.delivered + totals.drained > 2.5 * totals.packets
    assert totals.drained > 500
    assert not totals.errors


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lose_beat, r": nothing has moved since cycle \d+: 0 flits inside, \d+ packets missing"),
        # It goes into the place of the first one, and the count of what is stored stays.
        (double_beat, r": nothing has moved since cycle \d+: 0 flits inside, 0 packets missing"),
        (mix, r", node \d+: beat \d of packet \d+, from \d+ to \d+, out of place"),
    ],
)
def test_what_goes_wrong_with_a_beat_is_found(
    spoil: Callable[[CompiledDeflection], bool], found: str
) -> None:
    soak = Soak(streams(), packets=1500, make=spoilt(spoil))
    with pytest.raises(SoakError, match=rf"^streams, seed 0, piece 7, cycle \d+{found}"):
        soak.piece(7)
