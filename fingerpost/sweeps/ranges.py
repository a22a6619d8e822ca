"""Lists of numbers as on the command line: ``0.1,0.2``, ``0.1..1:0.1``, ``0..4``."""

from decimal import Decimal, InvalidOperation

MOST = 10_000
"""Numbers of a list; more are a slip of the pen."""


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
