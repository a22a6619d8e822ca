"""Every kind of subject: its mutants are found, or change nothing."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.routing import ALGORITHMS
from fingerpost.testbench.compiled import build as building
from mutation.campaign import campaign, mutants
from mutation.hunt import healthy, hunt
from mutation.node import Nodes
from mutation.subjects import SUBJECTS
from mutation.unit import Units

UNITS = [subject for subject in SUBJECTS if isinstance(subject, Units)]

OTHERS = [subject for subject in SUBJECTS if not isinstance(subject, Nodes | Units)]

NONE = 999
"""The number of no mutant."""


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile without optimisation: what runs for a second need not run fast."""
    monkeypatch.setattr(building, "OPTIMISE", "-O0")


def test_every_algorithm_is_mutated() -> None:
    mutated = {unit.description["routing"]["algorithm"] for unit in UNITS}
    assert mutated == {*ALGORITHMS} - {"random"}


@pytest.mark.regress
@pytest.mark.parametrize("subject", UNITS, ids=lambda subject: subject.name)
def test_units_that_differ_are_found_and_no_others(subject: Units, tmp_path: Path) -> None:
    mutated = mutants(subject, count=24, seed=5)
    trials = subject.trials(mutated, tmp_path)
    healthy(trials)
    numbers = [mutant.number for mutant in mutated.mutants]
    found = {number for number in numbers if hunt(trials, number)}
    assert len(found) > 10
    same = {number for number in numbers if subject.equivalent(mutated, number, tmp_path)}
    assert found | same == set(numbers)
    assert not found & same
    assert subject.equivalent(mutated, NONE, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize("subject", OTHERS, ids=lambda subject: subject.name)
def test_most_mutants_are_found(subject: Any, tmp_path: Path) -> None:
    fates = campaign(subject, count=50, seed=4, cache=tmp_path, prove=False)
    assert sum(fate.killed is not None for fate in fates) >= 44
