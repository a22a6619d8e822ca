"""Every header that a terminal can send is refused, cleaned, or part of the proof."""

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing import Greedy, Routing
from fingerpost.netfile.source import load
from tests.golden.raw_headers import NETWORKS, QUICK, SMALL, dependencies, turns
from tests.quick import only


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
