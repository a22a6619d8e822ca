"""Pairs of ports on different clocks, wires that are not ideal, and lines that fail.

docs/design/os-link-internals.md has the rules.
"""

import math
from typing import Literal

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from tests.golden.link.test_rates import passes
from tests.golden.link.test_waveforms import Faults, Pairs, Timing
from tests.networks import only

CLOCKS = 4, 5, 8, 16


def limit(n: int) -> float:
    """Return by how much one clock may be slower than the other, as a fraction.

    The stop bit is sampled (10N + floor((N-1)/2)) to one clock more after its packet's edge, and
    must be 10N to 11N of the transmitter's clocks after it. In one direction the receiver is
    slower, in the other it is faster.
    """
    middle = 10 * n + (n - 1) // 2
    return min(11 * n / (middle + 1), middle / (10 * n)) - 1


@pytest.mark.parametrize("n", only([4], CLOCKS))
def test_all_bytes_arrive_up_to_some_difference_of_the_clocks(n: int) -> None:
    assert limit(n) > 0.02
    offsets = limit(n) * np.array([-1.08, -0.93, 0, 0.97, 1.03])
    good = passes(OsLinkParameters(n), offsets, packets=40)
    assert good.tolist() == [False, True, True, True, False]


@pytest.mark.parametrize("n", only([5], CLOCKS))
def test_jitter_and_skew(n: int) -> None:
    # 0.1 bit at each edge, or between the edges; 0.06 (3 ns) is asked for.
    for skew in (-0.1 * n, 0.1 * n):
        given = {"phases": 16, "skew": skew, "jitter": 0.02 * n}
        assert passes(OsLinkParameters(n), np.array([-0.005, 0.005]), **given).all()  # type: ignore[arg-type]


@pytest.mark.regress
@pytest.mark.parametrize("n", [4, 5, 8])
@pytest.mark.parametrize("acknowledge", ["overlap", "late"])
@pytest.mark.parametrize("fifo", [1, 2, 4])
def test_messages_both_ways(n: int, acknowledge: Literal["overlap", "late"], fifo: int) -> None:
    """Occam style: raw bytes, whenever a process has one and another wants one."""
    lanes, most = 120, 20
    rng = np.random.default_rng(n)
    timing = Timing(
        lanes,
        period=1 + rng.uniform(-0.005, 0.005, (2, lanes)),
        start=rng.random((2, lanes)),
        jitter=0.1,
        delay=rng.uniform(0, 3 * n, (2, lanes)),
    )
    clocks = 2400.0 * n
    pairs = Pairs(OsLinkParameters(n, fifo, acknowledge), timing, clocks, seed=n, most=most)
    pairs.valid[:] = rng.choice([0.01, 0.05, 0.3, 1], 2 * lanes)
    pairs.ready[:] = rng.choice([0.01, 0.05, 0.3, 1], 2 * lanes)
    while pairs.delivered.min() < most and pairs.edge.max() < clocks - 60 * n:
        pairs.run(pairs.edge.max() + 20 * n)
    pairs.run(pairs.edge.max() + 40 * n)
    assert (pairs.delivered == most).all()
    assert (pairs.done == most).all()
    assert not pairs.wrong().any()
    assert not pairs.errors.any(), ERRORS
    assert pairs.link.idle.all()
    # R, A and T on the wires themselves: every byte acknowledged once, none before.
    assert len(pairs.check().wire) == 4 * lanes * most


def test_a_port_without_room_waits_for_ever_and_loses_nothing() -> None:
    n, lanes = 5, 8
    timing = Timing(lanes, start=np.stack([np.zeros(lanes), np.arange(lanes) / lanes]))
    pairs = Pairs(OsLinkParameters(n), timing, 900.0 * n, most=12)
    pairs.ready[lanes:] = 0
    pairs.run(400 * n)
    # Section 1: a byte that is not taken stays unacknowledged. A3: two places, so two bytes and
    # an acknowledge for the first only.
    assert (pairs.accepted[:lanes] == 2).all()
    assert (pairs.done[:lanes] == 1).all()
    assert (pairs.delivered[:lanes] == 12).all()  # the other way goes on
    pairs.ready[lanes:] = 1
    pairs.run(800 * n)
    assert (pairs.delivered == 12).all()
    assert not pairs.wrong().any()
    assert not pairs.errors.any()


# Lines that fail: which flag tells, and what stays unsaid.

N, LANES = 5, 60


def run(
    parameters: OsLinkParameters, stuck: tuple[float, bool] | None = None, *, bits: float = 500
) -> Pairs:
    """Let all pairs exchange bytes; from a time in bits on the wires of the first ports fail."""
    faults = Faults()
    if stuck is not None:
        since = np.full(2 * LANES, math.inf)
        # All phases of a packet.
        since[:LANES] = (stuck[0] + np.linspace(0, 14, LANES)) * N
        faults.stuck = since, np.full(2 * LANES, stuck[1])
    start = np.stack([np.zeros(LANES), np.arange(LANES) / LANES])
    pairs = Pairs(parameters, Timing(LANES, start=start), bits * N, faults=faults)
    pairs.data[:] = np.arange(pairs.data.shape[1])
    pairs.run((bits - 5) * N)
    return pairs


def raised(pairs: Pairs, name: str) -> BoolArray:
    found: BoolArray = (pairs.errors >> ERRORS.index(name) & 1) == 1
    return found


def test_nothing_is_wrong_on_a_good_line() -> None:
    pairs = run(OsLinkParameters(N, timeout=60, breaks=True))
    assert set(pairs.errors.tolist()) <= {0, 1 << ERRORS.index("link_break")}


@pytest.mark.parametrize("timeout", [0, 60])
def test_a_cut_line_is_known_by_the_timeout_alone(timeout: int) -> None:
    """It reads low, as an idle one does: 'a stuck-low line cannot be told from idle'."""
    pairs = run(OsLinkParameters(N, timeout=timeout), (100, False))
    first, second = np.split(np.arange(2 * LANES), 2)
    # The byte of the first is lost, that of the second is not acknowledged: both wait for ever.
    assert (pairs.accepted > pairs.done).all()
    assert (pairs.accepted < 12).all()
    assert set(raised(pairs, "err_timeout").tolist()) == {timeout > 0}
    for name in ("err_frame", "err_ack", "err_over", "link_break"):
        assert not raised(pairs, name).any()
    # A packet cut short still has a low stop bit: a wrong byte may be delivered unnoticed.
    assert not pairs.wrong()[first].any()
    assert pairs.wrong()[second].any()


def test_the_timeout_is_as_long_as_it_says() -> None:
    for timeout in (40, 90):
        pairs = run(OsLinkParameters(N, timeout=timeout), (0, False), bits=32 + timeout + 7)
        # Sent after 32 bits of hold, and a clock or two; none of the first ports' bytes arrives.
        assert raised(pairs, "err_timeout")[:LANES].all()
        pairs = run(OsLinkParameters(N, timeout=timeout), (0, False), bits=32 + timeout + 4)
        assert not raised(pairs, "err_timeout")[:LANES].any()


@pytest.mark.parametrize("breaks", [False, True])
def test_a_line_stuck_high(breaks: bool) -> None:
    pairs = run(OsLinkParameters(N, breaks=breaks, timeout=120), (170, True))
    second = np.arange(LANES, 2 * LANES)
    # The second ports see it: a stop bit that is high (R6), or a break that they answer.
    told = np.zeros(2 * LANES, np.int64)
    for ports, _ in pairs.breaks:
        told[ports] += 1
    if breaks:
        assert raised(pairs, "link_break").all()
        assert (told[second] == 2).all()  # one at the start, and this one
    else:
        assert raised(pairs, "err_frame")[second].mean() > 0.5
        assert raised(pairs, "err_timeout").all()
    assert not raised(pairs, "err_over").any()
