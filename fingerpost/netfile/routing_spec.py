"""Routing in a line of text: an algorithm, and its options that are not as by default."""

from collections.abc import Mapping
from typing import Any

import yaml

from fingerpost.golden.network.kinds import router_kind
from fingerpost.netfile.description import ALGORITHM

__all__ = ["named", "parsed", "spelled"]


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


def named(description: Mapping[str, Any]) -> str:
    """Return what decides the ways of packets in a network: its routing, or its kind of routers."""
    kind = router_kind(description)
    return spelled(description["routing"]) if kind == "wormhole" else kind


def parsed(text: str) -> dict[str, Any]:
    """Return the routing that a text like `spelled` names, as a network file has it; unchecked.

    Raises
    ------
    ValueError
        If an option has no value.

    Examples
    --------
    >>> parsed("chordal-ring:lookahead=4,rule=safe")
    {'algorithm': 'chordal-ring', 'lookahead': 4, 'rule': 'safe'}
    """
    name, _, rest = text.partition(":")
    routing: dict[str, Any] = {"algorithm": name}
    for each in rest.split(",") if rest else ():
        key, equals, value = each.partition("=")
        if not equals:
            raise ValueError(f"--routing {text}: needs KEY=VALUE behind the colon, not {each!r}")
        routing[key] = yaml.safe_load(value)
    return routing
