from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.model import CreditTerminalModel, Model, Traffic, cycle
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED
from tests.golden.model.networks import borel21, drain, is_empty, start

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


def account(model: Model, terminals: CreditTerminalModel) -> None:
    """Every credit, and every flit, is at one place."""
    v, depth = model.channels, model.network.buffer_depth
    queues = model.nodes * model.ports * v
    linked = np.repeat(model.port != model.local, v)
    level = np.zeros(queues, np.int64)
    by_credit, by_link, crossing = level.copy(), level.copy(), level.copy()
    credits, waiting = model.allocation.credits, model.vc_buffers.level
    # All at the queue (of an input) to which they belong
    np.add.at(by_credit, model.credit, 1)
    np.add.at(by_link, model.link_dst[model.link.port_index] * v + model.link.channel, 1)
    np.add.at(crossing, model.link_dst[model.st_flit.port_index] * v + model.st_flit.channel, 1)
    sender = (model.link_src[:, None] * v + np.arange(v)).ravel()
    total = credits[sender] + crossing + by_link + waiting + by_credit
    assert (total[linked] == depth).all()

    injects = (np.arange(model.nodes) * model.ports + model.local) * v
    entering, leaving = np.zeros(model.nodes, np.int64), np.zeros(model.nodes, np.int64)
    for flits in model.injection:
        np.add.at(entering, flits.port_index // model.ports, 1)
    np.add.at(leaving, model.ejected.port_index // model.ports, 1)
    total = terminals.credits + entering + waiting[injects] + by_credit[injects]
    assert (total == model.network.terminal_depth).all()
    total = credits[injects] + crossing[injects] + leaving + terminals.backlog
    assert (total == depth).all()
    moving = (by_link, crossing, entering, leaving)
    inside = int(waiting.sum()) + sum(int(flits.sum()) for flits in moving)
    if (terminals.traffic.kind == WELL_FORMED).all():  # nothing is drained
        assert terminals.sent_flits == inside + terminals.received_flits


def assert_at_rest(model: Model) -> None:
    """All credits are back, no channel is in use, and no terminal sent without a credit."""
    assert (model.allocation.credits == model.network.buffer_depth).all()
    assert not model.allocation.busy.any()
    assert not model.overruns.any()


@settings(max_examples=25)
@given(traffics, stalls)
def test_every_packet_is_delivered_and_every_credit_comes_back(
    traffic: Traffic, stall: float
) -> None:
    model, terminals = start(traffic, stall=stall)
    seen: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    now = 0
    while not (terminals.empty and is_empty(model)):
        some = model.ejected
        columns = some.port_index, some.head, some.tail, some.tag
        for port_index, head, tail, tag in zip(*columns, strict=True):
            seen[int(tag)].append((int(port_index) // model.ports, bool(head), bool(tail)))
        cycle(model, terminals, now)
        account(model, terminals)
        now += 1
        assert now < 20_000, terminals.missing
    assert sorted(seen) == list(range(len(traffic.source)))
    for tag, flits in seen.items():
        length = int(traffic.length[tag])
        node = int(traffic.destination[tag])
        assert flits == [(node, i == 0, i == length - 1) for i in range(length)]
    assert terminals.faults == []
    assert (terminals.delivered > traffic.time).all()
    assert terminals.sent_flits == terminals.received_flits == traffic.length.sum()
    assert (terminals.credits == model.network.terminal_depth).all()
    assert_at_rest(model)
    assert not model.in_packet.any()
    assert not model.errors.any()


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


def check_errors(traffic: Traffic, stall: float) -> tuple[Model, CreditTerminalModel]:
    model, terminals = start(traffic, stall=stall)
    drain(model, terminals, 0, most=20_000)
    assert model.errors.tolist() == [min(255, count) for count in expected_errors(traffic)]
    assert terminals.faults == []
    assert_at_rest(model)
    return model, terminals


@settings(max_examples=25)
@given(malformed_traffics, stalls)
def test_malformed_packets_are_counted_where_they_enter(traffic: Traffic, stall: float) -> None:
    # Without packets that never end: those hold their channels.
    traffic.kind = np.where(traffic.kind == NO_TAIL, BAD_HEADER, traffic.kind)
    _, terminals = check_errors(traffic, stall)
    assert ((terminals.delivered >= 0) == (traffic.kind == WELL_FORMED)).all()


@settings(max_examples=25)
@given(malformed_traffics, stalls)
def test_packet_without_a_tail_ends_with_the_next(traffic: Traffic, stall: float) -> None:
    # The last packet of each source has its tail, so that nothing stays open.
    ends = np.append(traffic.source[1:] != traffic.source[:-1], [True])[: len(traffic.source)]
    traffic.kind[ends] = WELL_FORMED
    model, terminals = check_errors(traffic, stall)
    assert terminals.all_delivered
    assert not model.in_packet.any()


def test_error_counter_stops_at_255() -> None:
    network = borel21()
    traffic = Traffic(network, 0.9, 1000, lengths=(2, 2), malformed=1)
    traffic.kind[:] = NO_HEAD
    model, terminals = start(traffic)
    drain(model, terminals, 0)
    assert model.errors.tolist() == [255] * 21
    assert terminals.received_flits == 0
