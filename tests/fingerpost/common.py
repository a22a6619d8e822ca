import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from fingerpost.search import render

NETWORKS = Path(__file__).parents[2] / "networks"

NOWHERE = "tcp://127.0.0.1:1"
"""Where no scheduler is."""

SMALL_SEARCH: dict[str, Any] = {"diameter": 4, "p_max": 20}
"""A search that is done in a moment."""


class Ended(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that is all of standard output."""
        return json.loads(self.out)


Run = Callable[..., Ended]


def searched(answer: dict[str, Any]) -> str:
    """What people see of the answer of a search."""
    console = Console(width=100)
    with console.capture() as capture:
        console.print(render(answer))
    return capture.get()
