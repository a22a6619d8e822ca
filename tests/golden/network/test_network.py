"""Networks that are built, and their bypass limits."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import DeadlockError, Network, build
from fingerpost.golden.network.router import terminal_bypass
from fingerpost.golden.parameters import ParameterError
from tests.networks import BOREL, BOREL_20, built


def description(**router: object) -> dict[str, Any]:
    """Return the network file of the example with these router parameters."""
    return {
        "name": "borel-21",
        "topology": BOREL,
        "routing": {"algorithm": "two-phase"},
        "router": router,
    }


def test_builds_what_a_network_file_says() -> None:
    order = [*range(20, -1, -1)]
    wanted = description(flit_width=10, buffer_depth=2, virtual_channels=5, channel_order=order)
    wanted["counters"] = {"kind": "axi-lite"}
    network = build(wanted)
    assert network.name == "borel-21"
    assert (network.topology.family, network.topology.nodes) == ("borel", 21)
    assert network.routing.algorithm == "two-phase"
    assert network.routing is network.channels.routing
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (10, 2, 5)
    assert network.lanes == Lanes(network.channels.needed, 5)
    assert network.order is not None
    assert network.order.tolist() == order
    assert network.counters is not None
    assert network.counters.describe() == {"kind": "axi-lite", "of": "ports"}
    assert network.description == wanted
    assert wanted["router"]["channel_order"] == order


@pytest.mark.parametrize("router", [{}, {"router": {}}, {"router": None}])
def test_router_has_defaults(router: dict[str, Any]) -> None:
    wanted = description()
    del wanted["router"]
    network = build(wanted | router)
    assert (network.flit_width, network.buffer_depth, network.counters) == (32, 8, None)
    assert network.virtual_channels == network.channels.needed == 2


def test_options_reach_the_routing() -> None:
    wanted = {
        "name": "borel-20",
        "topology": BOREL_20,
        "routing": {"algorithm": "two-phase", "phase1": "computed"},
    }
    assert vars(build(wanted).routing)["phase1"] == "computed"
    first = description() | {"routing": {"algorithm": "two-phase", "words": "first"}}
    words = vars(build(first).routing)["words"].tolist()
    assert words[3] == 0b1_00_00_00  # Fig. 2 of two-phase-1995: A A A


def test_refuses_channels_that_can_deadlock() -> None:
    # Along A the nodes 0,0 to 0,6 are a ring, and phase II takes it up to three hops at a time.
    steps = ", ".join(f"A from node 0,{y} on channel 0" for y in range(7))
    message = (
        "two-phase can deadlock with virtual_channels: 1; 3 are enough; "
        f"a shortest cycle of links: {steps}"
    )
    with pytest.raises(DeadlockError, match=f"^{re.escape(message)}$") as caught:
        build(
            description(virtual_channels=1, channel_order=list(range(21)))
            | {"routing": {"algorithm": "two-phase", "words": "first"}}
        )
    assert caught.value.needed == 3
    assert caught.value.cycle == [(3 * y, 0, 0) for y in range(7)]


def test_deadlock_of_classes_is_told_for_one_node_each() -> None:
    message = (
        r"^two-phase can deadlock with virtual_channels: 1; \d are enough; a shortest cycle of "
        r"links \(one node a class\): "
        r"(A|B|A\^-1|B\^-1) from node [0-3],0 on channel 0"
        r"(, (A|B|A\^-1|B\^-1) from node [0-3],0 on channel 0)+$"
    )
    with pytest.raises(DeadlockError, match=message):
        built(BOREL_20, "two-phase", virtual_channels=1, channel_order=[0, 1, 2, 3])


def test_used_turns_differ_by_the_kind_of_node() -> None:
    network = built({"family": "kyklos", "m": 2, "r": 2, "n": 4}, "h2")
    by_node = network.channels.used_turns
    for node_type, taken in network.used_turns.items():
        nodes = [
            node for node, other in enumerate(network.topology.node_type) if other == node_type
        ]
        assert (taken == by_node[nodes].any(axis=0)).all()
        # In a tree nothing begins or ends; H-r climbs no tree to its root.
        assert taken[-1].any() == taken[:, -1].any() == node_type.terminals
        assert taken.any() == (node_type.terminals or len(node_type.outputs) == 3)


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "../a", "a/b", "a.v", "a\n", "\u00e9", "a" * 65, "-a"]
)
def test_a_name_is_part_of_files_and_modules(name: str) -> None:
    """Also where no network file has checked it: descriptions come from other files, too."""
    star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "table"}}
    for kind in ({}, {"router": {"kind": "deflection"}}):
        with pytest.raises(ParameterError, match=r"^Network needs a name of 1 to 64 of the"):
            build_any({"name": name, **star, **kind})


Place = tuple[int, ...]


def grid(sizes: list[int], *, wrap: bool = False, **router: Any) -> Network:
    topology = {"family": "grid", "sizes": sizes, "wrap": wrap}
    return built(topology, "dimension-order", **router)


def steps(source: Place, destination: Place) -> Iterator[tuple[Place, Place]]:
    """Yield the links of a route in a mesh, one dimension after the other."""
    here = source
    for dimension, goal in enumerate(destination):
        while here[dimension] != goal:
            way = 1 if goal > here[dimension] else -1
            there = (*here[:dimension], here[dimension] + way, *here[dimension + 1 :])
            yield here, there
            here = there


@pytest.mark.parametrize("sizes", [[9], [4, 3], [2, 3, 4]])
def test_counts_what_a_mesh_by_hand_counts(sizes: list[int]) -> None:
    packets, crossed = 0, 0
    first: Counter[tuple[Place, Place]] = Counter()
    places = list(product(*map(range, sizes)))
    for source, destination in product(places, places):
        for number, link in enumerate(steps(source, destination)):
            first[link] += number == 0
            crossed += 1
        packets += source != destination
    # In a mesh a terminal requests its own links only: all are counted.
    found = terminal_bypass(grid(sizes).channels)
    assert found.hops == pytest.approx(crossed / packets)
    assert found.load == pytest.approx(crossed / (len(places) - 1) / len(first))


def test_classes_count_as_all_of_their_nodes() -> None:
    classes = built(BOREL_20, "two-phase", channel_order=[0, 1, 2, 3]).channels
    other = classes.vc_increments.copy()
    other[7, 0, 1] ^= True  # a node that is not like the others of its class
    nodes = Channels(classes.routing, other)
    assert (len(set(classes.orbit)), len(set(nodes.orbit))) == (4, 20)
    few, all_nodes = terminal_bypass(classes), terminal_bypass(nodes)
    assert few.hops == pytest.approx(all_nodes.hops)
    assert few.load == pytest.approx(all_nodes.load)


def test_a_file_that_says_a_number_gets_it() -> None:
    assert grid([32], wrap=True).bypass_limit == 9
    assert grid([32]).bypass_limit == 11
    assert grid([8, 8]).bypass_limit == 2
    assert grid([16]).bypass_limit == 6  # h = 5.7, and three times what its links carry
    assert grid([2] * 6).bypass_limit == 0  # here terminals are full before links are
    assert grid([32], wrap=True, bypass_limit="auto").bypass_limit == 9
    assert grid([32], wrap=True, bypass_limit=0).bypass_limit == 0
    assert grid([4, 4], wrap=True).bypass_limit == 0
    assert grid([8, 8], wrap=True, bypass_limit=63).bypass_limit == 63


def test_turns_into_a_ring_yield_where_terminals_do() -> None:
    assert grid([16, 16], wrap=True).turn_bypass_limit == 2
    assert grid([16, 16], wrap=True, turn_bypass_limit=0).turn_bypass_limit == 0
    assert grid([4, 4], wrap=True).turn_bypass_limit == 0  # for its terminals take turns
    assert grid([4, 4], wrap=True, bypass_limit=5).turn_bypass_limit == 2
    assert grid([64], wrap=True).turn_bypass_limit == 0  # nothing turns
    assert grid([3, 3], wrap=True, bypass_limit=5).turn_bypass_limit == 5  # and nothing goes on
    assert grid([16, 16]).turn_bypass_limit == 0  # there is no ring


def test_service_is_said_in_a_sentence() -> None:
    each = "of each other buffer that requests its channel"
    assert built(BOREL, "two-phase").service_bound == f"a head waits for at most 2 packets {each}"
    mesh, torus = grid([8, 8]), grid([8, 8], wrap=True)
    assert mesh.service_bound == (
        f"a head waits for at most 1 packet {each}, one that yields for at most {2 + 1 + 2}"
    )
    assert torus.service_bound.endswith(
        f"2 packets {each}, one that yields for at most {5 + 2 + 3}"
    )
    turns = grid([5, 5], wrap=True, bypass_limit=1, turn_bypass_limit=3, virtual_channels=4)
    assert turns.service_bound.endswith(f"that yields for at most {3 + 4 + 3}")


def test_local_service_has_no_limits_and_no_bound_with_several_channels() -> None:
    one, several = (grid([8, 8], wrap=wrap, service="local") for wrap in (False, True))
    for each in (one, several):
        assert not each.bypass_limits.any()
        assert not each.batches
    assert one.service_bound == (
        "a head waits for at most 1 packet of each other buffer that requests its channel; "
        "terminals and links take equal turns, however far packets have come"
    )
    assert several.service_bound.startswith("no bound: ")
    assert grid([4], service="local", classes=2).service_bound.startswith("no bound: ")


def test_terminals_and_turns_into_rings_yield() -> None:
    topology = {"family": "grid", "sizes": [2, 4, 3], "wrap": [False, False, True]}
    pipe = built(topology, "dimension-order", bypass_limit=7, turn_bypass_limit=3)
    into_the_ring = [0, 0, 0, 3, 3, 0]  # ports d0, d1+, d1-, d2+, d2-, and the terminal
    none = [0] * 6
    assert pipe.bypass_limits.tolist() == [*[into_the_ring] * 3, none, none, [7] * 6]


def test_turns_out_of_a_braided_ring_yield_as_terminals_do() -> None:
    # It goes at most one step of 1, and then steps of 2 only.
    braided = built({"family": "double-loop", "nodes": 16, "a": 1, "b": 2})
    assert (braided.bypass_limit, braided.turn_bypass_limit) == (5, 5)
