import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

NETWORKS = Path(__file__).parents[2] / "networks"


class Ended(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that is all of standard output."""
        return json.loads(self.out)


Run = Callable[..., Ended]
