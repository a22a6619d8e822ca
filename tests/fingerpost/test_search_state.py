"""The state of a search: an interrupted one resumes there."""

import re
from pathlib import Path

import pytest

from fingerpost.search import facts
from tests.fingerpost.common import NOWHERE, SMALL_SEARCH

FIRST = b'{"family": "borel", "diameter": 4, "p_min": 2, "p_max": 20, "min_nodes": null}\n'
"""The first line of its state."""


@pytest.mark.parametrize("min_nodes", [None, 30])
def test_interrupted_search_goes_on(
    cluster: str, slices: None, state: Path, min_nodes: int | None
) -> None:
    whole = facts(**SMALL_SEARCH, min_nodes=min_nodes, cluster=cluster)
    calls = []

    def interrupt(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        facts(**SMALL_SEARCH, min_nodes=min_nodes, cluster=cluster, state=state, progress=interrupt)
    kept = state.read_text().splitlines()
    assert len(kept) == 1 + 3
    told: list[int] = []
    answer = facts(
        **SMALL_SEARCH,
        min_nodes=min_nodes,
        cluster=cluster,
        state=state,
        progress=lambda done, total: told.append(done),
    )
    assert told[0] == calls[-1] > 0
    assert answer["found"] == whole["found"]
    assert state.read_text().splitlines()[:4] == kept
    units = [line.split(', "found"')[0] for line in state.read_text().splitlines()]
    assert len(set(units)) == len(units)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"diameter": 5}, "is the state of a search with diameter 4, not 5"),
        ({"p_max": 21}, "is the state of a search with p_max 20, not 21"),
        ({"p_min": 3}, "is the state of a search with p_min 2, not 3"),
        ({"min_nodes": 9}, "is the state of a search with min_nodes None, not 9"),
    ],
)
def test_refuses_the_state_of_another_search(
    cluster: str, state: Path, change: dict[str, int], message: str
) -> None:
    facts(**SMALL_SEARCH, cluster=cluster, state=state)
    before = state.read_text()
    with pytest.raises(ValueError, match=f"^{re.escape(f'{state}: {message}')}$"):
        facts(**{**SMALL_SEARCH, **change}, cluster=NOWHERE, state=state)
    assert state.read_text() == before
