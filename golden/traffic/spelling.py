"""Traffic in words, as on the command line: ``hotspot:nodes=0;5,share=0.2``, ``1..8``."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from fingerpost.golden.parameters import ParameterError, either
from fingerpost.golden.traffic.arrivals import ARRIVALS, Arrivals
from fingerpost.golden.traffic.lengths import LENGTHS, Fixed, Lengths, Uniform
from fingerpost.golden.traffic.patterns import PATTERNS, Pattern
from fingerpost.golden.traffic.spelled import Spelled

T = TypeVar("T", bound=Spelled)


def pattern(text: str | Pattern) -> Pattern:
    """Return the traffic pattern that a text stands for.

    Raises
    ------
    ParameterError
        If there is none of that name, or a parameter is wrong; the message says what is needed.

    Examples
    --------
    >>> str(pattern("hotspot:share=0.2,nodes=0;5"))
    'hotspot:nodes=0;5,share=0.2'
    """
    return text if isinstance(text, Pattern) else _named(PATTERNS, "Traffic", "pattern", text)


def arrivals(text: str | Arrivals) -> Arrivals:
    """Return the arrival process that a text stands for.

    Raises
    ------
    ParameterError
        If there is none of that name, or a parameter is wrong; the message says what is needed.
    """
    return text if isinstance(text, Arrivals) else _named(ARRIVALS, "Traffic", "arrivals", text)


def lengths(text: str | int | tuple[int, int] | Lengths) -> Lengths:
    """Return the packet lengths that a text stands for: ``4``, ``1..8``, ``bimodal:1,5,0.2``.

    A number is the same for all, a pair the least and the most.

    Raises
    ------
    ParameterError
        If there are none of that name, or a parameter is wrong; the message says what is needed.
    """
    if isinstance(text, Lengths):
        return text
    if isinstance(text, int):
        return Fixed(text)
    if not isinstance(text, str):
        return Uniform(*text)
    least, dots, most = text.partition("..")
    if dots and least.isdecimal() and most.isdecimal():
        return Uniform(int(least), int(most))
    if text.removeprefix("-").isdecimal():
        return Fixed(int(text))
    if text.partition(":")[0] not in LENGTHS:
        raise ParameterError(
            "lengths",
            f"Traffic needs packet lengths such as 4, 1..8 or bimodal:1,5,0.2, not {text!r}",
        )
    return _named(LENGTHS, "Traffic", "lengths", text)


def _named(kinds: Mapping[str, type[T]], what: str, key: str, text: str) -> T:
    name, _, rest = text.partition(":")
    if name not in kinds:
        raise ParameterError(key, f"{what} needs {key} {either(kinds)}, not {name!r}")
    return kinds[name].of(rest)


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
