"""Which cases of a test `make test` runs; `make regress` runs all."""

from collections.abc import Iterable
from typing import Any

import pytest


def only(quick: Iterable[object], cases: Iterable[Any]) -> list[Any]:
    """Return the cases (a tuple: several arguments); those that are not quick are marked long."""
    quick = [*quick]
    return [
        case
        if case in quick
        else pytest.param(*case if isinstance(case, tuple) else (case,), marks=pytest.mark.regress)
        for case in cases
    ]
