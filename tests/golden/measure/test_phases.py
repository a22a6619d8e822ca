import numpy as np
import pytest

from fingerpost.golden.measure.phases import Phases, Window, settled

NOTHING, LOST = Window(0, 0, 0, 0), Window(3, 0, 0, 0)


def window(latency: int, accepted: int = 1000) -> Window:
    return Window(offered=1000, accepted=accepted, packets=1, total=latency)


@pytest.mark.parametrize(
    ("before", "after", "steady"),
    [
        # Latency within five percent.
        (window(100), window(95), True),
        (window(95), window(100), True),
        (window(1000), window(949), False),
        (window(949), window(1000), False),
        # Beyond saturation latency rises without end: what is accepted counts.
        (window(100, 500), window(200, 480), True),
        (window(100, 500), window(101, 470), False),
        (window(100, 0), window(100, 0), False),  # it has not begun, or never will
        (window(100), window(120, 970), False),  # while one keeps up the network still fills
        (NOTHING, NOTHING, True),
        (NOTHING, LOST, False),
        (Window(3, 3, 1, 9), NOTHING, False),
    ],
)
def test_what_is_steady(before: Window, after: Window, *, steady: bool) -> None:
    assert settled(before, after) == steady


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
