import copy
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from fingerpost.sweeps.chart import _top, figure


def point(load: float, outcome: str, accepted: float, latency: float | None) -> dict[str, Any]:
    return {
        "load": load, "outcome": outcome, "offered": load, "accepted": accepted,
        "accepted_interval": None, "accepted_least": accepted * 0.8, "latency": latency,
        "latency_interval": None if latency is None else [latency - 1, latency + 1],
    }  # fmt: skip


CURVE = {
    "network": "ring", "routing": "table", "zero_load_latency": 9.0, "bound": 0.8,
    "saturation": 0.6, "not_stable": 0.7,
    "points": [
        point(0.2, "stable", 0.2, 10), point(0.6, "stable", 0.6, 30),
        point(0.7, "not stable", 0.5, None),
    ],
}  # fmt: skip
FACTS = {"traffic": "uniform", "arrivals": "bernoulli", "packet_length": 4, "curves": [CURVE]}


def axes(facts: dict[str, Any]) -> tuple[Axes, Axes]:
    upper, lower = figure(facts, "title").axes
    return upper, lower


def lines(of: Axes) -> list[tuple[list[float], list[float]]]:
    return [
        (np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist())
        for line in of.lines
    ]


def test_latency_ends_at_saturation_and_accepted_goes_on() -> None:
    upper, lower = axes(FACTS)
    assert ([0.2, 0.6], [10, 30]) in lines(upper)
    assert ([0.2, 0.6, 0.7], [0.2, 0.6, 0.5]) in lines(lower)


def test_zero_load_saturation_and_bound_are_marked() -> None:
    upper, lower = axes(FACTS)
    assert ([0, 0.2], [9, 9]) in lines(upper)
    assert ([0.6, 0.6], [0, 1]) in lines(upper)  # a line from bottom to top
    assert ([0.6], [0.96]) in lines(upper)  # the marker of its curve
    assert ([0.6, 0.6], [0, 1]) in lines(lower)
    assert ([0.8], [0.96]) in lines(lower)
    assert ([0.8, 0.8], [0, 1]) in lines(lower)
    names = [text.get_text() for text in figure(FACTS, "").legends[0].get_texts()]
    assert names == [
        "ring, table: saturates at 0.6", "latency at zero load", "saturation",
        "bound: a link or terminal is full", "not stable",
    ]  # fmt: skip


def test_what_is_not_stable_or_undecided_has_its_own_mark_and_no_latency() -> None:
    some = copy.deepcopy(CURVE)
    some["points"].append(point(0.65, "undecided", 0.6, None))  # type: ignore[attr-defined]
    upper, lower = axes(FACTS | {"curves": [some]})
    marks = {str(line.get_marker()): line for line in lower.lines}
    found = {mark: np.asarray(marks[mark].get_xdata()).tolist() for mark in "x+"}
    assert found == {"x": [0.7], "+": [0.65]}
    assert ([0.2, 0.6], [10, 30]) in lines(upper)
    names = [text.get_text() for text in figure(FACTS | {"curves": [some]}, "").legends[0].texts]
    assert names[-2:] == ["not stable", "undecided"]


@pytest.mark.parametrize(
    "name", ["ring", "mesh-32x32-deep", "a-name-that-is-much-longer-than-others" * 2]
)
def test_legend_is_not_cut_off(name: str) -> None:
    curve = CURVE | {"network": name, "routing": "dimension-order"}
    made = figure(FACTS | {"curves": [curve] * 7}, "")
    made.draw_without_rendering()
    extent = made.legends[0].get_window_extent()
    assert 0 <= extent.x0 < extent.x1 <= made.bbox.width


def test_axis_shows_all_knees_and_not_the_sky() -> None:
    assert _top([CURVE]) == pytest.approx(33)
    high = copy.deepcopy(CURVE)
    high["points"][1]["latency"] = 400  # type: ignore[index]
    assert _top([CURVE, high]) == 5 * 9


def test_what_is_unknown_is_left_out() -> None:
    bare = copy.deepcopy(CURVE)
    bare |= {
        "zero_load_latency": None,
        "saturation": None,
        "points": [point(0.5, "stable", 0, None)],
    }
    bared = figure(FACTS | {"curves": [bare]}, "")
    names = [text.get_text() for text in bared.legends[0].get_texts()]
    assert names == ["ring, table", "bound: a link or terminal is full"]
