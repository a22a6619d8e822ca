"""A soak finds what is lost, doubled, misplaced or stuck, and goes on from where it was."""

import pickle
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from fingerpost.netfile import load
from golden.compiled import engine
from golden.compiled.reference import Reference, ReferenceRun
from golden.measure.account import Account, wrong_way
from golden.measure.soak import Soak, SoakError
from golden.measure.state import StateError, dump, restore
from golden.network import Network
from golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED, Traffic
from tests.fingerpost.common import NETWORKS
from tests.golden.model.networks import borel21


def network(name: str) -> Network:
    return load(NETWORKS / f"{name}.yaml")


def spoilt(spoil: Callable[[ReferenceRun], None]) -> Any:
    """Return what makes runs that something is done to in every cycle from 200 on."""

    class Spoilt(ReferenceRun):
        kept = None

        def step(self) -> Any:
            if self.now >= 200:
                spoil(self)
            return super().step()

    def make(network: Network, traffics: Sequence[Traffic], *, stall: float) -> Reference:
        made = Reference(network, [])
        made.runs = [Spoilt(network, traffic, stall=stall) for traffic in traffics]
        return made

    return make


def until(soak: Soak, rounds: int) -> None:
    while soak.totals.rounds < rounds:
        soak.advance()


@pytest.mark.parametrize(
    "name", ["borel-21", "borel-21-adaptive", "hypercube-6", "kyklos-2-2-4", "scc-4"]
)
def test_every_flit_of_a_sound_network_is_accounted_for(name: str) -> None:
    soak = Soak(network(name), packets=1500, malformed=0.2, seed=3)
    until(soak, 2)
    totals = soak.totals
    assert totals.packets == pytest.approx(3000, rel=0.3)
    assert totals.flits == totals.delivered + totals.drained
    assert 0.02 < totals.drained / totals.flits < 0.2
    assert 0 < totals.errors <= totals.drained + totals.packets


def test_network_across_os_links_is_soaked_too() -> None:
    soak = Soak(
        network("borel-21-os-link"), packets=10, load=0.02, arrivals="bernoulli", malformed=0.2
    )
    until(soak, 1)
    assert soak.engine.name == "reference"
    assert soak.totals.flits > 10


def lose(run: ReferenceRun) -> None:
    """Take a flit that is not a tail off a link."""
    link = run.model.link
    run.model.link = link.some(~((np.arange(len(link.place)) == 0) & ~link.tail & ~link.head))


def double(run: Any) -> None:
    """Let a flit come out once more when nothing else does there."""
    out, old = run.model.ejected, run.kept
    if old is None:
        run.kept = out.some(np.arange(len(out.place)) < 1) if len(out.place) else None
    elif old.place[0] not in out.place:
        pairs = zip(out, old, strict=True)
        run.model.ejected = type(out)(*(np.concatenate(pair) for pair in pairs))
        run.kept = None


def misplace(run: ReferenceRun) -> None:
    out = run.model.ejected
    place = (out.place + run.model.ports) % (run.model.nodes * run.model.ports)
    run.model.ejected = out._replace(place=place)


def miscount(run: ReferenceRun) -> None:
    run.model.errors[5] = 9


def hold(run: ReferenceRun) -> None:
    """No terminal gets a credit any more."""
    run.model.credit = run.model.credit[:0]


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lose, "out of place|nothing has moved|flits came out at node"),
        (double, "out of place|flits came out at node"),
        (misplace, "out of place"),
        (miscount, "9 errors were counted at node 5, not"),
        (hold, r"nothing has moved since cycle \d+, and \d+ flits inside"),
    ],
)
def test_what_goes_wrong_is_found(spoil: Callable[[ReferenceRun], None], found: str) -> None:
    soak = Soak(borel21(), packets=1500, malformed=0.01, make=spoilt(spoil))
    with pytest.raises(SoakError, match=rf"^borel-21, seed 0, round 0, cycle \d+: .*({found})"):
        until(soak, 1)


def test_same_packets_from_the_same_seed_and_others_in_each_round() -> None:
    one, two, other = (Soak(borel21(), packets=300, seed=seed) for seed in (1, 1, 2))
    assert one.traffic.salt.tolist() == two.traffic.salt.tolist()
    assert one.traffic.salt.tolist() != other.traffic.salt.tolist()
    until(one, 1)
    assert one.traffic.salt.tolist() != two.traffic.salt.tolist()


@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_goes_on_from_its_state(name: str) -> None:
    def soak() -> Soak:
        make = partial(engine, compiled=name == "compiled")
        return Soak(network("borel-21-adaptive"), packets=2500, seed=5, make=make)

    whole = soak()
    until(whole, 2)
    begun = soak()
    while begun.totals.rounds < 1 or begun.engine.runs[0].now < 500:
        begun.advance()
    assert begun.engine.name == name
    state = {key: np.array(each) for key, each in begun.state().items()}
    for _ in range(3):
        begun.advance()  # what is kept does not change any more
    again = soak()
    again.restore(state)
    assert again.engine.runs[0].now == int(state["now"])
    until(again, 2)
    assert again.totals == whole.totals


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"malformed": 1.5}, "Soak needs a malformed share in 0..1, not 1.5"),
        ({"stall": 1.0}, "Soak needs a stall of at least 0 and below 1, not 1"),
        ({"load": 0.0}, "Traffic needs a load above 0 and up to "),
    ],
)
def test_refuses_arguments(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        Soak(borel21(), **given)  # type: ignore[arg-type]


# The account.


def test_header_of_ones_is_a_node_only_where_there_are_as_many() -> None:
    assert set(wrong_way(network("hypercube-6")).tolist()) == {63}
    assert set(wrong_way(borel21()).tolist()) == {-1}


def test_account_by_hand() -> None:
    traffic = Traffic(borel21(), 0.5, 60, lengths=3, seed=1)
    traffic.kind[:] = WELL_FORMED
    one = np.flatnonzero(traffic.source == 4)[:6]
    traffic.kind[one] = [NO_TAIL, NO_HEAD, NO_HEAD, BAD_HEADER, NO_TAIL, WELL_FORMED]
    account = Account.of(traffic, wrong_way(borel21()))
    goal = traffic.destination
    expected = np.bincount(np.delete(goal, one), minlength=21) * 3
    expected[goal[one[0]]] += 6  # with the next one, whose tail ends it
    expected[goal[one[4]]] += 6
    assert account.received.tolist() == expected.tolist()
    # Three flits outside a packet, a bad header, and a head inside a packet.
    assert account.errors.tolist() == [3 + 1 + 1 if node == 4 else 0 for node in range(21)]
    assert account.sent == 3 * len(traffic.source)


# The state.


def test_state_keeps_what_two_names_share() -> None:
    shared = np.arange(3)
    both = {"one": shared, "two": shared, "rng": np.random.default_rng(3)}
    fixed = {"network": borel21()}
    again = restore(dump(both | {"net": fixed["network"]}, fixed), fixed)
    again["one"][0] = 7
    assert again["two"][0] == 7
    assert again["net"] is fixed["network"]
    assert again["rng"].random() == np.random.default_rng(3).random()


class Malice:
    def __reduce__(self) -> tuple[object, ...]:
        return print, ("harm",)


def test_state_that_does_anything_else_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StateError, match=r"^State needs arrays .*, not builtins\.print$"):
        restore(pickle.dumps(Malice()), {})
    dotted = b"\x80\x04\x8c\x12golden.model.model\x8c\x06np.sum\x93."
    with pytest.raises(StateError, match=r"not golden\.model\.model\.np\.sum$"):
        restore(dotted, {})
    with pytest.raises(StateError, match=r"^State cannot be read: "):
        restore(b"torn", {})
    assert capsys.readouterr().out == ""
