"""The fair share: what each of several streams gets when no one can get more but from a poorer."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction

Limit = tuple[Collection[Hashable], Fraction]
"""Streams that share something, and how much of it there is."""


def water_fill(streams: Sequence[Hashable], limits: Collection[Limit]) -> Mapping[Hashable, float]:
    """Return the max-min fair rates of streams that all want as much as they can get.

    All rates rise together, and those of a limit that is reached stay (Bertsekas and Gallager,
    Data Networks, 2nd edition, 6.5.2).

    Raises
    ------
    ValueError
        If a stream has no limit.
    """
    rates: dict[Hashable, Fraction] = {}
    while len(rates) < len(streams):
        levels = []
        for members, capacity in limits:
            rising = [stream for stream in members if stream not in rates]
            if rising:
                used = sum((rates[stream] for stream in members if stream in rates), Fraction(0))
                levels.append(((capacity - used) / len(rising), rising))
        free = [stream for stream in streams if stream not in rates]
        bound = {stream for _, rising in levels for stream in rising}
        if not bound.issuperset(free):
            unbound = next(stream for stream in free if stream not in bound)
            raise ValueError(f"Fair share needs a limit of every stream, not none of {unbound!r}")
        level = min(level for level, _ in levels)
        rates |= {stream: level for each, rising in levels if each == level for stream in rising}
    return {stream: float(rates[stream]) for stream in streams}
