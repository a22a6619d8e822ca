"""What terminals send, as facts of an answer."""

from collections.abc import Sequence
from typing import Any

from fingerpost.golden.traffic import Arrivals, Lengths, Pattern
from fingerpost.golden.traffic.lengths import Fixed

__all__ = ["shares_in_words", "traffic_facts"]


def traffic_facts(pattern: Pattern, arrivals: Arrivals, lengths: Lengths) -> dict[str, Any]:
    """Return pattern, arrivals and lengths in words; one length as a number."""
    if pattern.recorded:
        return {"traffic": str(pattern), "arrivals": None, "packet_length": None}
    length = lengths.flits if isinstance(lengths, Fixed) else str(lengths)
    return {"traffic": str(pattern), "arrivals": str(arrivals), "packet_length": length}


def shares_in_words(shares: Sequence[float]) -> str:
    """Return the shares of message classes as on the command line.

    Examples
    --------
    >>> shares_in_words([3.0, 0.5])
    '3,0.5'
    """
    return ",".join(f"{share:g}" for share in shares)
