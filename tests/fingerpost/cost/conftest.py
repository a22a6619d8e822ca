from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fingerpost.common import Run


@pytest.fixture
def cost(run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace) -> Callable[..., Any]:
    """Run the command with stand-ins for the tools; return its facts, or the lines it shows."""

    def cost(*more: object, nets: tuple[Path, ...] = (borel21,), seeds: int = 1) -> Any:
        ended = run("cost", *nets, "--directory", tmp_path, "--seeds", seeds, *more)
        assert (ended.status, ended.err) == (0, "")
        return ended.json if "--json" in more else ended.out.splitlines()

    return cost
