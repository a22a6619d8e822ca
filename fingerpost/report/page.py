"""The page around its sections: one self-contained file."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from fingerpost.report.markup import Element, data, element, html

__all__ = ["page"]


def page(
    title: str, sections: Mapping[str, Sequence[Element]], routes: Any, *, made_by: str
) -> str:
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
    names = {name: name.lower().replace(" ", "-") for name in sections}
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
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
        element("footer", element("p", made_by)),
        data("packed", routes),
        element("script", script),
    )
    return f"<!DOCTYPE html>\n{html(element('html', head, body, lang='en'))}\n"


def _section(name: str, place: str, parts: Sequence[Element]) -> Element:
    title = element("h2", name, id=f"{place}-title")
    return element("section", title, *parts, id=place, aria_labelledby=f"{place}-title")
