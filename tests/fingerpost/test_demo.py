"""The steps of the demonstration that need no simulator; `make demo` runs all of them."""

from itertools import islice
from pathlib import Path

from fingerpost.cli.demo import _steps


def test_constants_route_and_proof_are_those_of_the_paper(tmp_path: Path) -> None:
    assert list(islice(_steps(tmp_path), 3)) == [True, True, True]
