from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED, Traffic
from tests.golden.model.networks import arriving, borel21

traffics = st.builds(
    Traffic,
    st.sampled_from([1, 2, 3, 4, 7]).map(borel21),
    st.floats(0.02, 0.9),
    st.integers(1, 120),
    seed=st.integers(0, 1000),
    lengths=st.sampled_from([(1, 1), (1, 5), (4, 4), (3, 9)]),
)
malformed_traffics = st.builds(
    Traffic,
    st.sampled_from([1, 4]).map(borel21),
    st.floats(0.02, 0.6),
    st.integers(1, 80),
    seed=st.integers(0, 1000),
    lengths=st.sampled_from([(1, 1), (1, 4), (3, 5)]),
    malformed=st.floats(0.05, 1),
)
stalls = st.sampled_from([0, 0.3, 0.9])


# Conservation.


class Sent:
    """A traffic in the model, with what is where between two cycles."""

    def __init__(self, traffic: Traffic, stall: float = 0.0) -> None:
        assert isinstance(traffic.network, Network)
        self.network, self.traffic = traffic.network, traffic
        model = engine(traffic.network, [traffic], stall=stall)
        assert isinstance(model, Wormhole)
        self.model = model
        self.run, self.config = self.model.runs[0], self.model.config
        self.state = of_run(self.model.arrays, 0)

    @property
    def sent_flits(self) -> int:
        terminals, length = self.state.terminals, self.traffic.length
        begun = np.arange(len(length)) < terminals.packet[self.traffic.source]
        return int(length[begun].sum() + terminals.next_flit.sum())

    def drain(self, most: int = 20_000) -> None:
        """Run until no flit and no credit is anywhere."""
        while not (self.run.empty and self.is_empty()):
            assert self.run.now < most
            self.model.run(20)

    def is_empty(self) -> bool:
        lines = self.state.in_flight
        masks = [lines.arriving, lines.credits, lines.terminal_credits, lines.injection["valid"]]
        return not (self.run.flits or any(mask.any() for mask in masks))

    def account(self) -> None:
        """Every credit, and every flit, is at one place."""
        config, lines, routers = self.config, self.state.in_flight, self.state.routers
        n, ports, v, local = config.nodes, config.ports, config.channels, config.local
        link = config.link.reshape(n, ports)
        credits = routers.credits.reshape(n, ports, v).astype(np.int64)
        level = routers.vc_buffer["level"].reshape(n, ports, v)
        moving, returning = np.zeros((2, n, ports, v), np.int64)  # by input, and by output
        for flits, masks in zip(lines.flits, lines.arriving[:, 0], strict=True):
            for node, port in np.argwhere(masks[:, None] >> np.arange(ports) & 1):
                moving[node, port, flits["channel"][node * ports + port]] += 1
        for masks in lines.credits[:, 0]:
            returning += (masks[:, None] >> np.arange(ports * v) & 1).reshape(n, ports, v)
        for node, port in np.argwhere(link["dst_node"] >= 0):
            there = link["dst_node"][node, port], link["dst_port"][node, port]
            if port != local:
                total = credits[node, port] + returning[node, port] + moving[there] + level[there]
                assert (total == self.network.buffer_depth).all()

        entering = lines.injection["valid"].sum(axis=0)
        back = lines.terminal_credits.sum(axis=0)
        total = self.state.terminals.credits + entering + level[:, local, 0] + back
        assert (total == self.network.terminal_depth).all()
        total = credits[:, local, 0] + moving[:, local, 0] + self.state.terminals.backlog
        assert (total == self.network.buffer_depth).all()
        inside = int(level.sum() + moving.sum() + entering.sum())
        assert self.run.flits == inside
        if (self.traffic.kind == WELL_FORMED).all():  # nothing is discarded
            assert self.sent_flits == inside + self.run.received.sum()

    def assert_at_rest(self) -> None:
        """All credits are back, no channel is in use, no terminal sent without a credit."""
        assert (self.state.routers.credits == self.network.buffer_depth).all()
        assert not self.state.routers.router["busy"].any()
        assert not self.run.overruns.any()

    @property
    def in_packet(self) -> bool:
        """Return whether a packet has come in without its tail."""
        return bool(self.state.routers.vc_buffer["in_packet"].any())


@settings(max_examples=25)
@given(traffics, stalls)
def test_every_packet_is_delivered_and_every_credit_comes_back(
    traffic: Traffic, stall: float
) -> None:
    sent = Sent(traffic, stall)
    seen: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    while not (sent.run.empty and sent.is_empty()):
        for place, flit in zip(*arriving(sent.model), strict=True):
            node, port = divmod(int(place), sent.config.ports)
            if port == sent.config.local:
                seen[int(flit["tag"])].append((node, bool(flit["head"]), bool(flit["tail"])))
        sent.model.run(1)
        sent.account()
        assert sent.run.now < 20_000
    assert sorted(seen) == list(range(len(traffic.source)))
    for tag, flits in seen.items():
        length = int(traffic.length[tag])
        node = int(traffic.destination[tag])
        assert flits == [(node, i == 0, i == length - 1) for i in range(length)]
    assert sent.run.faults == []
    assert (sent.run.delivered > traffic.time).all()
    assert sent.sent_flits == sent.run.received.sum() == traffic.length.sum()
    sent.assert_at_rest()
    assert not sent.in_packet
    assert not sent.run.errors.any()


# Malformed packets.


def expected_errors(traffic: Traffic) -> list[int]:
    """Count by the rules, flit for flit: each error is at the router of the source."""
    errors = [0] * traffic.network.topology.nodes
    for node in range(len(errors)):
        inside = False
        for number in np.flatnonzero(traffic.source == node).tolist():
            kind, length = int(traffic.kind[number]), int(traffic.length[number])
            for index in range(length):
                head = index == 0 and kind != NO_HEAD
                tail = index == length - 1 and kind != NO_TAIL
                if head and inside:
                    errors[node] += 1  # a head inside a packet
                elif head:
                    errors[node] += kind == BAD_HEADER
                    inside = True
                elif not inside:
                    errors[node] += 1  # a flit outside any packet
                inside = inside and not tail
    return errors


def check_errors(traffic: Traffic, stall: float) -> Sent:
    sent = Sent(traffic, stall)
    sent.drain()
    assert sent.run.errors.tolist() == [min(255, count) for count in expected_errors(traffic)]
    assert sent.run.faults == []
    sent.assert_at_rest()
    return sent


@settings(max_examples=25)
@given(malformed_traffics, stalls)
def test_malformed_packets_are_counted_where_they_enter(traffic: Traffic, stall: float) -> None:
    # Without packets that never end: those hold their channels.
    traffic.kind = np.where(traffic.kind == NO_TAIL, BAD_HEADER, traffic.kind)
    sent = check_errors(traffic, stall)
    assert ((sent.run.delivered >= 0) == (traffic.kind == WELL_FORMED)).all()


@settings(max_examples=25)
@given(malformed_traffics, stalls)
def test_packet_without_a_tail_ends_with_the_next(traffic: Traffic, stall: float) -> None:
    # The last packet of each source has its tail, so that nothing stays open.
    ends = np.append(traffic.source[1:] != traffic.source[:-1], [True])[: len(traffic.source)]
    traffic.kind[ends] = WELL_FORMED
    sent = check_errors(traffic, stall)
    assert sent.run.all_delivered
    assert not sent.in_packet


def test_error_counter_stops_at_255() -> None:
    traffic = Traffic(borel21(), 0.9, 1000, lengths=(2, 2), malformed=1)
    traffic.kind[:] = NO_HEAD
    sent = Sent(traffic)
    sent.drain()
    assert sent.run.errors.tolist() == [255] * 21
    assert sent.run.received.sum() == 0
