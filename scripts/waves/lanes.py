"""The rows of diagrams, made of what was seen of signals."""

from collections.abc import Mapping, Sequence

from fingerpost.drawing.timing import Lane

__all__ = ["Seen", "bus_rows", "levels", "stream", "written"]

Seen = Mapping[str, Sequence[int]]
"""The values of signals, by name."""


def levels(seen: Seen, *names: str) -> tuple[Lane, ...]:
    """Return the rows of signals of one bit; those that were not recorded are left out."""
    return tuple(Lane(name, tuple(seen[name])) for name in names if name in seen)


def written(seen: Seen, name: str, valid: str, digits: int = 1) -> Lane:
    """Return the row of a signal in hexadecimal, where another says that it means something."""
    pairs = zip(seen[name], seen[valid], strict=True)
    return Lane(name, tuple(f"{x:0{digits}X}" if on else "" for x, on in pairs))


def stream(seen: Seen, end: str, digits: int = 4) -> tuple[Lane, ...]:
    """Return the rows of an AXI4-Stream."""
    valid, ready, data, last = (f"{end}_t{what}" for what in ("valid", "ready", "data", "last"))
    beat = written(seen, data, valid, digits)
    return (*levels(seen, valid, ready), beat, *levels(seen, last))


def bus_rows(
    seen: Seen, channels: Mapping[str, Sequence[str]], prefix: str = ""
) -> tuple[Lane, ...]:
    """Return the rows of some channels of AXI4-Lite, by their names with their payloads."""
    lanes: list[Lane] = []
    for channel, payloads in channels.items():
        valid, ready = f"{prefix}{channel}valid", f"{prefix}{channel}ready"
        lanes += levels(seen, valid, ready)
        lanes += (written(seen, f"{prefix}{name}", valid) for name in payloads)
    return tuple(lanes)
