"""Networks under pressure: every terminal gets its share, and more offered is not less accepted."""

import re
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hot_spots import LENGTHS, row
from benchmarks.lanes import ASKED, least, mesh
from fingerpost.golden.network.network import Network
from fingerpost.netfile.source import read
from tests.golden.service.endless import Judgement, accepted, hot_spot, judge, permutation, shares
from tests.networks import NETWORKS, built, load, only

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


def to(network: Network, goals: dict[int, int]) -> np.ndarray:
    destination = np.full(network.topology.nodes, -1)
    destination[list(goals)] = list(goals.values())
    return destination


def test_shares_by_hand() -> None:
    """Five arms at node 0; the first has two nodes, 1 and 6, which share the queue from 1 to 0.

    6 goes on to 2, as do 3 and 4; 1 to 5.
    """
    links = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 6)]
    star = built({"family": "edge-list", "nodes": 7, "links": links})
    along, behind = shares(star, to(star, {6: 2, 1: 5, 3: 2, 4: 2}))
    assert along == pytest.approx([1 / 2, 1 / 3, 1 / 3, 1 / 6])  # of 1, 3, 4 and 6
    assert behind == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6])


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
    destination = to(network("borel-21"), {5: 7, 9: 1, 15: 13})
    check(judge(network("borel-21"), destination, length=64, cycles=5000))


@pytest.mark.parametrize("seed", only([0], range(6)))
def test_long_packets_in_a_permutation(seed: int) -> None:
    destination = permutation(network("borel-21"), seed)
    check(judge(network("borel-21"), destination, length=64, cycles=5000))


# The others.


def patterns(name: str, spots: int, mixes: int) -> list[np.ndarray]:
    terminals = network(name).topology.terminals
    return [
        *(hot_spot(network(name), int(node)) for node in terminals[:: -(-len(terminals) // spots)]),
        *(permutation(network(name), seed) for seed in range(mixes)),
    ]


@pytest.mark.parametrize("length", only([1], [1, 4]))
@pytest.mark.parametrize("name", SMALL)
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


def check_bypass(net: Network, destination: np.ndarray, *, length: int, cycles: int) -> None:
    """A terminal with bypass limit K gets one of K + 2 beside one stream, not a fair share."""
    found = judge(net, destination, length=length, cycles=cycles)
    assert found.starved == 0
    assert found.behind >= 1 / (net.bypass_limit + 2)
    assert max(found.patience, found.onset) <= 2 * (net.bypass_limit + 1)


def test_who_lets_others_pass_goes_at_last() -> None:
    # Once three streams of packets that turn went to one output, none came straight, and the one
    # that shared its input with another never went again.
    net = network("torus-8x8")
    check_bypass(net, permutation(net, 1), length=4, cycles=3000)


@pytest.mark.parametrize("length", only([1], [1, 4]))
def test_inputs_that_yield_get_through_too(length: int) -> None:
    torus = {"family": "grid", "sizes": [5, 5], "wrap": True}
    polite = built(torus, "dimension-order", bypass_limit=3, turn_bypass_limit=2)
    for destination in (hot_spot(polite, 6), permutation(polite, 0), permutation(polite, 1)):
        check_bypass(polite, destination, length=length, cycles=3000)


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 64])
@pytest.mark.parametrize("name", ["torus-8x8", "braided-ring-16"])
def test_who_lets_others_pass_goes_for_long(name: str, length: int) -> None:
    for destination in patterns(name, 2, 3):
        check_bypass(network(name), destination, length=length, cycles=100_000)


@pytest.mark.parametrize(("virtual_channels", "length"), only([(4, 1)], product((4, 8), (1, 2, 4))))
def test_lanes_leave_everybody_its_part(virtual_channels: int, length: int) -> None:
    """Of the part that the least served source has with one channel."""
    destinations = [hot_spot(mesh(1), 5), *(permutation(mesh(1), seed) for seed in (0, 2, 6, 7))]
    one, many = (
        least(mesh(channels), destinations, length=length, cycles=16_000)
        for channels in (1, virtual_channels)
    )
    assert all(found >= ASKED * expected for found, expected in zip(many, one, strict=True))


def test_local_service_starves_behind_several_channels_only() -> None:
    """As `info` and the manifest say of it."""
    one, several = (read(NETWORKS / f"{name}.yaml") for name in ("mesh-8x8", "petersen"))
    one_channel = one.with_router(service="local").network()
    for destination in (hot_spot(one_channel, 32), permutation(one_channel, 0)):
        check(judge(one_channel, destination, length=4, cycles=5000))
    found = {
        service: judge(
            several.with_router(service=service).network(),
            hot_spot(network("petersen"), 5),
            length=4,
            cycles=3000,
        ).starved
        for service in ("bounded", "local")
    }
    assert found == {"bounded": 0, "local": 2}


KEPT = 0.95
"""Of the peak."""

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def check_kept(found: dict[float, float]) -> None:
    """What is accepted, by what is offered, falls hardly below its peak."""
    peak = max(found, key=lambda offered: found[offered])
    above = {offered: value for offered, value in found.items() if offered >= peak}
    assert min(above.values()) >= KEPT * found[peak], above


@pytest.mark.parametrize("name", only(["petersen"], ["petersen", "borel-21", "kyklos-2-2-4"]))
def test_more_offered_is_not_less_accepted(name: str) -> None:
    loads = (0.15, 0.4, 0.7, 1.0)
    found = {x: accepted(network(name), load=x, length=1, cycles=1500) for x in loads}
    check_kept(found)
    assert found[0.15] == pytest.approx(0.15, rel=0.1)  # below saturation


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 4])
@pytest.mark.parametrize(
    "name",
    [
        "borel-21", "borel-21-shortest", "petersen", "kyklos-2-2-4", "star-4", "rotator-4",
        "super-rotator-23", "hypercube-6", "metacyclic-84", "kautz-2-4", "metacyclic-digraph-20",
        # Here terminals let packets pass.
        "scc-4", "super-rotator-13", "chordal-ring-16", "braided-ring-16", "mesh-8x8", "torus-8x8",
    ],
)  # fmt: skip
def test_more_offered_is_not_less_accepted_for_long(name: str, length: int) -> None:
    check_kept({x: accepted(network(name), load=x, length=length, cycles=8000) for x in LOADS})


ROOT = Path(__file__).parents[3]

TABLE = re.findall(
    r"^\| ([\w, -]+) \| \d \|((?: [01]\.\d\d \|)+)$",
    (ROOT / "docs/design/measured.md").read_text(encoding="utf-8"),
    flags=re.M,
)
"""Names of networks, and what their hot spots accept, by the length of packets."""


@pytest.mark.parametrize("name", ["petersen", "borel-21", "star-4", "petersen-up-down"])
def test_a_hot_spot_accepts_what_the_docs_say(name: str) -> None:
    [line] = [values for names, values in TABLE if name in names.split(", ")]
    said = [float(value) for value in re.findall(r"[\d.]+", line)]
    found = row(load(name), 4000)["accepted"]
    assert [each["length"] for each in found] == [*LENGTHS]
    for each, value in zip(found, said, strict=True):
        assert each["flits"] == pytest.approx(value, abs=0.02), (
            f"{each['length']} flits: run `python -m benchmarks.hot_spots`"
        )
