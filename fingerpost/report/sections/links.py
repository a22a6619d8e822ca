"""What traffic asks of the links."""

from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost import drawing, loads, picture
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Child, Element, element, table
from fingerpost.report.subject import Subject

__all__ = ["links"]


def links(subjects: Sequence[Subject], pictures: Pictures) -> list[Element]:
    """Return the section."""
    columns = ["", *(subject.name for subject in subjects)]
    told = [_facts(subject.loads) for subject in subjects]
    traffic = subjects[0].loads["traffic"]
    caption = f"{traffic} traffic, every terminal sends one flit a cycle in the mean"
    plots: list[Element] = []
    for subject in subjects:
        low, high = (subject.loads["link_load"][end] for end in ("min", "max"))
        said = f"loads of the links of {subject.name}, {low:.3f} to {high:.3f} flits per cycle"
        with picture.style():
            counted = loads.figure(subject.loads)
            coloured = drawing.figure(subject.network, load=subject.load, traffic=traffic)
        plots += [
            pictures.inline(counted, f"Histogram, {said}", f"{subject.name}: how many links"),
            pictures.inline(coloured, f"Drawing, {said}", f"{subject.name}: links by load"),
        ]
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
        reached = f"{facts['link_saturation'] / facts['bound']:.1%}"
    return {
        "link load, mean [flits/cycle]": f"{load['mean']:.3f}",
        "least and most": f"{load['min']:.3f}, {load['max']:.3f}",
        "mean hops, as routed": f"{facts['mean_hops']:.4f}",
        "mean hops, shortest": f"{facts['terminal_mean_distance']:.4f}",
        "saturation, at most [flits/terminal/cycle]": f"{facts['saturation']:.4f}",
        "full first": f"{full['what']} at node {full['node']}",
        "of what alike links and shortest routes reach": reached,
    }
