"""What goes into a network and is seen of it in a cycle, as words."""

import numpy as np

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.packing import Columns, Fields, empty
from fingerpost.testbench.sources import terminal_fields, wire_fields

__all__ = ["Layout", "Rows", "bits"]


def bits(fields: Fields) -> int:
    """Return the bits of a row of fields."""
    return sum(width for _, width in fields)


class Rows:
    """The rows of a cycle; each begins with a word of its own.

    Attributes
    ----------
    sent : Fields
        Of a row that is given.
    groups : list of (rows, fields)
        Of what is seen: two of them.
    """

    def __init__(self, sent: Fields, groups: list[tuple[int, Fields]]) -> None:
        self.sent, self.groups = sent, groups

    def parts(self, seen: Words) -> list[Words]:
        """Return what is seen in some cycles by groups and rows; both share their memory."""
        first = self.groups[0][0] * words(bits(self.groups[0][1]))
        pairs = zip((seen[..., :first], seen[..., first:]), self.groups, strict=True)
        return [part.reshape(*part.shape[:-1], rows, -1) for part, (rows, _) in pairs]

    def columns(self, seen: Words) -> list[Columns]:
        """Return the fields of what is seen in a cycle."""
        pairs = zip(self.parts(seen), self.groups, strict=True)
        return [empty(fields, part) for part, (_, fields) in pairs]


class Layout(Rows):
    """The rows of a network: what terminals give; links by node and port, then terminals.

    Attributes
    ----------
    given_words, seen_words : int
        In a cycle.
    """

    def __init__(self, network: AnyNetwork) -> None:
        self.nodes, local = network.topology.nodes, network.topology.local
        terminal = terminal_fields(network)
        links = self.nodes * local, wire_fields(network)
        super().__init__(terminal["sent"], [links, (self.nodes, terminal["received"])])
        self.given_words = self.nodes * words(bits(self.sent))
        self.seen_words = sum(rows * words(bits(fields)) for rows, fields in self.groups)

    def make(self, cycles: int) -> tuple[Words, Words]:
        """Return room for what is given and seen in some cycles."""
        return (
            np.zeros((cycles, self.given_words), np.uint64),
            np.zeros((cycles, self.seen_words), np.uint64),
        )

    def rows(self, given: Words) -> Words:
        """Return what is given in some cycles by rows."""
        return given.reshape(*given.shape[:-1], self.nodes, -1)
