"""Latency and throughput under load, from stored sweeps."""

from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.drawing import picture
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Element, element, table
from fingerpost.sweeps import chart
from fingerpost.sweeps.sweep import shown

COLUMNS = (
    "network",
    "routing",
    "virtual channels",
    "latency at zero load [cycles]",
    "saturation [flits/terminal/cycle]",
    "bound",
)


def curves(sweeps: Sequence[Mapping[str, Any]], pictures: Pictures) -> list[Element]:
    """Return the section; nothing without a sweep."""
    parts = []
    for sweep in sweeps:
        title = chart.heading(sweep)
        with picture.style():
            figure = chart.figure(sweep, title)
        caption = f"{title}, precision {sweep['precision']:g}"
        rows = [
            [
                curve["network"],
                curve["routing"],
                curve["virtual_channels"],
                shown(curve["zero_load_latency"], 1),
                shown(curve["saturation"], 3),
                shown(curve["bound"], 3),
            ]
            for curve in sweep["curves"]
        ]
        plot = pictures.inline(figure, chart.spoken(sweep, title), caption)
        parts.append(element("div", table(caption, COLUMNS, rows), plot, class_="plots"))
    return parts
