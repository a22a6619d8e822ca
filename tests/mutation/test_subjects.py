"""Mutants of routing units are found or change nothing; `make mutate` does so for all subjects."""

from pathlib import Path

import pytest

from fingerpost.golden.routing import ALGORITHMS
from mutation.campaign import healthy, hunt, mutants
from mutation.subjects import SUBJECTS
from mutation.unit import Units

pytestmark = pytest.mark.usefixtures("hasty")

UNITS = [subject for subject in SUBJECTS if isinstance(subject, Units)]

NONE = 999
"""The number of no mutant."""


def test_every_algorithm_is_mutated() -> None:
    mutated = {unit.description["routing"]["algorithm"] for unit in UNITS}
    assert mutated == {*ALGORITHMS} - {"random"}


@pytest.mark.regress
@pytest.mark.parametrize("subject", [UNITS[0], UNITS[-1]], ids=lambda subject: subject.name)
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
def test_a_router_in_its_network_never_meets_a_distance_beyond_the_diameter(tmp_path: Path) -> None:
    """A proof with neighbours and tables shows that, and of a mutant that differs nothing."""
    subject = next(each for each in SUBJECTS if each.name == "deflection-3")
    mutated = mutants(subject, count=200, seed=1)
    number = {mutant.name: mutant.number for mutant in mutated.mutants}
    beyond, differs = number["inv $612 B[1]"], number["const1 $953 B[2]"]
    assert subject.equivalent(mutated, beyond, tmp_path)
    assert not subject.equivalent(mutated, differs, tmp_path)
