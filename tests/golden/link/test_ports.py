"""Pairs of ports on different clocks, wires that are not ideal, and lines that fail.

docs/design/os-link-internals.md has the rules."""

import math
from typing import Any, Literal

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.packets import BREAK
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from tests.golden.link.test_rates import passes
from tests.golden.link.test_waveforms import Faults, FloatArray, Pairs, Timing
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


MOST = 240
"""Bytes that each port has, numbered: fewer than a byte can tell apart."""

SIGNALLED = 220
"""Bits from a byte to the break that loses it: 64 of hold, a packet, the break, and its answer."""


def breaks_of(pairs: Pairs) -> list[FloatArray]:
    """Return when each port was told of a break."""
    ports = np.concatenate([p for p, _ in pairs.breaks])
    times = np.concatenate([t for _, t in pairs.breaks])
    return [np.sort(times[ports == p]) for p in range(pairs.ports)]


def numbered(parameters: OsLinkParameters, lanes: int, bits: float, **options: Any) -> Pairs:
    """Return pairs with random clocks, traffic and stalls whose bytes are numbers."""
    n, seed = parameters.clocks_per_bit, options.pop("seed", 0)
    rng = np.random.default_rng(seed)
    timing = Timing(
        lanes,
        period=1 + rng.uniform(-0.005, 0.005, (2, lanes)),
        start=rng.random((2, lanes)),
        delay=options.pop("delay", 0.0) * n,
    )
    pairs = Pairs(parameters, timing, bits * n, seed=seed, most=MOST, **options)
    pairs.data[:] = np.arange(MOST)
    pairs.valid[:] = rng.choice([1, 0.2, 0.05], 2 * lanes)
    pairs.ready[:] = rng.choice([1, 0.2, 0.05], 2 * lanes)
    pairs.reset = np.stack([np.zeros(2 * lanes), rng.uniform(0, 100, 2 * lanes) * n])
    return pairs


def works(pairs: Pairs, since: float) -> BoolArray:
    """Tell which ports got all bytes, in order, that the other end took from a time on.

    They must be some, and the last may still be under way.
    """
    good = np.zeros(pairs.ports, np.bool_)
    for port in range(pairs.ports):
        sender = (port + pairs.lanes) % pairs.ports
        taken = np.arange(pairs.accepted[sender])
        taken = taken[pairs.accept_time[sender, taken] >= since]
        got = pairs.received[port, : pairs.delivered[port]]
        got = got[pairs.deliver_time[port, : pairs.delivered[port]] >= since]
        got = got[np.isin(got, taken)]
        good[port] = len(got) >= 2 and (got == taken[: len(got)]).all()
        good[port] &= len(taken) - len(got) <= pairs.parameters.fifo + 1
    return good


def unsaid(pairs: Pairs) -> list[tuple[int, int]]:
    """Return the ports and numbers of bytes lost without a break at both ends, or out of order."""
    told, found = breaks_of(pairs), []
    window = SIGNALLED * pairs.parameters.clocks_per_bit
    for port in range(pairs.ports):
        sender = (port + pairs.lanes) % pairs.ports
        got = pairs.received[port, : pairs.delivered[port]]
        if (np.diff(got) <= 0).any():
            found.append((port, -1))
            continue
        for byte in np.setdiff1d(np.arange(got.max(initial=0)), got):
            taken = pairs.accept_time[sender, byte]
            if any(
                not ((told[p] >= taken - 1e-6) & (told[p] <= taken + window)).any()
                for p in (sender, port)
            ):
                found.append((port, int(byte)))
    return found


CASES: tuple[dict[str, Any], ...] = (
    {"delay": 8.0},
    {"slot": 12},
    {"clocks_per_bit": 5, "timeout": 200},
    {"delay": 1.0, "fifo": 1, "acknowledge": "late", "timeout": 200},
)


@pytest.mark.parametrize("case", only([CASES[2]], CASES), ids=str)
def test_storm_of_breaks(case: dict[str, Any]) -> None:
    """Both ends ask again and again, often at once or while the other answers."""
    delay, seed = case.get("delay", 0.0), 2
    given = {key: value for key, value in case.items() if key != "delay"}
    p = OsLinkParameters(**{"clocks_per_bit": 4, "breaks": True} | given)
    n, lanes = p.clocks_per_bit, 100 if case is CASES[2] else 1000
    pairs = numbered(p, lanes, 1400, seed=seed, delay=delay)
    rng = np.random.default_rng(seed)
    # Both ends ask for breaks at random times: a row for each port.
    times = np.cumsum(rng.exponential(90, (pairs.ports, 24)), axis=1)
    pairs.ask = np.where(times < 600, times * n, math.inf)
    # Some at the same time as the other end, or nearly so.
    near = pairs.ask[:lanes] + rng.choice([0, 1, 5, 40, 64], (lanes, 1)) * n
    pairs.ask[lanes:] = np.where(rng.random((lanes, 1)) < 0.5, near, pairs.ask[lanes:])
    pairs.run(950 * n)
    last = max(times[-1] for times in breaks_of(pairs))
    assert last < 900 * n  # they do not go on answering each other
    # Slots of 12 bits: a port that never pauses leaves no room for bytes between acknowledges (A4).
    pairs.valid[:], pairs.ready[:] = 0.01 if p.slot else 0.3, 0.5
    pairs.run(1350 * n)
    assert unsaid(pairs) == []
    assert works(pairs, 950 * n).all()
    flags = {name for i, name in enumerate(ERRORS) if (pairs.errors >> i & 1).any()}
    # The head of a break is as that of a byte, and its middle no stop bit: R6 and R8 tell so.
    assert flags <= {"link_break", "err_frame", "err_window", "err_timeout"}
    pairs.packets(np.where(pairs.reset[1] > 0, 1, 0))


@pytest.mark.regress
def test_one_break_is_answered_by_one() -> None:
    """Whatever the ports do at that time: in the middle of a byte, of an acknowledge, or idle."""
    n, lanes = 5, 300
    pairs = numbered(OsLinkParameters(n, breaks=True), lanes, 700)
    pairs.reset[:] = -math.inf
    pairs.ask[:lanes, 0] = np.random.default_rng(3).uniform(200, 240, lanes) * n
    pairs.run(650 * n)
    assert {len(times) for times in breaks_of(pairs)} == {2}  # that after the reset, and this
    packets = pairs.packets()
    breaks = np.bincount(packets.wire[packets.kind == BREAK], minlength=2 * lanes)
    assert (breaks == 2).all()
    # A packet under way first, 12 bits high, two flip-flops; then so again for the answer.
    times = np.stack([x[1] for x in breaks_of(pairs)]) / n
    wait = times[lanes:] - pairs.ask[:lanes, 0] / n
    assert wait.min() >= 12
    assert wait.max() <= 11 + 12 + 1.2
    assert (times[:lanes] - times[lanes:]).max() <= 11 + 12 + 1.2
    assert works(pairs, 330 * n).all()
    assert unsaid(pairs) == []
