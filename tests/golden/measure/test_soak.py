"""A soak finds what is lost, doubled, misplaced, swapped or stuck."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from fingerpost.golden.engine.axi_start import AxiRun
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.measure.soak import Account, Soak, SoakError, wrong_way
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED, Traffic
from tests.networks import borel21, load


@pytest.mark.parametrize(
    "name",
    ["borel-21", "borel-21-adaptive", "hypercube-6", "kyklos-2-2-4", "scc-4", "mesh-4x4-classes"],
)
def test_every_flit_of_a_sound_network_is_accounted_for(name: str) -> None:
    soak = Soak(load(name), packets=1500, malformed=0.2, seed=3)
    totals = soak.piece(0) + soak.piece(1)
    assert totals.packets == pytest.approx(3000, rel=0.3)
    assert totals.flits == pytest.approx(2 * soak.flits, rel=0.3)
    assert totals.flits == totals.delivered + totals.drained
    assert 0.02 < totals.drained / totals.flits < 0.2
    assert 0 < totals.errors <= totals.drained + totals.packets


def test_every_beat_of_flow_control_is_accounted_for(monkeypatch: pytest.MonkeyPatch) -> None:
    soak = Soak(load("mesh-4x4-flow"), packets=800, malformed=0.2, lengths="1..70", seed=3)
    totals = soak.piece(0)
    assert totals.flits == totals.delivered + totals.drained
    assert 0 < totals.drained / totals.flits < 0.25  # packets above the limit are dropped whole
    assert totals.errors == 0
    beats: Callable[[AxiRun], Any] = vars(AxiRun)["beats"].fget
    monkeypatch.setattr(AxiRun, "beats", property(lambda run: beats(run) - (beats(run) == 7)))
    with pytest.raises(SoakError, match=r"flits came out at node \d+, not"):
        soak.piece(0)


@pytest.mark.regress
def test_network_across_os_links_is_soaked_too() -> None:
    soak = Soak(
        load("borel-21-os-link"), packets=10, load=0.02, arrivals="bernoulli", malformed=0.2
    )
    assert soak.piece(0).flits > 10


# What is done to the compiled model; each returns whether it found something to do it to.


class Arriving(NamedTuple):
    """What arrives next: flits by the port index of an input, and masks of ports by node."""

    flits: Any
    arriving: Any


def slot(model: Wormhole, wait: int = 0) -> Arriving:
    """Return what arrives so many cycles later."""
    in_flight = of_run(model.arrays, 0).in_flight
    at = (model.runs[0].now + wait) % len(in_flight.flits)
    return Arriving(in_flight.flits[at], in_flight.arriving[at, 0])


def moving(model: Wormhole, *, out: bool) -> list[int]:
    """Return the places of what arrives next, at terminals or at routers, of sound packets."""
    flits, arriving = slot(model)
    ports = model.config.ports
    valid = (arriving[:, None] >> np.arange(ports) & 1).ravel() > 0
    sound = model.arrays.packets["expected"][flits["tag"]] & (flits["tag"] >= 0)
    local = np.arange(len(flits)) % ports == model.config.local
    return np.flatnonzero(valid & sound & (local == out)).tolist()


def take(model: Wormhole, place: int) -> Any:
    """Take a flit away."""
    flits, arriving = slot(model)
    node, port = divmod(place, model.config.ports)
    arriving[node] &= ~(1 << port)
    return flits[place].copy()


def put(model: Wormhole, place: int, flit: Any, wait: int = 0) -> bool:
    """Put a flit where there is none; return whether that was so."""
    flits, arriving = slot(model, wait)
    node, port = divmod(place, model.config.ports)
    if arriving[node] >> port & 1:
        return False
    arriving[node] |= 1 << port
    flits[place] = flit
    return True


def lose(model: Wormhole) -> bool:
    """Take a packet of one flit off a link."""
    found = moving(model, out=False)
    if found:
        take(model, found[0])
    return bool(found)


def misplace(model: Wormhole) -> bool:
    """Let a flit come out at another node."""
    config = model.config
    for place in moving(model, out=True):
        other = (place + config.ports) % (config.nodes * config.ports)
        if put(model, other, slot(model).flits[place]):
            take(model, place)
            return True
    return False


def swap(model: Wormhole) -> bool:
    """Swap the second and the third flit of a packet that waits in a queue."""
    config, routers = model.config, model.arrays.routers
    for number in np.flatnonzero(routers.vc_buffer["level"][0] >= 3):
        node, queue = divmod(number, config.queues)
        read_ptr, depth = routers.vc_buffer["read_ptr"][0, number], config.depths[queue]
        place = (read_ptr + np.arange(3)) % depth
        rows = (place * config.nodes + node) * config.used_queues + queue
        tags = routers.row["tag"][0, rows]
        if tags[0] >= 0 and (tags == tags[0]).all() and model.arrays.packets["expected"][tags[0]]:
            data = routers.row["data"][0]
            data[rows[1:]] = data[rows[:0:-1]]
            return True
    return False


def miscount(model: Wormhole) -> bool:
    model.arrays.routers.errors[0, 5] += 1
    return True


def spoilt(spoil: Callable[[Any], bool], kind: Any = Wormhole, **given: Any) -> Any:
    """Return models to which something is done once, after 200 cycles."""

    class Spoilt(kind):
        done = False

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options, **given)

        def run(self, cycles: int, *, until_delivered: bool = False) -> None:
            for _ in range(cycles):
                super().run(1)
                self.done = self.done or (self.runs[0].now >= 200 and spoil(self))

    return Spoilt


@pytest.mark.parametrize(
    ("spoil", "lengths", "found"),
    [
        (lose, "1", r"nothing has moved since cycle \d+: 0 flits inside, 1 packet missing"),
        (misplace, "1..5", "node .*: flit .* out of place"),
        (swap, "5", r"node .*: flit 1 of packet \d+, .* out of place"),
        (miscount, "1..5", r"\d+ errors were counted at node 5, not"),
    ],
)
def test_what_goes_wrong_is_found(
    spoil: Callable[[Wormhole], bool], lengths: str, found: str
) -> None:
    soak = Soak(borel21(), packets=4500, malformed=0.01, lengths=lengths, make=spoilt(spoil))
    with pytest.raises(SoakError, match=rf"^borel-21, seed 0, piece 7, cycle \d+[:,] {found}"):
        soak.piece(7)


def test_packet_that_comes_late_is_found_where_order_is_promised() -> None:
    """A packet of one flit waits in front of its terminal while others pass."""
    held: list[Any] = []

    def delay(model: Wormhole) -> bool:
        found = moving(model, out=True)
        if not held:
            held.extend((place, take(model, place)) for place in found[:1])
            return False
        return model.runs[0].now >= 300 and put(model, *held[0])

    given: dict[str, Any] = {"packets": 6000, "malformed": 0.0, "lengths": 1, "pattern": "tornado"}
    for each in (borel21(), load("borel-21-adaptive")):
        held.clear()
        soak = Soak(each, **given, make=spoilt(delay))
        if not each.in_order:
            assert soak.piece(0).flits > 1000
            continue
        with pytest.raises(
            SoakError, match=r"node \d+: packet \d+ of node \d+ overtook packet \d+$"
        ):
            soak.piece(0)


def test_same_packets_from_the_same_seed_and_others_in_each_piece_and_run() -> None:
    seen: list[list[list[int]]] = []

    class Kept(Wormhole):
        def __init__(self, network: Any, traffics: Sequence[Traffic], **options: Any) -> None:
            seen.append([traffic.salt.tolist() for traffic in traffics])
            super().__init__(network, traffics, **options)

    def soak(seed: int) -> Soak:
        return Soak(borel21(), packets=90_000, load=0.3, malformed=0, seed=seed, make=Kept)

    one = soak(1)
    assert one.runs == 2  # of 2000 packets of each of 21 terminals
    for made, piece in ((one, 0), (one, 1), (soak(1), 0), (soak(2), 0)):
        made.piece(piece)
    assert seen[0] == seen[2]
    runs = [salt for each in seen for salt in each]
    assert len({tuple(salt) for salt in runs}) == 6


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
