"""Tables past failed links: a flit that meets no other arrives, in the model of the routers."""

import numpy as np
import pytest

from fingerpost.golden.flit import Flits
from fingerpost.golden.model.deflection import DeflectionModel
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.rewriting import new_entries
from fingerpost.golden.parameters import ParameterError
from tests.golden.deflection.examples import deflection
from tests.quick import only

LONG = 30
"""Hops after which a flit goes round for ever; the routes here have at most eight."""


def failing(network: DeflectionNetwork, ends: list[tuple[int, int]]) -> DeflectionModel:
    """A model of which the links at some ports have failed, with new entries in its tables."""
    topology, model = network.topology, DeflectionModel(network)
    for node, port in ends:
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        model.link_up[node, port] = model.link_up[there] = False
    faults = ",".join(f"link:{v}-{topology.neighbour[v, p]}" for v, p in ends)
    for node, destination, value in new_entries(network, faults):
        links = len(topology.node_type[node].outputs)
        model.productive[node, destination] = value & (1 << links) - 1
        model.distance[node, destination] = value >> links & model.most_key
    for _ in range(network.hop_cycles):  # until routers know
        model.step(Flits.empty(), np.empty(0, np.int64))
    return model


def never_arrive(model: DeflectionModel) -> list[tuple[int, int]]:
    """The pairs of terminals between which a flit that meets no other goes round for ever."""
    network, found, one = model.network, [], np.ones(1, np.bool_)
    terminals = network.topology.terminals.tolist()
    ports, zero = np.arange(network.topology.nodes * network.ejections), np.zeros(1, np.int64)
    for source in terminals:
        for number, terminal in enumerate(terminals):
            at = np.array([source * model.ports + model.local])
            offered = Flits(at, zero, one, one, np.array([number]), zero)
            for _ in range(network.hop_cycles * LONG):
                enters = len(offered.tag) and source in model.injection_credit
                model.step(offered, ports)
                if enters:
                    offered = Flits.empty()
                if len(model.ejected.tag):
                    break
            else:
                found.append((source, terminal))
                for register in (model.links, model.arrived, model.ranked, model.switched):
                    register.valid[:] = False
    return found


CASES = {
    "borel, a link of A": ("borel", [(2, 0)]),
    "borel, a link of B": ("borel", [(2, 1)]),
    "borel, three": ("borel", [(0, 0), (7, 1), (12, 0)]),
    "torus, two at a node": ("torus", [(5, 0), (5, 2)]),
    "mesh, at the border": ("mesh", [(0, 0)]),
    "petersen, two": ("petersen", [(0, 0), (6, 1)]),
    "uneven": ("uneven", [(0, 0)]),
    "kyklos": ("kyklos", [(0, 0)]),
}


@pytest.mark.parametrize("case", only(["borel, a link of A", "petersen, two"], CASES))
def test_a_flit_alone_arrives(case: str) -> None:
    name, ends = CASES[case]
    network = deflection(name, link_up=True)
    assert never_arrive(failing(network, ends)) == []


def test_what_has_no_detour_is_refused() -> None:
    """What comes to node 1 by the only link of 2 cannot leave it by another than that."""
    with pytest.raises(ParameterError, match="way for every flit past these faults, but one from"):
        new_entries(deflection("petersen", link_up=True), "link:1-6,link:2-7,link:2-3")


def test_tables_that_cannot_be_written_have_no_entries() -> None:
    with pytest.raises(ParameterError, match="deflection routers with link_up: true, not"):
        new_entries(deflection("petersen"), "link:0-1")
