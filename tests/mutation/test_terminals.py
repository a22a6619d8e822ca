"""Routing units and terminals as what is mutated: what goes in, and what is found of them."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.testbench.compiled import build as building
from mutation import axi, programs
from mutation.axi import AxiTerminals, Users
from mutation.campaign import campaign, mutants
from mutation.hunt import healthy, hunt
from mutation.programs import MessageTerminals, Programs
from mutation.subjects import SUBJECTS
from mutation.unit import Units

UNITS = {subject.name: subject for subject in SUBJECTS if isinstance(subject, Units)}

(AXI,) = (subject for subject in SUBJECTS if isinstance(subject, AxiTerminals))

(MESSAGES,) = (subject for subject in SUBJECTS if isinstance(subject, MessageTerminals))

NONE = 999
"""The number of no mutant."""


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile without optimisation: what runs for a second need not run fast."""
    monkeypatch.setattr(building, "OPTIMISE", "-O0")


def test_every_algorithm_is_mutated() -> None:
    mutated = {unit.description["routing"]["algorithm"] for unit in UNITS.values()}
    assert mutated == {*ALGORITHMS} - {"random"}


@pytest.mark.regress
@pytest.mark.parametrize("name", UNITS)
def test_units_that_differ_are_found_and_no_others(name: str, tmp_path: Path) -> None:
    subject = UNITS[name]
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


def test_all_headers_of_a_mesh_are_tried() -> None:
    mesh = UNITS["dimension-order-mesh"].network
    every = list(UNITS["dimension-order-mesh"]._every)
    local = mesh.topology.local
    assert [each.node for each in every] == list(range(24))
    for each in every:
        raw = each.header[each.arrival == local]
        assert {*raw.tolist()} == {*range(1 << mesh.routing.header.width)}
    passed = {(e.node, int(a), int(h)) for e in every for a, h in zip(*e[1:3], strict=True)}
    assert sum(arrival != local for _, arrival, _ in passed) == len(set(_hops((3, 4, 2))))


def _hops(sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield where packets are, where they were before, and where they go, by dimension order."""
    nodes = list(np.ndindex(*sizes))
    for source, destination in product(nodes, nodes):
        at = source
        for axis in range(len(sizes)):
            while at[axis] != destination[axis]:
                step = 1 if destination[axis] > at[axis] else -1
                before, at = at, (*at[:axis], at[axis] + step, *at[axis + 1 :])
                yield at, before, destination


def test_users_keep_to_the_rules_of_axi_stream() -> None:
    users = Users(build(AXI.description), axi.TURNS[3], timeout=6, seed=1)
    given, seen = users.run(600)
    for before, shown, after in zip(given, seen, given[1:], strict=False):
        waits = (before["s_axis__tvalid"] > 0) & (shown["s_axis__tready"] == 0)
        names = [name for name in before if name.startswith("s_axis__")]
        assert all((before[name] == after[name])[waits].all() for name in names)
    room = np.full(axi.LANES, users.depth)
    for gives, shown in zip(given, seen, strict=True):
        room -= gives["eject__valid"]
        assert (room >= 0).all()
        room += shown["eject__credit"]


@pytest.mark.parametrize(
    ("mood", "counter"),
    [(4, "refused"), pytest.param(5, "expired", marks=pytest.mark.regress)],
)
def test_users_err_more_often_than_can_be_counted(mood: int, counter: str) -> None:
    users = Users(build(AXI.description), axi.TURNS[mood], timeout=6, seed=mood)
    users.run(axi.LONG[mood])
    assert getattr(users.sender, counter).max() == 255


@pytest.mark.regress
def test_programs_err_more_often_than_can_be_counted() -> None:
    (number,) = (n for n, (mood, _) in enumerate(programs.TURNS) if mood.deaf == 0.2)
    mood, long = programs.TURNS[number]
    ends = Programs(mood, timeout=6, seed=number)
    ends.run(long)
    assert ends.sender.expired.max() == ends.receiver.lost.max() == 255


@pytest.mark.regress
@pytest.mark.parametrize("subject", [AXI, MESSAGES], ids=lambda subject: subject.name)
def test_most_mutants_are_found(subject: Any, tmp_path: Path) -> None:
    fates = campaign(subject, count=50, seed=4, cache=tmp_path, prove=False)
    assert sum(fate.killed is not None for fate in fates) >= 44
