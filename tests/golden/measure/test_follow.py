"""A packet that is followed, beside the judge, which knows nothing of the model."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.measure.follow import WAITS, Watch, watch
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile.source import load_any
from tests.fingerpost.common import NETWORKS
from tests.golden.model.test_judge import Flit, Judge
from tests.networks import BOREL, built

CYCLES = 120
MESH = {"family": "grid", "sizes": [3, 3]}, "dimension-order"
CASES: dict[str, tuple[Network, dict[str, Any]]] = {
    "one channel": (built(*MESH), {"lengths": (1, 5)}),
    "one flit of buffer": (built(*MESH, buffer_depth=1), {"lengths": (1, 3)}),
    "lanes": (built(*MESH, virtual_channels=4), {"lengths": (1, 4)}),
    "classes": (built(*MESH, classes=2, bypass_limit=1), {"lengths": (1, 4)}),
    "bypass limit": (built(*MESH, bypass_limit=2), {"lengths": (1, 3)}),
    "register": (built(*MESH, routing_register=True), {"lengths": (2, 2)}),
    "three cycles": (built(*MESH, hop_cycles=3), {"lengths": (1, 4)}),
    "header": (built(BOREL, "two-phase"), {"lengths": (1, 4)}),
}

Visits = dict[tuple[int, bool], list[tuple[int, int, int]]]
"""By tag and whether it is the tail: cycle, node and output of what is on links."""


def visits(network: Network, traffic: Traffic) -> Visits:
    """Return where the judge has heads and tails on links, by what terminals send in the model."""
    recorded = engine(network, [traffic], compiled=False).record(CYCLES)
    judge, found = Judge(network), Visits()
    tags = {
        (int(data), bool(tail)): int(tag)
        for tag in range(len(traffic.source))
        for index in {0, int(traffic.length[tag]) - 1}
        for _, tail, data in [flit(traffic, tag, index)]
    }
    width = network.routing.header.width
    names = {(data >> width, tail): tag for (data, tail), tag in tags.items()}
    masks = np.arange(network.virtual_channels)
    for cycle in range(CYCLES):
        for (node, port), (_, one) in judge.links.items():
            if one.head or one.tail:
                tag = names[one.data >> width, one.tail]
                for tail in {not one.head, one.tail}:
                    found.setdefault((tag, tail), []).append((cycle, node, port))
        given = {name: column[cycle] for name, column in recorded.given.items()}
        sent = {
            node: (
                int(given["valid"][node]).bit_length() - 1,
                Flit(*(given[name][node].item() for name in ("head", "tail", "data"))),
            )
            for node in np.flatnonzero(given["valid"]).tolist()
        }
        back = np.argwhere(given["credit"][:, None] >> masks & 1).tolist()
        judge.step(sent, [(node, channel) for node, channel in back])
    return found


def flit(traffic: Traffic, tag: int, index: int) -> tuple[bool, bool, int]:
    head, tail, data = traffic.flits(np.array([tag]), np.array([index]))
    return bool(head[0]), bool(tail[0]), int(data[0])


def watched(network: Network, packet: int, **traffic: Any) -> Watch:
    lengths = "{}..{}".format(*traffic.pop("lengths"))
    return watch(network, packet, cycles=CYCLES, packet_length=lengths, load=0.9, **traffic)


@pytest.mark.parametrize("case", CASES)
def test_cycles_are_those_of_the_judge(case: str) -> None:
    network, sent = CASES[case]
    traffic = Traffic(network, 0.9, CYCLES, seed=2, **sent)
    order = np.lexsort((traffic.message_class, traffic.source, traffic.time))
    links, waits = visits(network, traffic), set[str]()
    to_link = network.description["router"].get("hop_cycles", 2) - 1
    for packet in range(20, 60, 5):
        found = watched(network, packet, seed=2, **sent)
        tag = int(order[packet])
        assert (found.source, found.length) == (traffic.source[tag], traffic.length[tag])
        if found.delivered is None:
            continue
        waits |= found.waits.keys()
        granted = [e for e in found.events if e.stage == "SA" and not e.waits]
        heads = [(e.cycle + to_link, e.node, e.port) for e in granted]
        assert heads == links[tag, False]
        last = links[tag, True][-1]
        assert (found.delivered, found.destination) == last[:2]
        if found.length > 1:
            tails = [(e.cycle + to_link, e.node, e.port) for e in found.events if e.stage == "tail"]
            assert tails == links[tag, True]
        account(found)
    assert {"queue", "output"} <= waits <= WAITS.keys()


def account(found: Watch) -> None:
    """Every cycle from creation to delivery is in one event."""
    cycle = found.created
    for event in found.events:
        if event.cycles:
            assert event.cycle == cycle
            cycle += event.cycles
    assert cycle == found.delivered


@pytest.mark.parametrize(
    ("router", "hop"),
    [
        ({}, ["RC", "SA"]),
        ({"routing_register": True}, ["RC", "SA"]),
        ({"hop_cycles": 3}, ["RC", "SA", "ST"]),
    ],
    ids=str,
)
def test_without_other_packets_it_is_the_pipeline(router: dict[str, Any], hop: list[str]) -> None:
    network = built(BOREL, "two-phase", **router)
    found = watch(network, 0, load=0.004, cycles=600, packet_length=3)
    stages = [e.stage for e in found.events if e.stage != "tail"]
    assert stages == ["HG", *hop * (found.hops + 1), "LT", "terminal"]
    assert (found.latency, found.waits) == (network.least_latency(found.hops, 3), {})
    account(found)


def test_later_windows_change_nothing() -> None:
    star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    network = build({"name": "ring", **star})
    few, many = (watch(network, 7, load=0.3, cycles=cycles) for cycles in (3000, 9000))
    assert few == many


def test_deflection() -> None:
    network = load_any(NETWORKS / "borel-21-deflection.yaml")
    for packet in range(200, 240, 8):
        found = watch(network, packet, load=0.8, cycles=400)
        hops = [event for event in found.events if event.stage == "hop"]
        links = network.topology.neighbour
        nodes = [int(links[event.node, event.port]) for event in hops]
        assert nodes == [event.node for event in hops[1:]] + [found.destination]
        account(found)


@pytest.mark.parametrize("packet", [-1, 10**6])
def test_there_is_no_such_packet(packet: int) -> None:
    network = built(*MESH)
    with pytest.raises(ValueError, match=rf"packet of this run, 0\.\.\d+, not {packet}"):
        watch(network, packet, load=0.1, cycles=50)
