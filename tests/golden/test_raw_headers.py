"""Every header that a terminal can send is refused, cleaned, or part of the proof."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing import Greedy, Routing
from fingerpost.netfile.source import load, read
from tests.quick import only

NETWORKS = Path(__file__).parents[2] / "networks"

SMALL = [
    path.stem
    for path in sorted(NETWORKS.glob("*.yaml"))
    if "15657" not in path.stem
    and not path.stem.endswith("-deflection")
    and read(path).topology().nodes <= 120
]
"""The network files of up to 120 nodes whose packets have routes."""

QUICK = [name for name in SMALL if name not in {"metacyclic-84", "twisted-torus-8x4"}]
"""Those that take less than a second."""

Link = tuple[int, int, int]
"""A link and one of its channels: (node, port, channel)."""


def _follow(network: Network, channels: int) -> tuple[set[tuple[Link, Link]], set[Link]]:
    """Return the pairs of links that follow each other on some way, and the turns."""
    routing, topology = network.routing, network.topology
    local, terminals = topology.local, topology.terminals
    selections: list[int | None] = [None]
    if routing.selection:
        # Every set of free ports; or chance in eighths, enough to choose among up to eight.
        step = 1 if routing.selection == "free" else 1 << routing.selection_width - 3
        selections = list(range(0, 1 << routing.selection_width, step))
    raw = np.arange(1 << routing.header.width)
    # Columns: node, port of arrival, header, channel; node, port and channel of the link before.
    rows = np.zeros((len(terminals) * len(raw), 7), np.int64)
    rows[:, 0], rows[:, 2] = np.repeat(terminals, len(raw)), np.tile(raw, len(terminals))
    rows[:, 1], rows[:, 4] = local, -1
    pairs: set[tuple[Link, Link]] = set()
    turns: set[Link] = set()
    for _ in range(topology.nodes + 1):
        onward = []
        for selection in selections:
            node, arrival, header, channel, *before = rows.T
            told = None if selection is None else np.full_like(node, selection)
            port, following, error = routing.decide(node, arrival, header, told)
            good = error == 0
            turns |= set(zip(*(x[good].tolist() for x in (node, arrival, port)), strict=True))
            away = good & (port != local)
            node, arrival, channel, port, following, *before = (
                x[away] for x in (node, arrival, channel, port, following, *before)
            )
            there = topology.neighbour[node, port]
            if network.order is None:
                raised = network.channels.vc_increments[node, arrival, port]
            else:  # a valley
                height = network.order
                raised = (arrival != local) & (height[before[0]] > height[node])
                raised &= height[there] > height[node]
            channel = np.minimum(channel + raised, channels - 1)
            link, last = np.stack([node, port, channel], axis=1), np.stack(before, axis=1)
            both = np.unique(np.hstack([last, link])[before[1] >= 0], axis=0).tolist()
            pairs |= {((a, b, c), (d, e, f)) for a, b, c, d, e, f in both}
            by = topology.arrival_port[node, port]
            columns = (there, by, following, channel, node, port, channel)
            onward.append(np.stack(columns, axis=1))
        rows = np.unique(np.concatenate(onward), axis=0)
        if not len(rows):
            return pairs, turns
    raise AssertionError(f"{len(rows)} packets go on for more than {topology.nodes} hops")


def dependencies(network: Network, channels: int) -> "nx.DiGraph[Link]":
    """Return the channel dependency graph of all headers that terminals can send."""
    return nx.DiGraph(_follow(network, channels)[0])


def turns(network: Network) -> set[tuple[int, int, int]]:
    """Return the turns, as (node, port of arrival, output port), of all these headers."""
    return _follow(network, network.virtual_channels)[1]


def scc_4(algorithm: str) -> Network:
    """Return the network of scc-4.yaml with another algorithm."""
    description = load(NETWORKS / "scc-4.yaml").description
    return build({**description, "routing": {"algorithm": algorithm}})


@pytest.mark.regress
@pytest.mark.parametrize("name", SMALL)
def test_raw_headers_close_no_cycle(name: str) -> None:
    network = load(NETWORKS / f"{name}.yaml")
    graph = dependencies(network, network.virtual_channels)
    assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("name", only(QUICK, SMALL))
def test_raw_headers_take_the_turns_of_the_proof(name: str) -> None:
    network = load(NETWORKS / f"{name}.yaml")
    assert turns(network) == set(map(tuple, np.argwhere(network.channels.used_turns).tolist()))


@pytest.mark.parametrize(
    "algorithm", only(["near-minimal", "minimal"], ["random", "near-minimal", "minimal"])
)
def test_raw_headers_of_other_algorithms(algorithm: str) -> None:
    network = scc_4(algorithm)
    assert nx.is_directed_acyclic_graph(dependencies(network, network.virtual_channels))
    assert turns(network) == set(map(tuple, np.argwhere(network.channels.used_turns).tolist()))


def test_raw_headers_that_pass_the_launch_close_one(monkeypatch: pytest.MonkeyPatch) -> None:
    network = scc_4("greedy")
    monkeypatch.setattr(
        Greedy, "generate_header", Routing.generate_header
    )  # any anchor is believed
    graph = dependencies(network, network.virtual_channels)
    assert not nx.is_directed_acyclic_graph(graph)
