"""The channel loads of a traffic pattern, and the throughput that they leave."""

from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.answers import loads
from fingerpost.drawing import draw as drawing
from fingerpost.drawing import picture
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Child, Element, element, table
from fingerpost.report.subject import Subject


def links(subjects: Sequence[Subject], pictures: Pictures) -> list[Element]:
    """Return the section; nothing without routes."""
    subjects = [subject for subject in subjects if subject.loads]
    if not subjects:
        return []
    columns = ["", *(subject.name for subject in subjects)]
    told = [_facts(subject.loads) for subject in subjects]
    traffic = subjects[0].loads["traffic"]
    caption = (
        f"{traffic} traffic; channel load at injection rate 1, one flit per cycle and terminal"
    )
    plots: list[Element] = []
    for subject in subjects:
        low, high = (subject.loads["link_load"][end] for end in ("min", "max"))
        said = f"channel load of {subject.name}, {low:.3f} to {high:.3f} flits per cycle"
        with picture.style():
            counted = loads.figure(subject.loads)
            coloured = drawing.figure(subject.network, load=subject.load, traffic=traffic)
        pair = (
            pictures.inline(
                counted, f"Histogram, {said}", f"{subject.name}: links by channel load"
            ),
            pictures.inline(
                coloured, f"Drawing, {said}", f"{subject.name}: channel load of each link"
            ),
        )
        if len(subjects) > 1:
            plots.append(element("div", *pair))
        else:
            plots += pair
    rows = [[name, *(facts[name] for facts in told)] for name in told[0]]
    facts = table(caption, columns, rows)
    if len(subjects) == 1:
        histogram, coloured_plot = plots
        return [element("div", element("div", facts, histogram), coloured_plot, class_="plots")]
    return [facts, element("div", *plots, class_="plots")]


def _facts(facts: Mapping[str, Any]) -> dict[str, Child]:
    load, full = facts["link_load"], facts["full"]
    reached = "none"
    if facts["link_saturation"] is not None and facts["bound"] is not None:
        reached = (
            f"{100 * facts['link_saturation'] / facts['bound']:.1f} % of the throughput bound "
        )
        reached += "of shortest-path routing with equally loaded links"
    return {
        "channel load, mean [flits/cycle]": f"{load['mean']:.3f}",
        "channel load, minimum and maximum": f"{load['min']:.3f}, {load['max']:.3f}",
        "hops per packet, mean": f"{facts['mean_hops']:.4f}",
        "hops per packet on shortest paths, mean": f"{facts['terminal_mean_distance']:.4f}",
        "saturation throughput, upper bound [flits/terminal/cycle]": f"{facts['saturation']:.4f}",
        "bottleneck": f"{full['what']} at node {full['node']}",
        "throughput bound by channel load": reached,
    }
