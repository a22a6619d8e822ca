"""Rates, latencies and margins of docs/design/os-link-internals.md, over all clock phases."""

import numpy as np
import pytest

from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.link.ports import OsLink
from tests.golden.link.rates import hears, ignores, rates, relayed
from tests.quick import only

CLOCKS = 4, 5, 8, 16
REFERENCE = {4: 2.25, 5: 2.2, 8: 1.875, 16: 1.6875}
"""a = t = (N + floor((N-1)/2) + 4)/N bits: section 3."""

LATE = {5: 13.4, 8: 12.75, 16: 12.4}
"""Section 4: bits from byte to byte, with late acknowledges or one place."""


@pytest.mark.parametrize("n", CLOCKS)
def test_one_way_bytes_follow_without_a_gap(n: int) -> None:
    found = rates(OsLinkParameters(n))
    np.testing.assert_allclose(found.period, 11.0)
    # The acknowledge of a byte that need not wait tells a; test limit: 2 clocks more.
    assert REFERENCE[n] - 1 / n < found.acknowledge.max() <= REFERENCE[n] + 1e-9


@pytest.mark.parametrize("n", CLOCKS)
def test_both_ways(n: int) -> None:
    period = rates(OsLinkParameters(n), both=True).period
    assert period.min() >= 13.0
    assert period.max() <= (13.3 if n < 8 else 13.0 + 1e-9)


@pytest.mark.parametrize("n", only([5], [5, 8, 16]))
@pytest.mark.parametrize("kind", [{"acknowledge": "late"}, {"fifo": 1}])
def test_late_acknowledges(n: int, kind: dict[str, object]) -> None:
    found = rates(OsLinkParameters(n, **kind))  # type: ignore[arg-type]
    # Which is a + t: each depends on the phase by a clock.
    assert found.period.mean() == pytest.approx(LATE[n], abs=0.21)
    assert found.period.max() <= LATE[n] + 1 / n + 0.05
    assert REFERENCE[n] - 1 / n < found.resume.max() <= REFERENCE[n] + 1e-9
    # The byte is known at the stop bit, and one clock later taken from its place.
    stop = (10 * n + (n - 1) // 2 + 4 + ("fifo" in kind)) / n
    assert found.acknowledge.max() == pytest.approx(stop, abs=1e-9)


@pytest.mark.parametrize("bits", only([1.75, 4.0], [1.75, 4.0, 0.4, 3.3, 8.0]))
def test_delay_of_the_wire(bits: float) -> None:
    one = rates(OsLinkParameters(5), delay=bits).period
    both = rates(OsLinkParameters(5), delay=bits, both=True).period
    assert one.max() <= max(11, 4.4 + 2 * bits) + 1e-9
    assert one.mean() >= max(11, 4.4 + 2 * bits) - 0.4
    assert 13.2 + bits - 0.4 <= both.mean() <= both.max() <= 13.2 + bits + 1e-9


@pytest.mark.parametrize("n", only([4], [4, 16]))
def test_slots(n: int) -> None:
    np.testing.assert_allclose(rates(OsLinkParameters(n, slot=12)).period, 12.0)
    # Here acknowledges take a slot each, too.
    period = rates(OsLinkParameters(n, slot=12), both=True).period
    np.testing.assert_allclose(period, 24.0)


@pytest.mark.parametrize("n", CLOCKS)
def test_relayed_byte(n: int) -> None:
    # s = (10N + floor((N-1)/2) + 4)/N, without anything in between: section 4.
    assert relayed(OsLinkParameters(n)) == pytest.approx((10 * n + (n - 1) // 2 + 4) / n)


@pytest.mark.regress
@pytest.mark.parametrize("slot", [0, 12, 10, 11, 20])
def test_a_peer_without_a_pause_does_not_silence_the_other(slot: int) -> None:
    # Two ports on one clock; the second has nothing to send until the first is under way.
    link = OsLink(2, OsLinkParameters(4, slot=slot))
    taken, every = np.zeros(2, np.int64), np.ones(2, np.bool_)
    for clock in range(12_000):
        offers = np.array([True, clock > 3000])
        taken += link.tx_ready & offers
        link.step(link.link_out[::-1], np.array([0x55, 0xAA]), offers, every)
    assert taken[1] > 0.7 * (9000 / 12_000) * taken[0] / 2
    assert not link.errors.any()


STEPS = np.array([-0.02, 0.02])
"""Beside a limit, in bits: good on this side, bad on the other."""


def port(n: int, stop: str) -> OsLinkParameters:
    return OsLinkParameters(n, stop=stop)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_that_is_shorter(n: int) -> None:
    # Its sample is up to floor((N-1)/2) + 1 clocks behind its start. Where it is ignored, it is
    # enough if one clock sees the line low.
    sampled, one = ((n - 1) // 2 + 1) / n, 1 / n
    assert hears(port(n, "checked"), stop=sampled - STEPS).tolist() == [True, False]
    assert hears(port(n, "ignored"), stop=one - STEPS).tolist() == [True, False]


@pytest.mark.parametrize("stop", ["checked", "ignored"])
@pytest.mark.parametrize("n", CLOCKS)
def test_edges_that_are_later_than_others(n: int, stop: str) -> None:
    # The first sample of a bit is floor((N-1)/2) clocks behind its start, the last one clock more.
    before, behind = (n - 1) // 2 / n, 1 - ((n - 1) // 2 + 1) / n
    # A rise that is late moves all samples; the next falls come too early for them, and reverse.
    assert hears(port(n, stop), skew=behind + STEPS).tolist() == [True, False]
    assert hears(port(n, stop), skew=-before - STEPS).tolist() == [True, False]


@pytest.mark.parametrize("n", CLOCKS)
def test_pulses_on_a_quiet_line(n: int) -> None:
    # R2: bit 0 is sampled floor((N-1)/2) clocks behind the rise.
    assert ignores(port(n, "checked"), (n - 1) // 2 / n + STEPS).tolist() == [True, False]
