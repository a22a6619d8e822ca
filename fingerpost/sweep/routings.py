"""Routing in a line of text, and network files with another routing than their own."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml
from pydantic import ValidationError

from fingerpost.description import ALGORITHM, NetworkFile
from fingerpost.explain import explain
from fingerpost.netfile import Source
from golden.parameters import either

__all__ = ["reroute", "spelled"]


def spelled(routing: Mapping[str, Any]) -> str:
    """Return a routing of a network file as text: its name and what is not as by default.

    Examples
    --------
    >>> spelled({"algorithm": "chordal-ring", "lookahead": 4, "rule": "safe"})
    'chordal-ring:lookahead=4'
    """
    name = routing["algorithm"]
    fields = ALGORITHM.choices[name].model_fields
    given = [
        f"{key}={value}"
        for key, value in routing.items()
        if key != "algorithm" and value != fields[key].default
    ]
    return f"{name}:{','.join(given)}" if given else name


def reroute(source: Source, text: str) -> Source:
    """Return a network file with the routing that a text like `spelled` names.

    An order of the file was found for its own routing; with another one is searched for.

    Raises
    ------
    ValueError
        If there is no such routing, or not with such parameters.
    """
    name, _, rest = text.partition(":")
    if name not in ALGORITHM.choices:
        raise ValueError(f"--routing needs {either(ALGORITHM.choices)}, not {name!r}")
    routing: dict[str, Any] = {"algorithm": name}
    for each in rest.split(",") if rest else ():
        key, equals, value = each.partition("=")
        if not equals:
            raise ValueError(f"--routing {text}: needs KEY=VALUE behind the colon, not {each!r}")
        routing[key] = yaml.safe_load(value)
    data = source.file.model_dump(exclude_none=True)
    own = data["routing"]
    data["routing"] = routing
    try:
        file = NetworkFile.model_validate(data)
    except ValidationError as error:
        _, message = explain(error.errors(include_url=False)[0], data)
        raise ValueError(f"--routing {text}: {message}") from None
    if file.model_dump(exclude_none=True)["routing"] != own:
        router = file.router.model_copy(update={"channel_order": None})
        file = file.model_copy(update={"router": router})
    return replace(source, file=file)
