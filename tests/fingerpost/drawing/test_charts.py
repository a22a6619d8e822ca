"""All readers tell the series of a chart apart, on light and dark pages: CIEDE2000 of 15 or more.

The matrices of colour blindness are those of Machado, Oliveira and Fernandes (2009), severity 1,
and Vienot, Brettel and Mollon (1999); the dark pages are as the CSS filters of `DARK` define them.
"""

import copy
import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from fingerpost.drawing.charts import ORDER, of_curves, of_family, style, variant
from fingerpost.drawing.forms import FORMS
from fingerpost.drawing.network import look, scale
from fingerpost.drawing.picture import COLOURS, DARK, INK, LINK, PAPER, PHASES
from fingerpost.drawing.plan import plan
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile.source import read
from fingerpost.sweeps.chart import _top, figure

DOCS = Path(__file__).parents[3] / "docs"

LEAST = 15.0

VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
    "protanopia, Vienot": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0],
                           [0.00401, -0.00401, 1]],
    "deuteranopia, Vienot": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0],
                             [-0.02234, 0.02234, 1]],
}  # fmt: skip

Colour = Any


def dark(rgb: Colour) -> Colour:
    """What `invert(0.92) hue-rotate(180deg)` makes of sRGB (Filter Effects Module Level 1)."""
    inverted = np.asarray(rgb) * (1 - 2 * 0.92) + 0.92
    weights = np.array([0.213, 0.715, 0.072])
    return np.clip(2 * inverted @ weights - inverted, 0, 1)


def linear(rgb: Colour) -> Colour:
    rgb = np.asarray(rgb)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: Colour, vision: str) -> Colour:
    xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                    [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    seen = np.clip(np.asarray(VISION[vision]) @ linear(rgb), 0, 1)
    t = xyz @ seen / [0.95047, 1, 1.08883]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: Colour, two: Colour) -> float:
    """As Sharma, Wu and Dalal (2005) write it."""
    light = np.array([one[0], two[0]])
    b = np.array([one[2], two[2]])
    mean = np.hypot([one[1], two[1]], b).mean()
    a = np.array([one[1], two[1]]) * (1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    turn = 0.0 if chroma.prod() == 0 else (hue[1] - hue[0] + 180) % 360 - 180
    middle = hue.sum() if chroma.prod() == 0 else (hue[0] + turn / 2) % 360
    d_hue = 2 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2))
    far, c = light.mean() - 50, chroma.mean()
    cos = [
        np.cos(np.radians(k * middle - shift)) for k, shift in ((1, 30), (2, 0), (3, -6), (4, 63))
    ]
    t = 1 - 0.17 * cos[0] + 0.24 * cos[1] + 0.32 * cos[2] - 0.20 * cos[3]
    parts = [
        (light[1] - light[0]) / (1 + 0.015 * far**2 / np.sqrt(20 + far**2)),
        (chroma[1] - chroma[0]) / (1 + 0.045 * c),
        d_hue / (1 + 0.015 * c * t),
    ]
    angle = np.radians(60 * np.exp(-(((middle - 275) / 25) ** 2)))
    rotation = -2 * np.sqrt(c**7 / (c**7 + 25.0**7)) * np.sin(angle)
    return float(np.sqrt(np.square(parts).sum() + rotation * parts[1] * parts[2]))


@cache
def apart(one: str, two: str) -> float:
    """The least difference of two colours, over readers and pages."""
    return min(
        ciede2000(lab(page(to_rgb(one)), who), lab(page(to_rgb(two)), who))
        for who in VISION
        for page in (np.asarray, dark)
    )


def contrast(rgb: Colour, paper: Colour) -> float:
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (rgb, paper))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("one", "two", "difference"),
    [  # of the data of Sharma, Wu and Dalal
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_is_that_of_its_authors(one: Colour, two: Colour, difference: float) -> None:
    assert ciede2000(one, two) == pytest.approx(difference, abs=1e-4)


def test_colours_differ_for_all_readers() -> None:
    assert "invert(0.92) hue-rotate(180deg)" in DARK
    assert set(PHASES) < set(COLOURS)
    close = {pair: apart(*pair) for pair in combinations(COLOURS, 2)}
    assert min(close.values()) >= LEAST, close
    assert apart("#2a6fb0", "#8a5fb0") < 3  # blue and violet that once stood side by side
    for colour in COLOURS:
        assert contrast(to_rgb(colour), (1, 1, 1)) >= 2.95
        assert contrast(dark(to_rgb(colour)), dark((1, 1, 1))) >= 2.95


def test_lines_and_the_lowest_loads_stand_out_from_the_paper() -> None:
    """WCAG 2.1, success criterion 1.4.11; greater loads are darker."""
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)  # that of WCAG
    for colour in (INK, LINK, *scale()):
        for page in (np.asarray, dark):
            assert contrast(page(to_rgb(colour)), page(to_rgb(PAPER))) >= 3, colour
    shades = [contrast(to_rgb(colour), (1, 1, 1)) for colour in scale()]
    assert shades == sorted(shades)


def differ(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the colours of two series are apart, or their markers and dashes are not the same."""
    if one["color"] != two["color"]:
        return apart(one["color"], two["color"]) >= LEAST
    shape = [(each["marker"], each.get("fillstyle", "full")) for each in (one, two)]
    return shape[0] != shape[1] or one["linestyle"] != two["linestyle"]


def test_series_differ_in_more_than_colour() -> None:
    many = [style(number) for number in range(120)]
    assert all(differ(*pair) for pair in combinations(many, 2))
    for one, two in combinations(many[:24], 2):
        assert (one["marker"], one["linestyle"]) != (two["marker"], two["linestyle"])
    own = [variant(of_family("star"), number) for number in range(24)]
    assert all(differ(*pair) for pair in combinations(own, 2))


def test_a_family_has_one_style() -> None:
    assert set(FAMILIES) <= set(ORDER)
    assert all(differ(of_family(one), of_family(two)) for one, two in combinations(ORDER, 2))
    curves = [{"family": "grid", "network": "mesh-8x8"}, {"family": "star", "network": "star-4"}]
    assert of_curves(curves) == [of_family("mesh"), of_family("star")]
    assert of_curves([*curves, curves[0]]) == [style(0), style(1), style(2)]


def test_kinds_of_links_differ_in_more_than_colour() -> None:
    network = read(DOCS.parent / "networks/star-4.yaml").network()
    legend = look(plan(network.topology, FORMS["star"].form(network.topology)))[1]
    assert len(legend) == 3
    assert len({entry.dashes for entry in legend}) == 3


NS = {"s": "http://www.w3.org/2000/svg"}


def series(path: Path) -> list[dict[str, Any]]:
    """Return the series in the legend of a chart: lines with a marker or dashes."""
    root = ElementTree.parse(path)
    shapes = {str(each.get("id")): each.get("d") for each in root.iterfind(".//s:defs/s:path", NS)}
    found = []
    for line in root.iterfind(".//s:g[@id='legend_1']/s:g", NS):
        use, stroke = line.find(".//s:use", NS), line.find("s:path", NS)
        if not str(line.get("id")).startswith("line2d") or (use is None and stroke is None):
            continue
        looks = "" if stroke is None else str(stroke.get("style"))
        seen = looks if use is None else str(use.get("style"))
        colour = re.search(r"stroke: (#\w{6})", looks or seen)
        assert colour
        mark = (
            None if use is None else shapes[use.get("{http://www.w3.org/1999/xlink}href", "")[1:]]
        )
        found.append(
            {
                "color": colour[1],
                "marker": mark,
                "linestyle": "".join(re.findall(r"stroke-dasharray: ([\d. ,]+)", looks)),
            }
        )
    return found


CHARTS = [DOCS / "cost-router.svg", *sorted((DOCS / "curves").glob("*.svg"))]


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path.stem)
def test_series_of_pictures_differ(path: Path) -> None:
    drawn = series(path)
    assert len(drawn) > 1
    for one, two in combinations(drawn, 2):
        assert differ(one, two), (one, two)
        assert (one["marker"], one["linestyle"]) != (two["marker"], two["linestyle"])


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


def lines(of: Axes) -> list[tuple[list[float], list[float]]]:
    return [
        (np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist())
        for line in of.lines
    ]


def test_a_chart_of_curves_shows_all_that_is_known() -> None:
    """Latency ends at saturation, and accepted goes on; what is not stable has its own mark."""
    some = copy.deepcopy(CURVE)
    some["points"].insert(2, point(0.65, "undecided", 0.6, None))  # type: ignore[attr-defined]
    made = figure(FACTS | {"curves": [some]}, "title")
    upper, lower = made.axes
    for line in (([0.2, 0.6], [10, 30]), ([0, 0.2], [9, 9]), ([0.6, 0.6], [0, 1]), ([0.6], [0.96])):
        assert line in lines(upper)
    accepted = [0.2, 0.6, 0.65, 0.7], [0.2, 0.6, 0.6, 0.5]
    for line in (accepted, ([0.6, 0.6], [0, 1]), ([0.8], [0.96]), ([0.8, 0.8], [0, 1])):
        assert line in lines(lower)
    marks = {str(line.get_marker()): line for line in lower.lines}
    found = {mark: np.asarray(marks[mark].get_xdata()).tolist() for mark in "x+"}
    assert found == {"x": [0.7], "+": [0.65]}
    assert [text.get_text() for text in made.legends[0].get_texts()] == [
        "ring, table: saturates at 0.6", "latency at zero load", "saturation",
        "bound: a link or terminal is full", "not stable", "undecided",
    ]  # fmt: skip


def test_what_is_unknown_is_left_out_and_the_sky_too() -> None:
    bare: dict[str, Any] = CURVE | {"zero_load_latency": None, "saturation": None}
    bare["points"] = [point(0.5, "stable", 0, None)]
    made = figure(FACTS | {"curves": [bare]}, "")
    names = [text.get_text() for text in made.legends[0].get_texts()]
    assert names == ["ring, table", "bound: a link or terminal is full"]
    high = copy.deepcopy(CURVE)
    high["points"][1]["latency"] = 400  # type: ignore[index]
    assert [_top([CURVE]), _top([CURVE, high])] == pytest.approx([33, 5 * 9])


@pytest.mark.parametrize(
    "name", ["ring", "mesh-32x32-deep", "a-name-that-is-much-longer-than-others" * 2]
)
def test_legend_is_not_cut_off(name: str) -> None:
    curve = CURVE | {"network": name, "routing": "dimension-order"}
    made = figure(FACTS | {"curves": [curve] * 7}, "")
    made.draw_without_rendering()
    extent = made.legends[0].get_window_extent()
    assert 0 <= extent.x0 < extent.x1 <= made.bbox.width
