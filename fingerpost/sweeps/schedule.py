"""The simulations of a sweep: the work of each, and which come next."""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fingerpost.golden.measure import simulate
from fingerpost.golden.measure.bisection import Bisection
from fingerpost.golden.network.kinds import AnyNetwork, build_any

__all__ = ["Point", "Row", "Schedule", "simulated"]

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
    mean = found.latencies.mean
    links = found.link_load[network.topology.neighbour >= 0]
    return {
        "outcome": found.outcome.value,
        "offered": found.offered,
        "accepted": found.accepted.mean,
        "accepted_low": found.accepted.low,
        "accepted_high": found.accepted.high,
        "accepted_least": found.accepted_least,
        "latency_mean": mean.mean if mean else None,
        "latency_low": mean.low if mean else None,
        "latency_high": mean.high if mean else None,
        **{f"latency_{name}": value for name, value in found.latencies.percentiles.items()},
        "packets": found.packets,
        "warm_up": found.warm_up,
        "settled": found.settled,
        "drain": found.drain,
        "link_load_mean": float(links.mean()),
        "link_load_max": float(links.max()),
    }


class Schedule:
    """The points of a sweep, and for each curve and seed the search for its saturation.

    What is found depends on the points alone, not on the order in which they are finished.

    Parameters
    ----------
    points : iterable of Point
        Those of the requested loads.
    searches : mapping
        A bisection for curves and seeds.
    done : mapping
        What is known already.
    """

    def __init__(
        self,
        points: Iterable[Point],
        searches: Mapping[tuple[int, int], Bisection],
        done: Mapping[Point, Row],
    ) -> None:
        self.wanted = dict.fromkeys(points)  # in order, each once
        self.searches, self.rows = searches, dict(done)
        self.asked: set[Point] = set()
        self.waiting: deque[Point] = deque()
        for key in searches:
            self._go_on(key)
        self.waiting.extend(point for point in self.wanted if self._new(point))

    def _new(self, point: Point) -> bool:
        """Return whether a point has not been requested before."""
        if point in self.rows or point in self.asked:
            return False
        self.asked.add(point)
        return True

    def _go_on(self, key: tuple[int, int]) -> None:
        """Let a bisection go as far as it can; then ask for the point that it needs."""
        curve, seed = key
        search = self.searches[key]
        while search.load is not None:
            point = Point(curve, search.load, seed)
            self.wanted.setdefault(point)
            if point not in self.rows:
                if self._new(point):
                    self.waiting.appendleft(point)  # others wait for it
                return
            search.tell(saturated=self.rows[point]["outcome"] != "ok")

    def ready(self, count: int) -> Sequence[Point]:
        """Return so many points that can be run now, or as many as there are."""
        return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def finish(self, point: Point, row: Row) -> None:
        """Take what became of a point."""
        self.rows[point] = row
        key = point.curve, point.seed
        if key in self.searches:
            self._go_on(key)

    @property
    def done(self) -> int:
        """Return how many points that count are finished."""
        return sum(point in self.rows for point in self.wanted)

    @property
    def total(self) -> int:
        """Return how many there will be, if bisections take as many steps as they can."""
        # The next step of each is among those that are wanted.
        ahead = [search.left - 1 for search in self.searches.values() if search.left]
        return len(self.wanted) + sum(ahead)

    def result(self) -> list[tuple[Point, Row]]:
        """Return what was wanted, in order of curve, load and seed."""
        return [(point, self.rows[point]) for point in sorted(self.wanted)]
