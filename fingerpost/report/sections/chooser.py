"""Source and destination to choose, and the route between them; the page's script fills it in."""

from collections.abc import Sequence

from fingerpost.report.markup import Element, element, scrolling
from fingerpost.report.subject import Subject

COLUMNS = "hop", "phase", "from", "by port", "to", "header on the link"


def chooser(subjects: Sequence[Subject]) -> list[Element]:
    """Return the section."""
    without = [
        element(
            "p",
            f"{subject.name}: no routes on this page, because {subject.routes['why']}",
            *(("; use ", element("code", "fingerpost route")) if subject.loads else ()),
            ".",
        )
        for subject in subjects
        if subject.routes["way"] == "none"
    ]
    some = [subject.name for subject in subjects if subject.routes["way"] != "none"]
    if not some:
        return without
    options = [element("option", name, value=name) for name in some]
    alone = {"hidden": ""} if len(some) == 1 else {}
    head = element("tr", *(element("th", name, scope="col") for name in COLUMNS))
    form = element(
        "form",
        element("label", "Network", element("select", *options, id="network"), **alone),
        _end("from", "From"),
        _end("to", "To"),
        element("datalist", id="nodes"),
        element("button", "Swap", type="button", id="swap"),
        id="chooser",
    )
    table = element(
        "table",
        element("caption", id="summary"),
        element("thead", head),
        element("tbody", id="hops"),
        id="route",
    )
    route = scrolling(table, "The route, hop by hop")
    return [
        element("noscript", element("p", "Choosing a route needs JavaScript.")),
        element(
            "p",
            "Enter source and destination by number or by label, as in ",
            element("code", "fingerpost route"),
            ", or click on them in the drawing if it shows every node: the source first.",
        ),
        form,
        element("p", id="refused", role="alert"),
        element("div", route, element("div", id="way", class_="plot"), class_="beside"),
        element("p", id="spoken", class_="unseen", role="status"),
        *without,
    ]


def _end(name: str, text: str) -> Element:
    given = element("input", id=name, list="nodes", autocomplete="off", spellcheck="false", size=10)
    return element("label", text, given)
