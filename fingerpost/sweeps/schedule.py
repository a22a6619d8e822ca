"""The simulations of a sweep: the work of each, and which come next."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fingerpost.golden.measure import simulate
from fingerpost.golden.measure.bisection import Bisection
from fingerpost.golden.measure.latency import PERCENTILES
from fingerpost.golden.network.kinds import AnyNetwork, build_any

Row = dict[str, Any]


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
    done : mapping
        What is known already.
    """

    def __init__(
        self,
        points: Iterable[Point],
        seeds: Sequence[int],
        searches: Mapping[int, Sequence[Search]],
        done: Mapping[Point, Row],
    ) -> None:
        self.wanted = dict.fromkeys(points)  # in order, each once
        self.seeds, self.searches, self.rows = seeds, searches, dict(done)
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

    @property
    def done(self) -> int:
        """Return how many points that count are finished."""
        return sum(point in self.rows for point in self.wanted)

    @property
    def total(self) -> int:
        """Return how many there will be, if bisections take as many steps as they can."""
        # The next step of each is among those that are wanted.
        all_searches = (search for searches in self.searches.values() for search, _ in searches)
        ahead = sum(search.left - 1 for search in all_searches if search.left)
        return len(self.wanted) + ahead * len(self.seeds)

    def result(self) -> list[tuple[Point, Row]]:
        """Return what was wanted, in order of curve, load and seed."""
        return [(point, self.rows[point]) for point in sorted(self.wanted)]
