"""A soak of deflection routers finds what is lost, doubled, misplaced or miscounted."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fingerpost.golden.compiled.deflection.engine import CompiledDeflection
from fingerpost.golden.measure.soak import Soak, SoakError
from fingerpost.golden.network.deflection import DeflectionNetwork
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


def spoilt(
    spoil: Callable[[CompiledDeflection], bool],
) -> Callable[..., CompiledDeflection]:
    """Return what makes models to which something is done once, after 200 cycles."""

    class Spoilt(CompiledDeflection):
        done = False

        def run(self, cycles: int, *, until_delivered: bool = False) -> None:
            for _ in range(cycles):
                super().run(1)
                self.done = self.done or (self.runs[0].now >= 200 and spoil(self))

    def make(
        network: DeflectionNetwork, traffics: Sequence[Traffic], *, stall: float
    ) -> CompiledDeflection:
        return Spoilt(network, traffics, stall=stall)

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
