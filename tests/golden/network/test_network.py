import itertools
import re
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.network.network import DeadlockError, Network, build


def description(**router: object) -> dict[str, Any]:
    """Return the network file of the example with these router parameters."""
    return {
        "name": "borel-21",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
        "routing": {"algorithm": "two-phase"},
        "router": router,
    }


def test_builds_what_a_network_file_says() -> None:
    wanted = description(flit_width=16, buffer_depth=2, virtual_channels=3)
    network = build(wanted)
    assert network.name == "borel-21"
    assert (network.topology.family, network.topology.nodes) == ("borel", 21)
    assert network.routing.algorithm == "two-phase"
    assert network.routing is network.channels.routing
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (16, 2, 3)
    assert network.description == wanted


def test_router_has_defaults() -> None:
    wanted = description()
    del wanted["router"]
    network = build(wanted)
    assert (network.flit_width, network.buffer_depth) == (32, 8)
    assert network.virtual_channels == network.channels.needed == 2


def test_an_empty_router_has_defaults() -> None:
    network = build(description() | {"router": None})
    assert (network.flit_width, network.buffer_depth) == (32, 8)


def test_building_does_not_change_the_description() -> None:
    wanted = description()
    build(wanted)
    assert wanted == description()


def test_more_channels_than_needed_are_built() -> None:
    network = build(description(virtual_channels=5))
    assert network.virtual_channels == 5
    assert network.lanes == Lanes(network.channels.needed, 5)


def test_channel_order_can_be_given() -> None:
    order = list(reversed(range(21)))
    found = build(description(channel_order=order)).order
    assert found is not None
    assert found.tolist() == order


def test_options_reach_the_routing() -> None:
    wanted = {
        "name": "borel-20",
        "topology": {"family": "borel", "p": 5, "a": 2, "A": [1, 1], "B": [3, 0]},
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
    wanted = {
        "name": "borel-20",
        "topology": {"family": "borel", "p": 5, "a": 2, "A": [1, 1], "B": [3, 0]},
        "routing": {"algorithm": "two-phase"},
        "router": {"virtual_channels": 1, "channel_order": [0, 1, 2, 3]},
    }
    message = (
        r"^two-phase can deadlock with virtual_channels: 1; \d are enough; a shortest cycle of "
        r"links \(one node a class\): "
        r"(A|B|A\^-1|B\^-1) from node [0-3],0 on channel 0"
        r"(, (A|B|A\^-1|B\^-1) from node [0-3],0 on channel 0)+$"
    )
    with pytest.raises(DeadlockError, match=message):
        build(wanted)


def test_header_just_fits_the_flit() -> None:
    assert build(description(flit_width=10)).flit_width == 10


def turns_of_walks(network: Network) -> set[tuple[int, int]]:
    """Walk every pair, one decision at a time; return the turns, by arrival and output port."""
    routing, topology = network.routing, network.topology
    found = set()
    for source, destination in itertools.product(topology.terminals.tolist(), repeat=2):
        node, arrival = np.array([source]), np.array([topology.local])
        header = routing.encode(node, np.array([destination]))
        header, _ = routing.generate_header(node, header)
        while True:
            port, header, _ = routing.decide(node, arrival, header)
            found.add((int(arrival[0]), int(port[0])))
            if port[0] == topology.local:
                break
            node, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return found


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}


@pytest.mark.parametrize(
    ("topology", "routing", "turns"),
    [
        # Those of links and from and to the terminal; besides there is the terminal to itself.
        (BOREL, {"algorithm": "two-phase", "words": "first"}, 14),
        (BOREL, {"algorithm": "two-phase"}, None),
        (BOREL, {"algorithm": "vertex-transitive"}, 18),
        pytest.param(
            {"family": "scc", "n": 4}, {"algorithm": "greedy"}, 10, marks=pytest.mark.regress
        ),
    ],
)
def test_used_turns_at_a_kind_of_node(
    topology: dict[str, object], routing: dict[str, str], turns: int | None
) -> None:
    network = build({"name": "some", "topology": topology, "routing": routing, "router": {}})
    (node_type,) = network.topology.node_types
    found = {(p, q) for p, q in np.argwhere(network.used_turns[node_type]).tolist()}
    assert found == turns_of_walks(network)
    assert turns is None or len(found) == turns + 1


def test_used_turns_differ_by_the_kind_of_node() -> None:
    network = build(
        {
            "name": "kyklos",
            "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 4},
            "routing": {"algorithm": "h2"},
        }
    )
    by_node = network.channels.used_turns
    for node_type, taken in network.used_turns.items():
        nodes = [
            node for node, other in enumerate(network.topology.node_type) if other == node_type
        ]
        assert (taken == by_node[nodes].any(axis=0)).all()
        # In a tree nothing begins or ends; H-r climbs no tree to its root.
        assert taken[-1].any() == taken[:, -1].any() == node_type.terminal
        assert taken.any() == (node_type.terminal or len(node_type.outputs) == 3)


def test_network_cannot_be_changed() -> None:
    network = build(description())
    with pytest.raises(AttributeError, match=r"^cannot assign to field 'flit_width'$"):
        network.flit_width = 8  # type: ignore[misc]
