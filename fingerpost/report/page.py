"""The page around its sections, and what sections are made of: one file that fetches nothing."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fingerpost.hdl.lib.text import printable, printable_lines
from fingerpost.jobs.provenance import KEY, line, provenance

Cell = str | int

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows.

    Attributes
    ----------
    columns : sequence of str
        Their names; empty for pairs of a name and a value, which need none.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Picture:
    """A picture of the page.

    Attributes
    ----------
    name : str
        Its identifier, unlike that of all others.
    kind : str
        `plot`, or `wave`: a timing diagram, which keeps its size and scrolls.
    svg : Markup
    """

    name: str
    kind: str
    svg: Markup
    caption: str


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
    """Return the content of a section, from the template of its name; empty without any."""
    return Markup(environment().get_template(f"{name}.html.j2").render(data).strip())


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
