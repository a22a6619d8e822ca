"""What header generation makes of all headers that a terminal can send.

A terminal can send any bits. The proof that a network cannot deadlock starts from the headers that
`Routing.encode` makes. It holds for all others too: header generation, or the decision behind it,
refuses them, or makes of them what it makes of an encoded one.
"""

from collections.abc import Iterator

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.base import Routing

WIDEST = 24
"""More bits than this are not tried out."""

CHUNK = 1 << 18
"""Headers that are looked at in one step."""


def raw_headers(routing: Routing) -> Iterator[IntArray]:
    """Yield, some at a time, all headers that differ in what a terminal sends; other bits are 0.

    Raises
    ------
    ValueError
        If there are too many.
    """
    fields = [routing.header[name] for name in routing.sent]
    places = sorted({f.offset + i for f in fields for i in range(f.width)})  # fields may overlay
    if len(places) > WIDEST:
        raise ValueError(
            f"Launch needs headers with at most {WIDEST} bits sent to be tried out, "
            f"not {len(places)}"
        )
    for begin in range(0, 1 << len(places), CHUNK):
        number = np.arange(begin, min(begin + CHUNK, 1 << len(places)))
        yield sum(((number >> i & 1) << place for i, place in enumerate(places)), 0 * number)


def generated_headers(routing: Routing, node: int) -> IntArray:
    """Return all headers that header generation at `node` makes and lets in, ascending."""
    headers = [_let_in(routing, node, raw) for raw in raw_headers(routing)]
    return np.unique(np.concatenate(headers))


def encoded(routing: Routing, node: int) -> IntArray:
    """Return what header generation at `node` makes of the headers to all terminals, ascending."""
    terminals = routing.topology.terminals
    return _let_in(routing, node, routing.encode(np.full_like(terminals, node), terminals))


def _let_in(routing: Routing, node: int, raw: IntArray) -> IntArray:
    """Return the different headers that header generation at `node` makes of those it lets in."""
    here, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
    header, _ = routing.generate_header(here, raw)
    return np.unique(header[routing.decide(here, local, raw).error == 0])
