"""Margins of a receiver, against where it samples (docs/design/os-link-internals.md, R1 to R9)."""

import numpy as np
import pytest

from fingerpost.golden.link.margins import hears, ignores
from fingerpost.golden.link.parameters import OsLinkParameters

CLOCKS = 4, 5, 8, 16
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


def test_four_clocks_a_bit_have_no_room_for_skew_at_two_percent() -> None:
    few, more = (hears(port(n, "checked"), offset=-0.02, skew=np.array([-0.06])) for n in (4, 5))
    assert not few.any()
    assert more.all()


@pytest.mark.parametrize("n", CLOCKS)
def test_pulses_on_a_quiet_line(n: int) -> None:
    # R2: bit 0 is sampled floor((N-1)/2) clocks behind the rise.
    assert ignores(port(n, "checked"), (n - 1) // 2 / n + STEPS).tolist() == [True, False]
