"""A matplotlib figure as an element of the page."""

import io
import re
from itertools import count
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from fingerpost import picture
from fingerpost.report.markup import Element, element

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Pictures"]

HREF = "{http://www.w3.org/1999/xlink}href"


class Pictures:
    """The pictures of one page: no two elements of a page may have the same identifier."""

    def __init__(self) -> None:
        self.numbers = count()

    def inline(self, figure: "Figure", label: str, caption: str) -> Element:
        """Return a figure with its caption.

        Parameters
        ----------
        label : str
            What a screen reader says in the place of the picture.
        """
        name = f"picture-{next(self.numbers)}"
        drawn = _drawn(figure, name)
        width = float(drawn.get("viewBox", "").split()[2])
        drawn.set("role", "img")
        drawn.set("aria-label", label)
        drawn.set("style", f"max-width:{1.25 * width:.0f}px")
        return element("figure", drawn, element("figcaption", caption), class_="plot", id=name)


def _drawn(figure: "Figure", name: str) -> Element:
    """Return the drawing, all of it in one group that others can use."""
    file = io.StringIO()
    with picture.style():
        figure.savefig(file, format="svg", metadata={"Date": None})
    read = ElementTree.fromstring(file.getvalue())
    group = element("g", id=f"{name}-drawing")
    for part in read:
        if not part.tag.endswith("}metadata"):
            group.append(part)
    for part in group.iter():
        part.tag = part.tag.rpartition("}")[2]
        for key, value in list(part.attrib.items()):
            if key == "id" and part is not group:
                part.set(key, f"{name}-{value}")
            elif key == HREF:
                del part.attrib[key]
                part.set("href", f"#{name}-{value[1:]}")
            elif "url(#" in value:
                part.set(key, value.replace("url(#", f"url(#{name}-"))
        for parent_of_style in [child for child in part if child.tag.endswith("}style")]:
            part.remove(parent_of_style)  # it would hold for the whole page: see page.css
        part.text = part.tail = None if not (part.text or "").strip() else part.text
    _used_only(group)
    return element("svg", group, viewBox=read.get("viewBox", ""))


def _used_only(group: Element) -> None:
    """Leave out the identifiers that nobody refers to: most of a large picture's."""
    used = {group.get("id")}
    for part in group.iter():
        for value in part.attrib.values():
            used.update(re.findall(r"(?:url\()?#([\w-]+)\)?", value))
    for part in group.iter():
        if part.get("id") not in used:
            part.attrib.pop("id", None)
