"""Packets of a seed: the same as ever, wherever they are made; windows of a long run."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic import Traffic, Windows, spelling
from tests.golden.model.networks import borel21

COLUMNS = "source", "destination", "time", "length", "kind", "salt"


def columns(traffic: Traffic) -> dict[str, list[int]]:
    return {name: getattr(traffic, name).tolist() for name in COLUMNS}


def as_ever(load: float, cycles: int, seed: int, low: int, high: int) -> list[IntArray]:
    """Source, destination, time and length, drawn as they were before there were patterns."""
    rng = np.random.default_rng(seed)
    count = rng.binomial(cycles, load / ((low + high) / 2), size=21)
    source = np.repeat(np.arange(21), count)
    time = np.concatenate([np.sort(rng.choice(cycles, c, replace=False)) for c in count])
    other = rng.integers(20, size=len(source))
    return [source, other + (other >= source), time, rng.integers(low, high + 1, size=len(source))]


@pytest.mark.parametrize("given", [(0.2, 300, 0, 1, 1), (0.9, 200, 7, 1, 5), (0.5, 100, 3, 4, 4)])
def test_uniform_packets_of_a_seed_are_what_they_were(
    given: tuple[float, int, int, int, int],
) -> None:
    load, cycles, seed, low, high = given
    made = Traffic(borel21(), load, cycles, seed=seed, lengths=(low, high))
    found = made.source, made.destination, made.time, made.length
    for new, old in zip(found, as_ever(*given), strict=True):
        assert new.tolist() == old.tolist()


def test_offered_load() -> None:
    for words in (
        {},
        {"pattern": "transpose"},
        {"arrivals": "on-off"},
        {"lengths": "bimodal:1,9,0.5"},
    ):
        made = Traffic(borel21(), 0.3, 5000, **words)  # type: ignore[arg-type]
        assert made.length.sum() / 5000 / 21 == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ({"arrivals": "on-off:alpha=0.25,beta=0.75"}, "0.25"),
        ({"arrivals": "on-off:alpha=0.25,beta=0.75", "lengths": "2"}, "0.5"),
    ],
)
def test_refuses_more_than_bursts_can_bring(words: dict[str, str], most: str) -> None:
    Traffic(borel21(), float(most), 100, **words)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=rf"^Traffic needs a load above 0 and up to {most} flits "):
        Traffic(borel21(), float(most) + 0.01, 100, **words)  # type: ignore[arg-type]


def long(packets: int = 400, **options: Any) -> Windows:
    return Windows(borel21(), 0.2, 2000, seed=3, lengths=(1, 3), packets=packets, **options)


def test_a_run_that_fits_in_a_window_is_its_traffic() -> None:
    (window,) = long(packets=10**6)
    traffic = Traffic(borel21(), 0.2, 2000, seed=3, lengths=(1, 3))
    for name in COLUMNS:
        assert getattr(window, name).tolist() == getattr(traffic, name).tolist()


def test_windows_follow_each_other() -> None:
    windows = long()
    # 0.2 flits a cycle of 21 terminals are 2.1 packets of 2 flits: 190 cycles for 400.
    assert (windows.step, len(windows)) == (190, 11)
    for number, window in enumerate(windows):
        begin = 190 * number
        assert begin <= window.time.min() <= window.time.max() < min(begin + 190, 2000)
        assert len(window.time) == pytest.approx(2.1 * min(190, 2000 - begin), abs=80)
        assert (np.diff(window.source) >= 0).all()
        assert (np.diff(window.time)[np.diff(window.source) == 0] > 0).all()
    times = [set((window.time - 190 * i).tolist()) for i, window in enumerate(windows)]
    assert times[1] != times[2]  # each is drawn anew


def test_joined_they_are_one_traffic() -> None:
    windows, joined = long(), long().joined()
    assert joined.cycles == 2000
    assert (np.diff(joined.source * 2000 + joined.time) > 0).all()
    for name in ("time", "salt", "length"):
        parts = np.concatenate([getattr(window, name) for window in windows])
        assert sorted(parts.tolist()) == sorted(getattr(joined, name).tolist())
    for window in windows:
        inside = np.isin(joined.salt, window.salt)
        assert joined.destination[inside].tolist() == window.destination.tolist()


@pytest.mark.parametrize(
    "options", [{"arrivals": "on-off"}, {"arrivals": "self-similar"}, {"pattern": "all-to-all"}]
)
def test_what_has_a_memory_is_drawn_at_once(options: dict[str, Any]) -> None:
    assert len(long(**options)) == 1


def gaps(rate: float) -> IntArray:
    """Cycles from a packet of a terminal to its next one, in a later window."""
    source, time = spelling.arrivals("bernoulli").more_times(
        np.random.default_rng(1), np.full(50, rate), 4000
    )
    assert (np.bincount(source) > 0).all()
    assert time.max() < 4000
    found: IntArray = np.diff(time)[np.diff(source) == 0]
    return found


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_gaps_of_later_windows_are_geometric(rate: float) -> None:
    found = gaps(rate)
    assert found.min() == 1
    error = 4 / len(found) ** 0.5
    assert found.mean() == pytest.approx(1 / rate, rel=2 * error)
    assert (found == 1).mean() == pytest.approx(rate, abs=error)
    assert (found == 2).mean() == pytest.approx(rate * (1 - rate), abs=error)
