"""The simulations of a sweep: which are asked for, the work of each, and which come next."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple

from fingerpost.golden.measure import simulate
from fingerpost.golden.measure.latency import PERCENTILES
from fingerpost.golden.measure.simulation import Bisection
from fingerpost.golden.network.kinds import AnyNetwork, build_any

Row = dict[str, Any]

MOST = 10_000
"""Numbers of a list on the command line; more are a slip of the pen."""


class Point(NamedTuple):
    """A curve, by its number, under one load with one seed."""

    curve: int
    load: float
    seed: int


@lru_cache(maxsize=2)
def _network(description: str) -> AnyNetwork:
    """Build a network, with its proof; a worker often simulates the same one."""
    return build_any(json.loads(description))


def simulated(description: str, options: Mapping[str, Any], load: float, seed: int) -> Row:
    """Return what `fingerpost.golden.measure.simulate` finds, as plain numbers.

    Parameters
    ----------
    description : str
        Of a network, as JSON.
    options : mapping
        Other arguments of `simulate`.
    """
    network = _network(description)
    found = simulate(network, load=load, seed=seed, **options)
    latency = found.latency
    percentiles = found.latencies.percentiles if latency else dict.fromkeys(PERCENTILES)
    links = found.link_load[network.topology.neighbour >= 0]
    return {
        "outcome": found.outcome.value,
        "offered": found.offered,
        "accepted": found.accepted.mean,
        "accepted_low": found.accepted.low,
        "accepted_high": found.accepted.high,
        "accepted_least": found.accepted_least,
        "latency_mean": latency.mean if latency else None,
        "latency_low": latency.low if latency else None,
        "latency_high": latency.high if latency else None,
        **{f"latency_{name}": value for name, value in percentiles.items()},
        "packets": found.packets,
        "warm_up": found.warm_up,
        "measured": found.cycles,
        "precise": found.precise,
        "link_load_mean": float(links.mean()),
        "link_load_max": float(links.max()),
    }


Carries = Callable[[int, Sequence[Row]], bool]
"""Whether a network, by the number of its curve, carries a load by the rows of all seeds."""


class Search(NamedTuple):
    """A bisection for the highest load that a curve carries, in some sense."""

    bisection: Bisection
    carries: Carries


class Schedule:
    """The points of a sweep, and for each curve the searches for its saturation.

    A search tries a load with all seeds. What is found depends on the points alone, not on the
    order in which they are finished.

    Parameters
    ----------
    points : iterable of Point
        Those of the requested loads.
    seeds : sequence of int
    searches : mapping
        For each curve.
    """

    def __init__(
        self,
        points: Iterable[Point],
        seeds: Sequence[int],
        searches: Mapping[int, Sequence[Search]],
    ) -> None:
        self.wanted = dict.fromkeys(points)  # in order, each once
        self.seeds, self.searches, self.rows = seeds, searches, dict[Point, Row]()
        self.asked: set[Point] = set()
        self.waiting: deque[Point] = deque()
        for curve in searches:
            self._go_on(curve)
        self.waiting.extend(point for point in self.wanted if self._new(point))

    def _new(self, point: Point) -> bool:
        """Return whether a point has not been requested before."""
        if point in self.rows or point in self.asked:
            return False
        self.asked.add(point)
        return True

    def _go_on(self, curve: int) -> None:
        """Let the searches go as far as they can; then ask for the points that they need."""
        for search, carries in self.searches.get(curve, ()):
            while search.load is not None:
                points = [Point(curve, search.load, seed) for seed in self.seeds]
                self.wanted.update(dict.fromkeys(points))
                missing = [point for point in points if point not in self.rows]
                # Others wait for them.
                self.waiting.extendleft(point for point in missing if self._new(point))
                if missing:
                    break
                rows = [self.rows[point] for point in points]
                search.tell(saturated=not carries(curve, rows))

    def ready(self, count: int) -> Sequence[Point]:
        """Return so many points that can be run now, or as many as there are."""
        return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def finish(self, point: Point, row: Row) -> None:
        """Take what became of a point."""
        self.rows[point] = row
        self._go_on(point.curve)

    def counts(self) -> tuple[int, int]:
        """Return how many points that count are finished, and how many there will be.

        That is if bisections take as many steps as they can; it falls when they take fewer.
        """
        # The next step of each is among those that are wanted.
        all_searches = (search for searches in self.searches.values() for search, _ in searches)
        ahead = sum(search.left - 1 for search in all_searches if search.left)
        done = sum(point in self.rows for point in self.wanted)
        return done, len(self.wanted) + ahead * len(self.seeds)

    def result(self) -> list[tuple[Point, Row]]:
        """Return what was wanted, in order of curve, load and seed."""
        return [(point, self.rows[point]) for point in sorted(self.wanted)]


def loads(text: str) -> list[float]:
    """Return the numbers of a list, in rising order, each once.

    Raises
    ------
    ValueError
        If it is none, or a range has no step.

    Examples
    --------
    >>> loads("0.45,0.1..0.3:0.1")
    [0.1, 0.2, 0.3, 0.45]
    """
    return sorted({float(each) for each in _numbers(text, "loads", "0.1,0.2 or 0.1..1:0.1", None)})


def seeds(text: str) -> list[int]:
    """Return the whole numbers of a list, in rising order, each once.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> seeds("7,0..3")
    [0, 1, 2, 3, 7]
    """
    found = _numbers(text, "seeds", "0,1 or 0..4", Decimal(1))
    if any(each != int(each) or each < 0 for each in found):
        raise ValueError(f"Sweep needs seeds that are whole numbers, as in 0,1 or 0..4, not {text}")
    return sorted({int(each) for each in found})


def _numbers(text: str, what: str, example: str, step: Decimal | None) -> list[Decimal]:
    found: list[Decimal] = []
    try:
        for part in text.split(","):
            ends, colon, given = part.partition(":")
            first, dots, last = ends.partition("..")
            if not dots and not colon:
                found.append(Decimal(part))
                continue
            low, high = Decimal(first), Decimal(last)
            by = Decimal(given) if colon else step
            if by is None or not (by > 0 and low <= high) or (high - low) / by >= MOST:
                raise ValueError
            found += [low + i * by for i in range(int((high - low) / by) + 1)]
        if not all(each.is_finite() for each in found):
            raise ValueError
    except (InvalidOperation, ValueError):
        raise ValueError(f"Sweep needs {what} as in {example}, not {text!r}") from None
    return found
