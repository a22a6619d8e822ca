"""Breaks: every loss is reported, and the link recovers (docs/design/os-link-internals.md)."""

import math
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.packets import BREAK
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from tests.golden.link.test_waveforms import FloatArray, Pairs, Timing
from tests.networks import only

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
