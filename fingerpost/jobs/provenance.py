"""How a result was made: one object for JSON, tables, pictures and pages.

It has no date, and no folder but those of the command line, so a command that is given again
writes the same files byte for byte.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

KEY = "provenance"
"""Of the object, in answers and in the metadata of Parquet files."""


@dataclass
class _Run:
    """A command and its networks, in the order in which it took them."""

    command: str | None = None
    seed: int | str | None = None
    networks: list[dict[str, str]] = field(default_factory=list)


_current: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def run(command: str, seed: int | str | None) -> Iterator[None]:
    """Let results carry a command line and its seeds; without it they carry the version alone."""
    token = _current.set(_Run(command, seed))
    try:
        yield
    finally:
        _current.reset(token)


def uses(description: Mapping[str, Any]) -> None:
    """Let results of this command carry the name and hash of a network."""
    from fingerpost.hdl.lib.banner import digest  # after networks: `--help` needs neither

    entry = {"name": str(description["name"]), "description_sha256": digest(description)}
    current = _current.get()
    if current is not None and entry not in current.networks:
        current.networks.append(entry)


def provenance() -> dict[str, Any]:
    """Return how the results of this command are made.

    Returns
    -------
    dict
        ``version`` of fingerpost; ``command``, the command line; ``networks``, of each ``name`` and
        ``description_sha256``, the hash that is in the banner of its Verilog; ``seed``, a number,
        several as text, or None where nothing is random.
    """
    from importlib.metadata import version

    current = _current.get() or _Run()
    return {
        "version": version("fingerpost"),
        "command": current.command,
        "networks": current.networks,
        "seed": current.seed,
    }


def line() -> str:
    """Return it as one line of ASCII, for comments and metadata."""
    return json.dumps(provenance())
