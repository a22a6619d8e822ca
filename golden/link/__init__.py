"""Links: the kinds that join routers, and the OS-Link of transputers with what is above it."""

from collections.abc import Mapping
from typing import Any

from fingerpost.golden.link.base import Link
from fingerpost.golden.link.cell_link import CellLink
from fingerpost.golden.link.flit_link import FlitLink
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.link.stream_link import StreamLink
from fingerpost.golden.parameters import ParameterError, either, section

__all__ = [
    "LINKS",
    "CellLink",
    "FlitLink",
    "Link",
    "OsLinkParameters",
    "StreamLink",
    "link",
]


LINKS: dict[str, type[Link]] = {kind.kind: kind for kind in (FlitLink, CellLink, StreamLink)}


def link(description: Mapping[str, Any] | None) -> Link:
    """Return the link kind that ``link`` of a network file names; without one, wires.

    Raises
    ------
    ParameterError
        If a parameter is impossible.
    """
    parameters = dict(description or {"kind": FlitLink.kind})
    kind = parameters.pop("kind")
    if kind not in LINKS:
        raise ParameterError(
            "kind", f"Link needs a kind that is {either(LINKS)}, not {kind!r}", section="link"
        )
    with section("link"):
        return LINKS[kind](**parameters)
