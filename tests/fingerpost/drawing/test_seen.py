"""What is drawn can be seen: links of large networks, low loads, and all of it in the dark."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from fingerpost.drawing import picture
from fingerpost.drawing.draw import draw
from fingerpost.drawing.network import scale
from fingerpost.drawing.picture import INK, LINK, PAPER
from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.topology import Grid
from tests.fingerpost.drawing.common import drawn, network

LEAST = 3.0
"""WCAG 2.1, success criterion 1.4.11: contrast of graphics with what is behind them."""


def luminance(colour: str, *, dark: bool) -> float:
    """Relative luminance as WCAG defines it, behind the filter of the style where it is dark."""
    shown = np.array(to_rgb(colour))
    if dark:
        found = re.search(r"invert\((.*?)\) hue-rotate\((.*?)deg\)", picture.DARK)
        assert found
        amount, turn = float(found[1]), np.radians(float(found[2]))
        shown = amount + shown * (1 - 2 * amount)
        # Filter Effects Module Level 1, feColorMatrix, hueRotate.
        grey = np.array([0.213, 0.715, 0.072])
        cosine = np.eye(3) - grey
        sine = np.array([[-0.213, -0.715, 0.928], [0.143, 0.140, -0.283], [-0.787, 0.715, 0.072]])
        shown = (grey + np.cos(turn) * cosine + np.sin(turn) * sine) @ shown
        shown = np.clip(shown, 0, 1)
    linear: BoolArray = shown <= 0.04045
    lit = np.where(linear, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return float(np.array([0.2126, 0.7152, 0.0722]) @ lit)


def contrast(colour: str, *, dark: bool) -> float:
    high, low = sorted((luminance(each, dark=dark) for each in (colour, PAPER)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_and_the_lowest_loads_stand_out_from_the_paper(dark: bool) -> None:
    assert contrast("#000000", dark=False) == pytest.approx(21)  # that of WCAG
    for colour in (INK, LINK, *scale()):
        assert contrast(colour, dark=dark) >= LEAST, colour


def test_greater_loads_are_darker() -> None:
    shades = [luminance(colour, dark=False) for colour in scale()]
    assert shades == sorted(shades, reverse=True)


@pytest.mark.regress
def test_links_of_1024_nodes_are_seen_between_nodes() -> None:
    [axes] = drawn(Grid(sizes=[32, 32])).axes
    [nodes] = [each for each in axes.collections if len(np.asarray(each.get_offsets())) == 1024]
    places = np.asarray(nodes.get_offsets())
    apart = float(places[1, 0] - places[0, 0])
    across = float(nodes.get_widths().max())  # type: ignore[attr-defined]
    assert across < apart / 2  # so that half of a link or more is not behind nodes
    links = [
        patch
        for patch in axes.patches
        if len(np.asarray(patch.get_path().vertices)) == 2 * 2 * 32 * 31
    ]
    assert [patch.get_linewidth() > 0.8 for patch in links] == [True]  # points


def test_colours_of_loads_begin_at_0(tmp_path: Path) -> None:
    # On a ring all links carry the same: none may look idle.
    ring = Grid(sizes=[8], wrap=True)
    load = np.where(ring.neighbour >= 0, 0.65, 0.0)
    draw(network(ring), tmp_path / "same.svg", load=load)
    load[0, 0] = 0.6
    draw(network(ring), tmp_path / "x.svg", load=load)
    for name in ("same", "x"):
        svg = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        texts = set(re.findall(r"<!-- (.*?) -->", svg))
        assert {"0", "0.325", "0.65"} <= texts
        strokes = set(re.findall(r"fill: none; stroke: (#\w+)", svg))
        assert strokes & {*scale()} <= {*scale()[-3:]}
        assert strokes & {*scale()}


def test_an_svg_file_follows_the_colour_scheme(tmp_path: Path) -> None:
    draw(network(Grid(sizes=[4])), tmp_path / "x.svg")
    svg = (tmp_path / "x.svg").read_text(encoding="utf-8")
    root = svg[svg.index("<svg") :]
    assert re.match(r"<svg[^>]*><style>@media \(prefers-color-scheme: dark\)", root)
    assert "</svg>" in svg
