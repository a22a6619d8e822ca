"""The page around its sections, and what sections are made of: one file that fetches nothing."""

import io
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fingerpost.hdl.lib.text import printable, printable_lines
from fingerpost.jobs.console import Columns, cells
from fingerpost.jobs.provenance import KEY, line, provenance

Cell = str | int

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows."""

    caption: str
    columns: Sequence[str]
    """Their names; empty for pairs of a name and a value, which need none."""
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Picture:
    """A picture of the page."""

    name: str
    """Its identifier, unlike that of all others."""
    kind: str
    """`plot`, or `wave`: a timing diagram, which keeps its size and scrolls."""
    svg: Markup
    caption: str


def listed(caption: str, columns: Columns, rows: Iterable[Any]) -> Table:
    """Return a table of records."""
    return Table(caption, [*columns], cells(columns, rows))


def pairs(caption: str, values: Mapping[str, Cell]) -> Table:
    """Return a table of names and values."""
    return Table(caption, (), list(values.items()))


def side_by_side(caption: str, names: Sequence[str], told: Sequence[Mapping[str, Cell]]) -> Table:
    """Return a table with a column for each network, from what each has under the same keys."""
    rows = [[key, *(each[key] for each in told)] for key in told[0]]
    return Table(caption, ["", *names], rows)


def _text(value: object) -> object:
    """Return text of users without what cannot be printed; what is markup stays."""
    return value if isinstance(value, Markup) else printable_lines(str(value))


@cache
def environment() -> Environment:
    """Return the templates, in which all text is escaped."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["line"] = lambda value: printable(str(value))
    made.filters["place"] = lambda name: name.lower().replace(" ", "-")
    return made


def section(name: str, **data: Any) -> Markup:
    """Return the content of a section, from the macro of its name; empty without any."""
    sections = environment().get_template("sections.html.j2").module
    return Markup(getattr(sections, name)(**data).strip())


def rendered(title: str, sections: Mapping[str, Markup], routes: Any) -> str:
    """Return the text of the page.

    Parameters
    ----------
    sections : mapping
        The content of each, by its title.
    routes : object
        What the page's script needs to know, as JSON has it.
    """
    style, script = (
        (TEMPLATES / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")
    )
    # Nothing is fetched, and no other script runs, whatever a network file or an answer says.
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    policy += f"script-src 'sha256-{allowed}'"
    made = provenance()
    data = json.dumps(routes, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            title=title,
            sections=sections,
            policy=Markup(policy),
            provenance_key=KEY,
            provenance=line(),
            version=made["version"],
            command=made["command"],
            style=Markup(style),
            script=Markup(script),
            routes=Markup(data),
        )
    )


if TYPE_CHECKING:
    from matplotlib.figure import Figure

Element = ElementTree.Element

HREF = "{http://www.w3.org/1999/xlink}href"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class Pictures:
    """The pictures of one page: no two elements of a page may have the same identifier."""

    def __init__(self) -> None:
        self.numbers = count()

    def inline(self, figure: "Figure", label: str, caption: str) -> Picture:
        """Return a figure with its caption.

        Parameters
        ----------
        label : str
            What a screen reader says in the place of the picture.
        """
        name = f"picture-{next(self.numbers)}"
        drawn = _drawn(figure, name)
        return _picture(
            "plot", name, drawn, f"max-width:{1.25 * _width(drawn):.0f}px", label, caption
        )

    def waves(self, text: str, label: str, caption: str) -> Picture:
        """Return a timing diagram of `fingerpost.drawing.timing.svg` with its caption.

        It keeps its size, for its words are small: where it is too wide, it scrolls.
        """
        name = f"picture-{next(self.numbers)}"
        drawn = _waves(text, name)
        return _picture("wave", name, drawn, f"width:{_width(drawn):.0f}px", label, caption)


def _picture(kind: str, name: str, drawn: Element, size: str, label: str, caption: str) -> Picture:
    drawn.attrib |= {"style": size, "role": "img", "aria-label": printable(label)}
    svg = ElementTree.tostring(drawn, encoding="unicode", method="html")
    return Picture(name, kind, Markup(svg), caption)


def _width(drawn: Element) -> float:
    return float(drawn.get("viewBox", "").split()[2])


def _element(tag: str, *children: Element, **attributes: str) -> Element:
    made = Element(tag, attributes)
    made.extend(children)
    return made


def _drawn(figure: "Figure", name: str) -> Element:
    """Return the drawing, all of it in one group that others can use."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    read = ElementTree.fromstring(file.getvalue())
    group = _element("g", id=f"{name}-drawing")
    for part in read:
        if not part.tag.endswith("}metadata"):
            group.append(part)
    for part in group.iter():
        for style in [child for child in part if child.tag.endswith("}style")]:
            part.remove(style)  # it would hold for the whole page: see page.css
    return _alone(group, name, read)


def _waves(text: str, name: str) -> Element:
    """Return a picture of WaveDrom, whose style holds for nothing else, without spare parts."""
    read = ElementTree.fromstring(text)
    group = _element("g", *read, id=f"{name}-drawing")
    used = set(re.findall(r'href="#([^"]+)"', text))
    for part in list(group.iter()):
        if part.tag.endswith("}style"):
            # What is drawn in many places takes rules of its own classes, but not of those that
            # it is in: so classes get the name, and what holds for elements is within the group.
            rules = re.sub(r"\.(?=[a-z])", f".{name}-", part.text or "")
            part.text = re.sub(r"(^|\})(?=[a-z])", rf"\1#{name}-drawing ", rules)
        elif part.tag.endswith("}defs"):
            for spare in [child for child in part if child.get("id") not in used]:
                part.remove(spare)
        part.attrib.pop(SPACE, None)
        if classes := part.get("class"):
            part.set("class", " ".join(f"{name}-{each}" for each in classes.split()))
    return _alone(group, name, read)


def _alone(group: Element, name: str, read: Element) -> Element:
    """Put a name before all identifiers and references; leave out those that nothing refers to."""
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
        part.text, part.tail = (part.text or "").strip() or None, None
    used = {group.get("id")}
    for part in group.iter():
        for value in part.attrib.values():
            used.update(re.findall(r"(?:url\()?#([\w-]+)\)?", value))
    for part in group.iter():
        if part.get("id") not in used:
            part.attrib.pop("id", None)
    return _element("svg", group, viewBox=read.get("viewBox", ""))
