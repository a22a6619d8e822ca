"""Files for users are made of the templates in `templates/`, which Jinja fills in."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fingerpost.hdl.lib.ports import idle, part
from fingerpost.hdl.terminal.around import of_terminal, stream_name


def _comment(lines: Iterable[str], mark: str) -> str:
    """Return some lines, each behind the mark of a comment."""
    return "\n".join(f"{mark} {line}" for line in lines)


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters["comment"] = _comment
TEMPLATES.globals.update(idle=idle, part=part, of_terminal=of_terminal)
TEMPLATES.globals.update(stream_name=stream_name)


def render(template: str, **values: Any) -> str:
    """Return the text of a template, named by its path in `templates` without ``.j2``.

    Raises
    ------
    jinja2.UndefinedError
        If it needs a value that is not there.
    """
    return TEMPLATES.get_template(f"{template}.j2").render(values)


def has_template(template: str) -> bool:
    """Return whether there is a template of that name."""
    return f"{template}.j2" in TEMPLATES.list_templates()
