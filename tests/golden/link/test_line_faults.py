"""Lines that fail: which flag tells, and what stays unsaid (docs/design/os-link-internals.md)."""

import math

import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from tests.golden.link.wire import Faults, Pairs, Timing

N, LANES = 5, 60


def run(
    parameters: OsLinkParameters, *, stuck: tuple[float, bool] | None = None, bits: float = 500
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
    assert (pairs.errors & ~(1 << ERRORS.index("link_break") | 1) == 0).all()
    pairs = run(OsLinkParameters(N, timeout=60))
    assert not pairs.errors.any()
    assert not pairs.wrong().any()


@pytest.mark.parametrize("timeout", [0, 60])
def test_a_cut_line_is_known_by_the_timeout_alone(timeout: int) -> None:
    """It reads low, as an idle one does: 'a stuck-low line cannot be told from idle'."""
    pairs = run(OsLinkParameters(N, timeout=timeout), stuck=(100, False))
    first, second = np.split(np.arange(2 * LANES), 2)
    # The byte of the first is lost, that of the second is not acknowledged: both wait for ever.
    assert (pairs.accepted > pairs.done).all()
    assert (pairs.accepted < 12).all()
    assert raised(pairs, "err_timeout").all() == (timeout > 0)
    assert not raised(pairs, "err_timeout").any() or timeout
    for name in ("err_frame", "err_ack", "err_over", "link_break"):
        assert not raised(pairs, name).any()
    # A packet cut short still has a low stop bit: a wrong byte may be delivered unnoticed.
    assert not pairs.wrong()[first].any()
    assert pairs.wrong()[second].any()


def test_the_timeout_is_as_long_as_it_says() -> None:
    for timeout in (40, 90):
        pairs = run(OsLinkParameters(N, timeout=timeout), stuck=(0, False), bits=32 + timeout + 7)
        # Sent after 32 bits of hold, and a clock or two; none of the first ports' bytes arrives.
        assert raised(pairs, "err_timeout")[:LANES].all()
        pairs = run(OsLinkParameters(N, timeout=timeout), stuck=(0, False), bits=32 + timeout + 4)
        assert not raised(pairs, "err_timeout")[:LANES].any()


@pytest.mark.regress
@pytest.mark.parametrize("breaks", [False, True])
def test_a_line_stuck_high(breaks: bool) -> None:
    pairs = run(OsLinkParameters(N, breaks=breaks, timeout=120), stuck=(170, True))
    first, second = np.split(np.arange(2 * LANES), 2)
    # The second ports see it: a stop bit that is high (R6), or a break that they answer.
    told = np.zeros(2 * LANES, np.int64)
    for ports, _ in pairs.breaks:
        told[ports] += 1
    if breaks:
        assert raised(pairs, "link_break").all()
        assert (told[second] == 2).all()  # one at the start, and this one
    else:
        assert raised(pairs, "err_frame")[second].mean() > 0.5
        assert raised(pairs, "err_timeout")[first].all()
        assert raised(pairs, "err_timeout")[second].all()
    assert not raised(pairs, "err_over").any()
