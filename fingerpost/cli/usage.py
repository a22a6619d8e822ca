"""What is wrong with a command line, in our own words instead of those of typer and pydantic."""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["explained"]

NEEDS = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a finite number",
    "bool": "true or false",
    "greater_than_equal": "at least {ge:.15g}",
    "greater_than": "more than {gt:.15g}",
    "less_than_equal": "at most {le:.15g}",
    "less_than": "less than {lt:.15g}",
}
"""What an option needs, by the beginning of the type of pydantic's error."""

CHOICES = re.compile(r"'.*' is not one of (.*?)\.?", re.S)
"""What typer says of a choice that there is not."""


def explained(error: Any) -> str:
    """Return the message of an exception of click, or of the copy of click that typer brings."""
    found = getattr(error.__cause__, "errors", None)  # newer typers check values by pydantic
    if found and getattr(error, "param", None):
        *_, name = error.param.opts or [error.param.name]
        return f"{name if name.startswith('-') else name.upper()} needs {_needs(found()[0])}"
    if possible := getattr(error, "possibilities", None):
        return f"{error.message}; did you mean {' or '.join(sorted(possible))}?"
    text: str = error.format_message()
    return text.rstrip(".")


def _needs(details: Mapping[str, Any]) -> str:
    """Return the requirement in one of `ValidationError.errors()`, and the value."""
    value, context = details["input"], details.get("ctx", {})
    if choices := CHOICES.fullmatch(str(context.get("error"))):
        return f"one of {choices[1].replace(chr(39), '')}, not {value!r}"
    kind = max((key for key in NEEDS if details["type"].startswith(key)), key=len, default="")
    needs = NEEDS.get(kind, "another value").format(**context)
    return f"{needs}, not {value if kind.startswith(('greater', 'less')) else repr(value)}"
