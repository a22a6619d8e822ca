"""Logarithmic axes have ticks that are read, however near to each other the values are."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fingerpost.cost.chart import figure as costs
from fingerpost.drawing.axes import MOST, logarithmic


@pytest.mark.parametrize(
    "values", [[1.0], [0.62, 0.65], [0.37, 1.0], [21, 64], [8, 1155], [8, 44595], [1, 9e6], []]
)
def test_an_axis_has_a_few_ticks_within_it(values: list[float]) -> None:
    axes = Figure().subplots()
    logarithmic(axes, "y", values)
    low, high = axes.get_ylim()
    assert all(low < value < high for value in values)
    shown = [text.get_text() for text in axes.get_yticklabels()]
    assert 3 <= len(shown) <= MOST
    # They are what they say, in plain digits.
    said = np.array([float(text.replace(",", "")) for text in shown])
    assert np.allclose(said, axes.get_yticks())
    assert low <= said.min()
    assert said.max() <= high
    assert list(axes.yaxis.get_minorticklocs()) == []


def test_costs_of_networks_of_like_size_have_ticks() -> None:
    row = {"family": "borel", "routing": "two-phase", "data_width": 32, "buffer_depth": 8,
           "sites": 900, "fmax_mhz": {"median": 90.0, "min": 80.0, "max": 95.0}}  # fmt: skip
    _, lower = costs([row | {"nodes": nodes} for nodes in (21, 46, 64)], "title").axes
    assert len([text for text in lower.get_xticklabels() if text.get_text()]) >= 3
