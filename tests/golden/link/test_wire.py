"""The wires and the masks of the harness itself."""

import math

import numpy as np
import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.ports import OsLink
from tests.golden.link.wire import Faults, Pairs, Timing, Wires


def test_delay_and_skew() -> None:
    timing = Timing(1, delay=[[10.0], [0.0]], skew=[[0.5], [-0.25]])
    wires = Wires(timing)
    both = np.array([0, 1])
    wires.send(both, np.array([1.0, 1.0]), np.array([True, True]))
    wires.send(both, np.array([5.0, 5.0]), np.array([False, False]))
    seen = {
        t: wires.read(np.array([t, t])).tolist() for t in (1.0, 1.1, 5.1, 5.3, 11.4, 11.6, 15.1)
    }
    assert seen == {
        1.0: [False, False],  # a transition at this very time is not seen yet
        1.1: [False, True],
        5.1: [False, True],  # falling edges of the second wire are late
        5.3: [False, False],
        11.4: [False, False],  # rising edges of the first
        11.6: [True, False],
        15.1: [False, False],
    }


def test_faults() -> None:
    faults = Faults(
        inverted=(np.array([2.0, math.inf]), np.array([3.0, math.inf])),
        stuck=(np.array([5.0, 1.0]), np.array([True, False])),
    )
    wires = Wires(Timing(1), faults)
    wires.send(np.array([1]), np.array([0.0]), np.array([True]))
    seen = [wires.read(np.array([t, t])).tolist() for t in (0.5, 2.0, 3.0, 5.0)]
    assert seen == [[False, True], [True, False], [False, False], [True, False]]


def test_more_than_a_wire_can_hold() -> None:
    wires = Wires(Timing(1, delay=1000.0))
    for i in range(64):
        wires.send(np.array([0]), np.array([float(i)]), np.array([i % 2 == 0]))
    message = r"^Wires needs at most 64 transitions under way, not more$"
    with pytest.raises(ValueError, match=message):
        wires.send(np.array([0]), np.array([64.0]), np.array([True]))


def state(link: OsLink, port: int) -> list[object]:
    return [array.reshape(link.ports, -1)[port].tolist() for array in link.state]


def drive(link: OsLink, clocks: int, seed: int) -> None:
    """Let all ports go through the same clocks."""
    rng = np.random.default_rng(seed)
    for _ in range(clocks):
        wire, valid, ready, ask = rng.random(4) < (0.4, 0.5, 0.5, 0.02)
        full = (np.full(2, x) for x in (wire, int(rng.integers(256)), valid, ready, ask))
        link.step(*full)


def test_restart() -> None:
    parameters = OsLinkParameters(4, 3, timeout=30, breaks=True)
    link = OsLink(2, parameters)
    drive(link, 500, 1)
    before = state(link, 0)
    link.restart(np.array([False, True]))
    for name in ("line", "metastable"):  # they have no reset
        link.receiver[name][1] = False
    assert state(link, 1) == state(OsLink(2, parameters), 1)
    assert state(link, 0) == before


def test_every_clock_ticks_in_its_time() -> None:
    timing = Timing(3, period=[[1.0] * 3, [1.03, 0.97, 1.0]], start=[[0.0] * 3, [0.9, 0.0, 0.5]])
    pairs = Pairs(OsLinkParameters(4), timing, 1000)
    pairs.run(900)
    assert (pairs.edge >= 900).all()
    np.testing.assert_allclose(pairs.edge, timing.start + pairs.ticks * timing.period)
    # No clock runs ahead of the other of its pair.
    assert (np.abs(pairs.edge[:3] - pairs.edge[3:]) <= 1.03).all()
