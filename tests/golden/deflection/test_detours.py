"""Tables past failed links: a flit that meets no other arrives, in the model of the routers."""

import numpy as np
import pytest

from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.detours import new_entries
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.traffic import Traffic
from tests.golden.deflection.examples import deflection
from tests.quick import only

LONG = 30
"""Hops after which a flit goes round for ever; the routes here have at most eight."""


def failing(network: DeflectionNetwork, ends: list[tuple[int, int]]) -> Deflection:
    """A model of which the links at some ports have failed, with new entries in its tables."""
    topology, model = network.topology, Deflection(network, [Traffic(network, 1.0, 1)])
    model.runs[0].stop()
    up = np.ones_like(topology.neighbour)
    for node, port in ends:
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        up[node, port] = up[there] = 0
    told = {"link_up": up @ (1 << np.arange(topology.degree))}
    model.tell(told)
    waiting = new_entries(
        network, ",".join(f"link:{v}-{topology.neighbour[v, p]}" for v, p in ends)
    )
    nodes = np.arange(topology.nodes)
    assert len({entry.node for entry in waiting}) > 2
    for entry in waiting:  # one in each cycle
        write = {"table_write": nodes == entry.node}
        write["table_destination"] = np.full_like(nodes, entry.destination)
        write["table_entry"] = np.full_like(nodes, entry.value)
        model.tell(told | write)
        model.run(1)
    model.tell(told | {"table_write": np.zeros_like(nodes)})
    model.run(network.hop_cycles)  # until routers know
    return model


def never_arrive(model: Deflection) -> list[tuple[int, int]]:
    """The pairs of terminals between which a flit that meets no other goes round for ever."""
    network, arrays, found = model.network, model.arrays, []
    terminals = network.topology.terminals.tolist()
    for source in terminals:
        for number, terminal in enumerate(terminals):
            packet = int(np.searchsorted(model.runs[0].traffic.source, source))
            arrays.packets[packet] = (0, 0, -1, -1, terminal, number, True)
            arrays.terminals.packet[0, source] = packet
            arrays.terminals.end[0, source] = packet + 1
            arrays.terminals.due[0, source] = 0
            arrays.clock["outstanding"] = 1
            model.run(network.hop_cycles * LONG, until_delivered=True)
            if not model.runs[0].all_delivered:
                found.append((source, terminal))
                arrays.routers.links["valid"] = False
                for register in ("arrived", "ranked", "switched"):
                    arrays.routers.router[register] = 0
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
