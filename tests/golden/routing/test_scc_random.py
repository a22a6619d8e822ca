import numpy as np
import pytest

from fingerpost.golden.routing.scc_random import Random
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.scc import Scc
from fingerpost.golden.topology.star import Star
from tests.golden.star_group import b_list


def label(topology: Topology, node: int) -> tuple[int, ...]:
    return tuple(map(int, topology.name(node).split(":")[-1]))


@pytest.mark.parametrize("topology", [Star(n=5), Scc(n=4), Scc(n=5)], ids=["star", "scc4", "scc5"])
def test_alternatives_are_the_links_of_b(topology: Star | Scc) -> None:
    routing = Random(topology)
    n = topology.n
    identity = topology.node(("" if isinstance(topology, Star) else "2:") + "12345"[:n])
    node = np.arange(topology.nodes)
    local = np.full_like(node, topology.local)
    header = routing.encode(node, np.full_like(node, identity))
    packet, decision = routing.alternatives(node, local, header)
    assert not decision.error.any()
    for k in node.tolist():
        b = sorted(b_list(label(topology, k)))
        ports = decision.port[packet == k].tolist()
        if not b:
            assert len(ports) == 1
        elif isinstance(topology, Star):
            assert ports == [link - 2 for link in b]
        else:
            targets = (routing.header.cut("target", decision.header[packet == k]) + 1).tolist()
            here = int(topology.name(k)[0])
            assert targets == [1 if link == here else link for link in b]
            assert [port == topology.lateral for port in ports] == [link == here for link in b]


@pytest.mark.parametrize("topology", [Star(n=4), Scc(n=4)], ids=["star", "scc"])
def test_every_selection_leads_to_one_of_the_alternatives_and_all_do_evenly(
    topology: Star | Scc,
) -> None:
    routing = Random(topology)
    selections = np.arange(0, 1 << 16, 7)
    for k in range(1, topology.nodes, 5):
        node = np.full_like(selections, k)
        header = routing.encode(node, np.zeros_like(node))
        port, onward, _ = routing.decide(node, node * 0, header, selections)
        _, every = routing.alternatives(node[:1], node[:1] * 0, header[:1])
        found, counts = np.unique(np.stack([port, onward]), axis=1, return_counts=True)
        pairs = set(zip(*found.tolist(), strict=True))
        assert pairs == set(zip(every.port.tolist(), every.header.tolist(), strict=True))
        assert len(pairs) == len(every.port)
        assert counts.max() - counts.min() <= 1


def test_target_is_kept_until_it_is_taken() -> None:
    scc = Scc(n=6)
    routing = Random(scc)
    rng = np.random.default_rng(3)
    node = rng.integers(scc.nodes, size=300)
    header = routing.encode(node, rng.integers(scc.nodes, size=300))
    first = routing.decide(node, node * 0, header, rng.integers(1 << 16, size=300))
    on_ring = first.port < scc.lateral
    kept = routing.header.cut("target", first.header)
    drawn = on_ring & (kept > 0)
    assert drawn.sum() > 100
    # The next node keeps it, whatever its selection, or takes it; after that there is none.
    there, header = scc.neighbour[node, first.port % 3][drawn], first.header[drawn]
    for selection in (None, 0, (1 << 16) - 1):
        chance = None if selection is None else np.full_like(header, selection)
        second = routing.decide(there, there * 0, header, chance)
        after = routing.header.cut("target", second.header)
        arrived = scc.position(there) - 1 == kept[drawn]
        assert ((second.port == scc.lateral) == arrived).all()
        assert (after == np.where(arrived, 0, kept[drawn])).all()
    packet, _ = routing.alternatives(there, there * 0, header)
    assert packet.tolist() == list(range(len(there)))  # nothing is left to chance


def test_without_a_selection_the_smallest_link_is_drawn() -> None:
    star = Star(n=5)
    node = np.array([star.node("13254")])
    header = Random(star).encode(node, np.array([star.node("12345")]))
    assert Random(star).decide(node, node * 0, header).port.tolist() == [0]  # link 2


@pytest.mark.parametrize(("n", "mean"), [(4, 5.5 + 1 / 72), (5, 9.25 + 1 / 72)])
def test_average_is_that_of_section_3(n: int, mean: float) -> None:
    # Eq. (14) + (d(loc) - d(in))/n!; means of 40 routes from each node, so within 4 sigma.
    scc = Scc(n=n)
    routing = Random(scc)
    source = np.tile(np.arange(scc.nodes), 40)
    goal = scc.node("2:" + "12345"[:n])
    hops = walk(routing, source, np.full_like(source, goal), seed=5).hops
    assert abs(hops.mean() - mean) < 4 * hops.std() / len(hops) ** 0.5
