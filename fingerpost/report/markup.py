"""Elements of a page, in which text is escaped, and the page around its sections: one file."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

from fingerpost.hdl.lib.text import printable, printable_lines
from fingerpost.jobs.provenance import KEY, line, provenance

Element = ElementTree.Element
Child = Element | str | int


def element(tag: str, *children: Child | None, **attributes: str | int) -> Element:
    """Return an element; ``class_`` and ``for_`` are attributes without the last letter.

    Examples
    --------
    >>> html(element("p", "a < b", element("b", 1), class_="small", aria_label="so"))
    '<p class="small" aria-label="so">a &lt; b<b>1</b></p>'
    """
    names = {name: name.removesuffix("_").replace("_", "-") for name in attributes}
    made = Element(tag, {names[name]: printable(str(value)) for name, value in attributes.items()})
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + printable_lines(str(child))
        else:
            made.text = (made.text or "") + printable_lines(str(child))
    return made


def table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[Child]], **attributes: str
) -> Element:
    """Return a table whose first column names the rows; it scrolls by itself if it is too wide."""
    head = element("tr", *(element("th", name, scope="col") for name in columns))
    body = [
        element(
            "tr",
            element("th", first, scope="row"),
            *(element("td", value) for value in rest),
        )
        for first, *rest in rows
    ]
    made = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *body),
        **attributes,
    )
    return scrolling(made, caption)


def scrolling(made: Element, caption: str) -> Element:
    """Return what scrolls where it is too wide; so it has to be reached by the keyboard."""
    return element("div", made, class_="scroll", tabindex=0, role="region", aria_label=caption)


def facts(caption: str, pairs: Mapping[str, Child]) -> Element:
    """Return a table of two columns, without a head."""
    rows = [
        element("tr", element("th", name, scope="row"), element("td", value))
        for name, value in pairs.items()
    ]
    made = element("table", element("caption", caption), element("tbody", *rows))
    return scrolling(made, caption)


def data(name: str, value: Any) -> Element:
    """Return an element that holds data for the page's script, and nothing that ends it early."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return element("script", text, type="application/json", id=name)


def html(root: Element) -> str:
    """Return the text of an element."""
    return ElementTree.tostring(root, encoding="unicode", method="html")


def page(title: str, sections: Mapping[str, Sequence[Element]], routes: Any) -> str:
    """Return the text of the page.

    Parameters
    ----------
    sections : mapping
        The parts of each, by its title.
    routes : object
        What the page's script needs to know, as JSON has it.
    """
    style, script = (
        files("fingerpost.report").joinpath(f"page.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    # Nothing is fetched, and no other script runs, whatever a network file or an answer says.
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    policy += f"script-src 'sha256-{allowed}'"
    made = provenance()
    made_by = f"Made by fingerpost {made['version']} from its model of the networks"
    asked = () if made["command"] is None else (": ", element("code", made["command"]))
    names = {name: name.lower().replace(" ", "-") for name in sections}
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name=KEY, content=line()),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", style),
    )
    links = [element("li", element("a", name, href=f"#{names[name]}")) for name in sections]
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#content"),
        element(
            "header",
            element("h1", title),
            element("nav", element("ul", *links), aria_label="Sections"),
        ),
        element(
            "main",
            *(_section(name, names[name], sections[name]) for name in sections),
            id="content",
            tabindex=-1,
        ),
        element("footer", element("p", made_by, *asked)),
        data("packed", routes),
        element("script", script),
    )
    return f"<!DOCTYPE html>\n{html(element('html', head, body, lang='en'))}\n"


def _section(name: str, place: str, parts: Sequence[Element]) -> Element:
    title = element("h2", name, id=f"{place}-title")
    return element("section", title, *parts, id=place, aria_labelledby=f"{place}-title")
