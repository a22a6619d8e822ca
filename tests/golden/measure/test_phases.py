import numpy as np
import pytest

from fingerpost.golden.measure.phases import Phases, Window, settled


def quiet(latency: float) -> Window:
    return Window(offered=1000, accepted=1000, latency=latency)


def behind(accepted: int, latency: float) -> Window:
    return Window(offered=1000, accepted=accepted, latency=latency)


def test_latency_within_five_percent_is_steady() -> None:
    assert settled(quiet(100), quiet(95))
    assert settled(quiet(95), quiet(100))
    assert not settled(quiet(100), quiet(94.9))
    assert not settled(quiet(94.9), quiet(100))


def test_beyond_saturation_it_is_what_is_accepted_that_is_steady() -> None:
    assert settled(behind(500, 100), behind(480, 200))  # latency rises without end
    assert not settled(behind(500, 100), behind(470, 101))
    assert not settled(behind(0, 100), behind(0, 100))  # it has not begun, or never will
    # While one of them keeps up the network still fills.
    assert not settled(quiet(100), behind(970, 120))


def test_nothing_to_send_is_steady_and_nothing_delivered_is_not() -> None:
    nothing = Window(0, 0, None)
    assert settled(nothing, nothing)
    assert not settled(nothing, Window(3, 0, None))
    assert not settled(Window(3, 3, 9.0), nothing)


def test_window_counts_what_is_made_and_what_comes_out() -> None:
    time = np.array([0, 9, 10, 12, 19, 20])
    length = np.array([1, 2, 4, 8, 16, 32])
    delivered = np.array([5, 10, 30, 19, -1, 25])
    window = Window.of(time, length, delivered, 10, 20)
    assert (window.offered, window.accepted) == (4 + 8 + 16, 2 + 8)
    assert window.latency == pytest.approx(((10 - 9) + (19 - 12)) / 2)
    assert Window.of(time, length, delivered, 40, 50).latency is None


def test_keeping_up_is_98_percent() -> None:
    assert Window(1000, 980, 1).keeps_up
    assert not Window(1000, 979, 1).keeps_up


def test_phases_that_are_given_are_kept() -> None:
    phases = Phases(100, warm_up=30, drain=7)
    assert (phases.longest_warm_up, phases.longest_drain, phases.horizon) == (30, 7, 137)


def test_phases_that_are_found_have_a_limit() -> None:
    phases = Phases(4000)
    assert (phases.window, phases.longest_warm_up) == (1000, 20_000)
    assert phases.longest_drain == 8000
    assert phases.horizon == 20_000 + 4000 + 1000
    assert Phases(10).longest_drain == 5000
    assert Phases(1).window == 1
