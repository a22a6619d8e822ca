"""Whole networks under pressure: every terminal gets its share, and no packet waits for ever."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import built
from tests.golden.service.endless import endless, hot_spot, permutation
from tests.golden.service.fairness import MEASURED, Judgement, judge
from tests.networks import load
from tests.quick import only

LEAST = 0.5
"""Of what locally fair merging gives."""

PATIENCE = 4
"""Packet times, at the rate that fair merging gives, for which a source can have to wait."""

ONSET = 8
"""The same for its first packet, which can have to wait at each hop."""

SMALL = ("borel-21", "borel-21-shortest", "petersen", "kyklos-2-2-4", "rotator-4")
ALL = (*SMALL, "scc-4", "borel-21-ring", "braided-ring-16", "chordal-ring-16", "star-4",
       "super-rotator-13", "super-rotator-23", "mesh-8x8", "hypercube-6",
       "metacyclic-84")  # fmt: skip
"""Of up to 120 nodes, with routes that do not depend on what else is on its way. In torus-8x8
terminals let five packets pass, for which they have a test of their own."""


network = cache(load)


def check(found: Judgement) -> None:
    assert found.starved == 0, f"{found.starved} of {found.judged} starve"
    assert found.behind >= LEAST, f"node {found.poorest} gets {found.behind:.4f} of its part"
    assert found.patience <= PATIENCE, f"{found.gap} cycles, {found.patience:.1f} packet times"
    assert found.onset <= ONSET, f"the first waits {found.onset:.1f} packet times"


# The cases in which sources were once starved.


@pytest.mark.parametrize(("name", "length"), [("borel-21", 1), ("petersen", 5)])
def test_everybody_gets_through_to_one_node(name: str, length: int) -> None:
    check(judge(network(name), hot_spot(network(name), 0), length=length, cycles=3000))


@pytest.mark.regress
def test_everybody_gets_through_to_one_of_72_nodes() -> None:
    check(judge(network("scc-4"), hot_spot(network("scc-4"), 0), length=1, cycles=40_000))


def test_three_flows_that_cross() -> None:
    destination = np.full(21, -1)
    destination[[5, 9, 15]] = 7, 1, 13
    check(judge(network("borel-21"), destination, length=64, cycles=5000))


@pytest.mark.parametrize("seed", only([0], range(6)))
def test_long_packets_in_a_permutation(seed: int) -> None:
    destination = permutation(network("borel-21"), seed)
    check(judge(network("borel-21"), destination, length=64, cycles=5000))


# The others.


def patterns(name: str, spots: int, mixes: int) -> list[np.ndarray]:
    terminals = network(name).topology.terminals
    some = terminals[:: -(-len(terminals) // spots)] if spots else ()
    return [
        *(hot_spot(network(name), int(node)) for node in some),
        *(permutation(network(name), seed) for seed in range(mixes)),
    ]


@pytest.mark.parametrize("length", only([1], [1, 4]))
@pytest.mark.parametrize("name", only(SMALL, [*SMALL, "scc-4"]))
def test_everybody_gets_its_part(name: str, length: int) -> None:
    for destination in patterns(name, 1, 1):
        check(judge(network(name), destination, length=length, cycles=1500))


MISSES = {
    ("chordal-ring-16", 64): "0.495: half of what passes where terminals let two packets pass, "
    "and of the link 1 % is lost between such packets",
    ("metacyclic-84", 1): "0.499 at one hot spot, where streams share a link channel by channel",
}
"""What falls short of `LEAST`."""


def missed(name: str, length: int) -> list[pytest.MarkDecorator]:
    reason = MISSES.get((name, length))
    return [pytest.mark.xfail(strict=True, reason=reason)] if reason else []


@pytest.mark.regress
@pytest.mark.parametrize(
    ("name", "length"),
    [pytest.param(name, length, marks=missed(name, length)) for name in ALL for length in (1, 64)],
)
def test_everybody_gets_its_part_for_long(name: str, length: int) -> None:
    cycles = 10_000 if length < 64 else 100_000  # enough for some packets of each source
    for destination in patterns(name, 2, 3):
        check(judge(network(name), destination, length=length, cycles=cycles))


def check_guests(net: Network, destination: np.ndarray, *, length: int, cycles: int) -> None:
    """A terminal with bypass limit K gets one of K + 2 beside one stream, not a fair share."""
    found = judge(net, destination, length=length, cycles=cycles)
    assert found.starved == 0
    assert found.behind >= 1 / (net.bypass_limit + 2)
    assert max(found.patience, found.onset) <= 2 * (net.bypass_limit + 1)


def test_guests_let_each_other_pass_but_not_for_ever() -> None:
    # Once three streams of packets that turn went to one output, none came straight, and the one
    # that shared its input with another never went again.
    net = network("torus-8x8")
    check_guests(net, permutation(net, 1), length=4, cycles=3000)


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 64])
@pytest.mark.parametrize("name", ["torus-8x8", "braided-ring-16"])
def test_guests_get_through_for_long(name: str, length: int) -> None:
    net = network(name)
    for destination in patterns(name, 2, 3):
        check_guests(net, destination, length=length, cycles=100_000)


@pytest.mark.parametrize("length", [1, 4])
def test_guests_get_through_too(length: int) -> None:
    torus = {"family": "grid", "sizes": [5, 5], "wrap": True}
    polite = built(torus, "dimension-order", bypass_limit=3, turn_bypass_limit=2)
    for destination in (hot_spot(polite, 6), permutation(polite, 0), permutation(polite, 1)):
        check_guests(polite, destination, length=length, cycles=3000)


def test_too_few_cycles_are_not_judged() -> None:
    message = f"needs more cycles than 10: fair merging gives no source {MEASURED} packets$"
    with pytest.raises(ValueError, match=message):
        judge(network("petersen"), hot_spot(network("petersen"), 0), length=4, cycles=10)


LEAST_OF_LANES = 0.9
"""Of the part that the least served source has with one channel."""

CYCLES = 16_000


def mesh(virtual_channels: int) -> Network:
    topology = {"family": "grid", "sizes": [4, 4]}
    return built(topology, "dimension-order", virtual_channels=virtual_channels)


def least(network: Network, destination: IntArray, length: int) -> float:
    """Return what the least served source gets, as a part of the mean."""
    pattern = endless(network, destination, length=length, cycles=CYCLES)
    model = engine(network, [Traffic(network, None, 1, pattern=pattern)])
    model.run(CYCLES)
    run = model.runs[0]
    late = run.traffic.source[run.delivered >= CYCLES // 4]
    packets = np.bincount(late, minlength=network.topology.nodes)[destination >= 0]
    return float(packets.min() / packets.mean())


@pytest.mark.parametrize(("virtual_channels", "length"), only([(4, 1)], product((4, 8), (1, 2, 4))))
def test_lanes_leave_everybody_its_part(virtual_channels: int, length: int) -> None:
    one, many = mesh(1), mesh(virtual_channels)
    patterns = [hot_spot(one, 5), *(permutation(one, seed) for seed in (0, 2, 6, 7))]
    for destination in patterns:
        expected = least(one, destination, length)
        assert least(many, destination, length) >= LEAST_OF_LANES * expected
