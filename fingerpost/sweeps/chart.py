"""The curves of a sweep as one picture: latency above, accepted load below."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fingerpost.drawing import picture
from fingerpost.drawing.charts import Style, of_curves, plain, upright
from fingerpost.drawing.picture import GRID, INK, NIGHT
from fingerpost.golden.traffic.spelling import shares_in_words
from fingerpost.hdl.lib.text import printable_lines

MARKS = {"not stable": "x", "undecided": "+"}
"""The marks of points that have no latency."""

STEEP = 5.0
"""The latency axis ends at so many times the latency at zero load."""


def draw(facts: Mapping[str, Any], path: Path, *, title: str = "") -> None:
    """Draw the curves of `sweep` into an SVG or PNG file."""
    title = title or heading(facts)
    picture.draw(path, lambda: figure(facts, title), spoken(facts, title))


def svg(facts: Mapping[str, Any]) -> str:
    """Return the picture as the text of an SVG file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "curves.svg"
        draw(facts, path)
        return path.read_text(encoding="utf-8")


def spoken(facts: Mapping[str, Any], title: str) -> str:
    """Return what the picture shows in words, for those who do not see it."""
    said = "; ".join(_label(curve) for curve in facts["curves"])
    return f"{title}: {said}"


def heading(facts: Mapping[str, Any]) -> str:
    """Return what was sent, in one line."""
    length = facts["packet_length"]
    what, parts = ("bursts", "beats") if "reads" in facts else ("packets", "flits")
    packets = f"{what} of a trace" if length is None else f"{what} of {length} {parts}"
    packets = packets.replace(f"of 1 {parts}", f"of 1 {parts[:-1]}")
    burst = "" if facts["arrivals"] in (None, "bernoulli") else f", {facts['arrivals']} arrivals"
    mix = f", classes {shares_in_words(facts['classes'])}" if "classes" in facts else ""
    mix += f", {100 * facts['reads']:g} % reads" if "reads" in facts else ""
    return f"{facts['traffic']} traffic, {packets}{burst}{mix}"


def figure(facts: Mapping[str, Any], title: str) -> Figure:
    """Return the chart."""
    curves = facts["curves"]
    made = Figure(figsize=(7.6, 7.4), layout="constrained")
    upper, lower = made.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    handles = []
    for curve, look in zip(curves, of_curves(curves), strict=True):
        _latency(upper, curve, look)
        _accepted(lower, curve, look)
        handles.append(Line2D([], [], label=_label(curve), **look))
    most = max(point["load"] for curve in curves for point in curve["points"])
    lower.plot([0, most], [0, most], color=GRID, linewidth=1, zorder=0)
    upper.set(ylim=(0, _top(curves)), ylabel="mean latency [cycles]")
    unit = "beats/manager/cycle" if "reads" in facts else "flits/terminal/cycle"
    lower.set(xlim=(0, most * 1.02), xlabel=f"offered load [{unit}]")
    lower.set(ylim=(0, None), ylabel=f"accepted [{unit}]")
    for axes in (upper, lower):
        plain(axes)
    upper.set_title(printable_lines(title), color=INK)
    handles += _key(curves)
    _legend(made, handles)
    return made


def _legend(made: Figure, handles: Sequence[Any]) -> None:
    """Put the legend below, in two columns if they fit."""
    for columns, size in (2, 9), (2, 8), (1, 9), (1, 7):
        legend = made.legend(
            handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=size
        )
        if legend.get_window_extent().width <= made.bbox.width:
            return
        legend.remove()
    made.legend(handles=handles, loc="outside lower center", frameon=False, fontsize=6)


def _label(curve: Mapping[str, Any]) -> str:
    """Return name and algorithm, with what the curve shows in numbers."""
    said = f"{curve['network']}, {curve['routing']}"
    if curve["saturation"] is not None:
        return f"{said}: saturates at {curve['saturation']:.3g}"
    return said


def _key(curves: Sequence[Mapping[str, Any]]) -> list[Line2D]:
    """Return the entries of the legend that say what the other lines and marks are."""
    known: dict[str, dict[str, Any]] = {
        "latency at zero load": {"linestyle": (0, (1, 1.5)), "linewidth": 1.2},
        "saturation": {"linestyle": "-", "linewidth": 0.9},
        "bound: a link or terminal is full": {"linestyle": "--", "linewidth": 0.9},
    }
    there = "zero_load_latency", "saturation", "bound"
    seen = {point["outcome"] for curve in curves for point in curve["points"]}
    return [
        Line2D([], [], color=NIGHT, label=label, **look)
        for (label, look), key in zip(known.items(), there, strict=True)
        if any(curve[key] is not None for curve in curves)
    ] + [
        Line2D([], [], color=NIGHT, marker=mark, markersize=5, linestyle="", label=each)
        for each, mark in MARKS.items()
        if each in seen
    ]


def _latency(axes: Axes, curve: Mapping[str, Any], look: Style) -> None:
    """Draw latency where it exists: a network that is not stable has none."""
    points = [p for p in curve["points"] if p["latency"] is not None]
    axes.plot([p["load"] for p in points], [p["latency"] for p in points], **look)
    sure = [p for p in points if p["latency_interval"] is not None]
    low, high = ([p["latency_interval"][end] for p in sure] for end in (0, 1))
    axes.vlines([p["load"] for p in sure], low, high, color=look["color"])
    if curve["zero_load_latency"] is not None:
        end = points[0]["load"] if points else 0.1
        dotted = {"linestyle": (0, (1, 1.5)), "markevery": [0]}
        axes.plot([0, end], [curve["zero_load_latency"]] * 2, **look | dotted)
    if curve["saturation"] is not None:
        upright(axes, curve["saturation"], look)


def _accepted(axes: Axes, curve: Mapping[str, Any], look: Style) -> None:
    """Draw what is accepted, the least-served terminal below it, saturation and bound."""
    load, accepted, least = (
        [p[key] for p in curve["points"]] for key in ("load", "accepted", "accepted_least")
    )
    axes.plot(load, accepted, **look | {"marker": ""})
    for mark in (look["marker"], *MARKS.values()):
        some = [p for p in curve["points"] if MARKS.get(p["outcome"], look["marker"]) == mark]
        marks = look | {"linestyle": "", "marker": mark}
        axes.plot([p["load"] for p in some], [p["accepted"] for p in some], **marks)
    axes.vlines(load, least, accepted, color=look["color"])
    if curve["saturation"] is not None:
        upright(axes, curve["saturation"], look)
    if curve["bound"] is not None:
        upright(axes, curve["bound"], look, linestyle="--")


def _top(curves: Sequence[Mapping[str, Any]]) -> float:
    """Return where the latency axis ends: the knees of all curves are to be seen."""
    least = [
        curve["zero_load_latency"] or point["latency"]
        for curve in curves
        for point in curve["points"][:1]
        if curve["zero_load_latency"] or point["latency"]
    ]
    seen = [p["latency"] for c in curves for p in c["points"] if p["latency"]]
    if not least or not seen:
        return 1.0
    return float(min(STEEP * max(least), 1.1 * max(seen)))
