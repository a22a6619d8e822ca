"""The simulations of a sweep: the work of each, which come next, and the curves of their rows."""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from fingerpost.golden.analysis.loads import loads as link_loads
from fingerpost.golden.measure import Outcome, Simulation, simulate
from fingerpost.golden.measure.latency import zero_load, zero_load_of
from fingerpost.golden.measure.simulation import Bisection
from fingerpost.golden.measure.statistics import estimate
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.traffic import Lengths, Pattern
from fingerpost.golden.traffic.traffic import KINDS, Transactions
from fingerpost.netfile.schema import named

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
    own = dict(options)
    given = own.pop("transactions", None)
    transactions = None if given is None else Transactions(**given)
    found = simulate(network, load=load, seed=seed, transactions=transactions, **own)
    links = found.link_load[network.topology.neighbour >= 0]
    return {
        **found.row,
        "link_load_mean": float(links.mean()),
        "link_load_max": float(links.max()),
        **(_by_kind(found) if transactions else {}),
    }


def _by_kind(found: Simulation) -> Row:
    """Return the latencies of reads and of writes, stable or not."""
    row: Row = {}
    for kind, name in KINDS.items():
        some = found.latencies.of_class(kind)
        for key, value in {"mean": some.mean, **some.percentiles}.items():
            row[f"latency_of_{name}_{key}"] = value
    return row


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


AGREE = 11 / 12
"""The part of the seeds that must agree: up to eleven of them all, 55 of 60."""


@dataclass(frozen=True)
class Curve:
    """A network with a routing, and what is known of it before anything is run."""

    facts: Mapping[str, Any]
    """What it is, as plain data: `network`, `family`, `nodes`, `algorithm` ..."""
    description: str
    """What `fingerpost.golden.network.network.build` makes it of, as JSON."""
    zero_load: float | None
    """Latency where nothing is in the way, in cycles; None where links vary, and for a trace."""
    bound: float | None
    """The load at which the first link or terminal is full; None of transactions."""

    @classmethod
    def of(
        cls,
        network: AnyNetwork,
        pattern: Pattern,
        lengths: Lengths,
        transactions: Transactions | None = None,
    ) -> "Curve":
        """Return that of a network."""
        topology, routing = network.topology, network.routing
        facts = {
            "network": network.name,
            "family": topology.family,
            "nodes": topology.nodes,
            "terminals": len(topology.terminals),
            "degree": topology.degree,
            "algorithm": network.algorithm,
            "routing": named(network.description),
            "virtual_channels": network.virtual_channels,
            "buffer_depth": network.buffer_depth,
        }
        description = json.dumps(network.description, sort_keys=True)
        if transactions:
            alone = zero_load_of(network, pattern, lengths, transactions)
            return cls(facts, description, alone, None)
        found = link_loads(routing, pattern)
        flits, longest = lengths.mean, lengths.most
        links, terminals = found.link_saturation, found.terminal_saturation
        if not network.has_routes:  # all links share what is carried
            links = network.links / max(float(found.load.sum()), 1e-9)
            out = network.ejections / max(float(found.ejected.max()), 1e-9)
            terminals = min(1.0, 1 / max(float(found.injected.max()), 1e-9), out)
        empty = None
        if not pattern.recorded:
            registers = network.wire_cycles(found.load)
            hops = found.mean_hops
            empty = zero_load(network, hops, flits=flits, longest=longest, registers=registers)
        of_links = links * network.link.rate(network.flit_width)
        of_terminals = terminals * network.terminal.rate(network.data_width)
        return cls(facts, description, empty, min(of_links, of_terminals))

    @property
    def name(self) -> str:
        """Return what a legend calls it."""
        return f"{self.facts['network']}, {self.facts['routing']}"

    @property
    def digest(self) -> str:
        """Return what no other network has."""
        return sha256(self.description.encode()).hexdigest()[:16]


def outcome(rows: Sequence[Row]) -> Outcome:
    """Return what the simulations of one load, one for each seed, say together."""
    found = Counter(Outcome(row["outcome"]) for row in rows)
    if found[Outcome.DEADLOCKED]:
        return Outcome.DEADLOCKED
    agreed = (each for each, count in found.items() if count >= AGREE * len(rows))
    return next(agreed, Outcome.UNDECIDED)


def carried(rows: Sequence[Row]) -> bool:
    """Return whether a network carries a load."""
    return outcome(rows) in (Outcome.STABLE, Outcome.COMPLETE)


def latency(rows: Sequence[Row]) -> float | None:
    """Return the mean latency over the seeds; None unless the load is carried."""
    means = [row["latency_mean"] for row in rows if row["latency_mean"] is not None]
    return sum(means) / len(means) if means and carried(rows) else None


def summary(curve: Curve, rows: Sequence[Row], searches: Sequence[Bisection]) -> Row:
    """Return a curve as plain data: the means over seeds, load by load.

    Parameters
    ----------
    rows : sequence
        Those of `point.simulated`, with `load` and `seed`.
    searches : sequence of Bisection
        That for the saturation, and that by the latency, if they were asked for.
    """
    search, slow = (*searches, None, None)[:2]
    by_load: dict[float, list[Row]] = {}
    for row in rows:
        by_load.setdefault(row["load"], []).append(row)
    return {
        **curve.facts,
        "zero_load_latency": curve.zero_load,
        "bound": curve.bound,
        "saturation": search.saturation if search else None,
        "not_stable": search.beyond if search else None,
        **({"latency_saturation": slow.saturation} if slow else {}),
        "points": [_mean(load, some) for load, some in sorted(by_load.items())],
    }


def _mean(load: float, rows: Sequence[Row]) -> Row:
    """Return a point: with several seeds intervals are by replication, a mean for each seed."""
    single = rows[0] if len(rows) == 1 else None
    accepted = estimate([row["accepted"] for row in rows])
    known = latency(rows)
    means = [row["latency_mean"] for row in rows if row["latency_mean"] is not None]
    replicated = None if known is None else estimate(means).interval
    return {
        "load": load,
        "outcome": outcome(rows).value,
        "offered": sum(row["offered"] for row in rows) / len(rows),
        "accepted": accepted.mean,
        "accepted_interval": _interval(single, "accepted") if single else accepted.interval,
        "accepted_least": min(row["accepted_least"] for row in rows),
        "latency": known,
        **_kinds(rows),
        "latency_interval": _interval(single, "latency") if single else replicated,
    }


def _kinds(rows: Sequence[Row]) -> Row:
    """Return the mean latencies of reads and of writes over the seeds, if there are any."""
    found: Row = {}
    for name in KINDS.values():
        key = f"latency_of_{name}"
        means = [row[f"{key}_mean"] for row in rows if row.get(f"{key}_mean") is not None]
        if f"{key}_mean" in rows[0]:
            found[key] = sum(means) / len(means) if means else None
    return found


def _interval(row: Row, name: str) -> list[float] | None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return None if low is None else [low, high]


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
