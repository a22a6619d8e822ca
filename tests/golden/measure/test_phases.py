import numpy as np
import pytest

from fingerpost.golden.measure.phases import Phases, Window, settled


def quiet(latency: int) -> Window:
    return Window(offered=1000, accepted=1000, packets=1, total=latency)


def behind(accepted: int, latency: int) -> Window:
    return Window(offered=1000, accepted=accepted, packets=1, total=latency)


def test_latency_within_five_percent_is_steady() -> None:
    assert settled(quiet(100), quiet(95))
    assert settled(quiet(95), quiet(100))
    assert not settled(quiet(1000), quiet(949))
    assert not settled(quiet(949), quiet(1000))


def test_beyond_saturation_it_is_what_is_accepted_that_is_steady() -> None:
    assert settled(behind(500, 100), behind(480, 200))  # latency rises without end
    assert not settled(behind(500, 100), behind(470, 101))
    assert not settled(behind(0, 100), behind(0, 100))  # it has not begun, or never will
    # While one of them keeps up the network still fills.
    assert not settled(quiet(100), behind(970, 120))


def test_nothing_to_send_is_steady_and_nothing_delivered_is_not() -> None:
    nothing = Window(0, 0, 0, 0)
    assert settled(nothing, nothing)
    assert not settled(nothing, Window(3, 0, 0, 0))
    assert not settled(Window(3, 3, 1, 9), nothing)


def test_window_counts_what_is_made_and_what_comes_out() -> None:
    time, length, delivered = np.array([[9, 12], [2, 8], [10, 19]])
    window = Window.of(time, length, delivered, 10)
    assert (window.offered, window.accepted) == (8, 2 + 8)
    assert window.latency == pytest.approx(((10 - 9) + (19 - 12)) / 2)
    assert window + Window(16, 0, 0, 0) == Window(8 + 16, 2 + 8, 2, 8)
    assert Window.of(time[:0], length[:0], delivered[:0], 40).latency is None


def test_keeping_up_is_98_percent() -> None:
    assert Window(1000, 980, 1, 1).keeps_up
    assert not Window(1000, 979, 1, 1).keeps_up


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
