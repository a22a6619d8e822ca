import random
from collections.abc import Sequence

import pytest

from fingerpost.golden.measure.bisection import Bisection
from fingerpost.sweeps.schedule import Point, Row, Schedule, Search

SEEDS = 0, 1
TRUTH = {(0, 0): 0.427, (0, 1): 0.6, (1, 0): 2.0, (1, 1): 3.0, (2, 0): 0.111, (2, 1): 2.0}
FOUND = 0.42, None, 0.11  # what both seeds carry
GRID = [Point(curve, load, seed) for curve, seed in TRUTH for load in (0.1, 0.25, 0.5)]


def row(point: Point) -> Row:
    """The outcome of a network that saturates where `TRUTH` says."""
    behind = point.load > TRUTH[point.curve, point.seed]
    return {"outcome": "not stable" if behind else "stable"}


def schedule() -> Schedule:
    searches = {curve: [Search(Bisection(), all_stable)] for curve in range(3)}
    return Schedule(GRID, SEEDS, searches, {})


def all_stable(curve: int, rows: Sequence[Row]) -> bool:
    assert len(rows) == len(SEEDS)
    return all(row["outcome"] == "stable" for row in rows)


def run(work: Schedule, seed: int) -> list[Point]:
    """Finish points in any order, as workers do; return those that were run."""
    rng = random.Random(seed)
    running: list[Point] = []
    ran: list[Point] = []
    while True:
        running += work.ready(rng.randrange(5) + (not running))
        if not running:
            return ran
        point = running.pop(rng.randrange(len(running)))
        ran.append(point)
        work.finish(point, row(point))


@pytest.mark.parametrize("seed", range(5))
def test_result_does_not_depend_on_speed(seed: int) -> None:
    work, other = schedule(), schedule()
    ran = run(work, seed)
    run(other, 99)
    assert work.result() == other.result()
    assert len(set(ran)) == len(ran) == len(work.result())
    assert tuple(work.searches[curve][0].bisection.saturation for curve in range(3)) == FOUND


def test_all_loads_asked_for_are_run_and_some_more() -> None:
    work = schedule()
    run(work, 1)
    points = [point for point, _ in work.result()]
    assert set(GRID) < set(points)
    assert points == sorted(points)
    # 0.5 and 0.25 are asked for already; a network that is never saturated needs 1.0 alone.
    assert [p.load for p in points if (p.curve, p.seed) == (1, 0)] == [0.1, 0.25, 0.5, 1.0]


def test_done_and_total_meet_in_the_end() -> None:
    work = schedule()
    assert (work.done, work.total) == (0, len(GRID) + 3 * 2 * 8)
    told = []
    while points := work.ready(1):
        work.finish(points[0], row(points[0]))
        told.append((work.done, work.total))
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    totals = [total for _, total in told]
    assert totals == sorted(totals, reverse=True)
    assert told[-1] == (len(work.result()), len(work.result()))
