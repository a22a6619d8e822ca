"""Elements of a page; whatever stands in them as text is escaped."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

__all__ = ["Child", "Element", "data", "element", "facts", "html", "scrolling", "table"]

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
    made = Element(tag, {names[name]: str(value) for name, value in attributes.items()})
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + str(child)
        else:
            made.text = (made.text or "") + str(child)
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
