"""Terminals that send any bits for a header: everything is delivered, or refused and counted."""

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.model import CreditTerminalModel, Model, Traffic
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import BAD_HEADER, WELL_FORMED
from fingerpost.netfile.source import load
from tests.golden.model.networks import drain
from tests.golden.raw_headers import NETWORKS, SMALL, ends


class Raw(Traffic):
    """Packets with given headers, all made in cycle 0, one after the other at each source."""

    def __init__(self, network: Network, source: IntArray, header: IntArray, length: int) -> None:
        super().__init__(network, 1.0, 1)
        order = np.argsort(source, kind="stable")
        self.source, self.header = source[order], header[order]
        self.message_class = np.zeros_like(self.source)
        self.destination, refused = ends(network.routing, self.source, self.header)
        self.kind = np.where(refused, BAD_HEADER, WELL_FORMED)
        self.time, self.salt = np.zeros_like(self.source), np.arange(len(source))
        self.length = np.full_like(self.source, length)

    def flits(self, packet: IntArray, index: IntArray) -> tuple[BoolArray, BoolArray, IntArray]:
        """Put the given header in the place of the encoded one."""
        head, tail, data = super().flits(packet, index)
        everything = (1 << self.network.routing.header.width) - 1
        return head, tail, np.where(head, data & ~everything | self.header[packet], data)


def assert_all_come_out(traffic: Raw, most: int) -> None:
    """Send all packets, and look for each of them: delivered, or counted where it entered."""
    assert isinstance(traffic.network, Network)
    model, terminals = Model(traffic.network), CreditTerminalModel(traffic)
    drain(model, terminals, 0, most=most)
    assert terminals.faults == []
    assert ((terminals.delivered >= 0) == (traffic.kind == WELL_FORMED)).all()
    refused = np.bincount(
        traffic.source[traffic.kind == BAD_HEADER], minlength=traffic.network.topology.nodes
    )
    assert model.errors.tolist() == np.minimum(refused, 255).tolist()


def test_an_anchor_from_the_terminal_does_not_close_a_cycle() -> None:
    # p = 4321, to ring position 3, with anchor 3: no route of Algorithm 2 begins with one. Three
    # packets that are as long as the cycle wait for each other, if the anchor is believed.
    network = load(NETWORKS / "scc-4.yaml")
    raw = network.routing.header.pack(p1=3, p2=2, p3=1, p4=0, i_d=2, anchor=2)
    assert raw == 0xA1B
    source = np.array([3, 31, 54])
    traffic = Raw(network, source, np.full(3, raw), length=60)
    assert (traffic.kind == WELL_FORMED).all()
    assert_all_come_out(traffic, most=1000)


LONG = ("metacyclic-84", "mesh-8x8", "torus-8x8", "hypercube-6", "scc-4", "kyklos-2-2-6",
        "chordal-ring-16", "super-rotator-23")  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.regress] if name in LONG else [])
        for name in SMALL
        if "os-link" not in name
    ],
)
def test_storm_of_raw_headers(name: str) -> None:
    network = load(NETWORKS / f"{name}.yaml")
    routing, terminals = network.routing, network.topology.terminals
    rng = np.random.default_rng(4)
    source = np.repeat(terminals, 6)
    header = rng.integers(1 << routing.header.width, size=len(source))
    # Random bits are seldom a permutation: every second header has what a terminal should send,
    # and only the bits that it should not are random.
    sent = [routing.header[name] for name in routing.sent]
    mask = np.bitwise_or.reduce([((1 << f.width) - 1) << f.offset for f in sent])
    good = routing.encode(source, rng.choice(terminals, len(source))) & mask
    header = np.where(np.arange(len(source)) % 2 == 0, header, good | header & ~mask)
    assert_all_come_out(Raw(network, source, header, length=25), most=20_000)
