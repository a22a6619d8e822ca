from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.measure.watch import Watched
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import Traffic, Windows
from tests.golden.model.networks import borel21


@pytest.fixture
def run() -> SimpleNamespace:
    """A run in which what is told has moved, and nothing else."""
    return SimpleNamespace(now=0, flits=0, sent=np.zeros(4), received=np.zeros(2), faults=[])


@pytest.fixture
def watched(run: SimpleNamespace) -> Watched:
    traffic = Traffic(borel21(), 0.5, 40, seed=1)
    run.expected = np.ones(len(traffic.time), np.bool_)
    run.delivered = np.where(traffic.time < 30, 50, -1)

    def make(network: Network, traffics: Sequence[Traffic], *, stall: float) -> Any:
        def go(cycles: int) -> None:
            run.now += cycles

        return SimpleNamespace(runs=[run], run=go, takes_windows=False)

    return Watched(borel21(), Windows(borel21(), 0.5, 40, seed=1), make=make)


@pytest.mark.parametrize("sign", ["sent", "received", "flits"])
def test_still_counts_from_the_last_movement(
    watched: Watched, run: SimpleNamespace, sign: str
) -> None:
    setattr(run, sign, getattr(run, sign) + 1)
    watched.advance(6000)
    assert watched.still == 0
    watched.advance(64)  # a packet waits since cycle 30; but something moved not long ago
    assert watched.still == 64
    watched.advance(64)
    assert watched.still == 128


def test_still_counts_from_when_there_is_something_to_deliver(
    watched: Watched, run: SimpleNamespace
) -> None:
    watched.advance(100)
    assert watched.still == 70
    run.expected = run.delivered >= 0  # the others need not come
    assert watched.still == 0


def test_faults_are_not_passed_over(watched: Watched, run: SimpleNamespace) -> None:
    watched.check()
    run.faults.append("cycle 3, node 4: out of place")
    with pytest.raises(ValueError, match=r"^Model needs repair: cycle 3, node 4: out of place$"):
        watched.check()
