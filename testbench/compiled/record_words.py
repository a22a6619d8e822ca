"""What a model has recorded, as the words that go into a network and are seen of it."""

from fingerpost.golden.compiled import Record
from fingerpost.testbench.compiled.layout import Layout
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.packing import fill

__all__ = ["record_words"]


def record_words(record: Record, layout: Layout) -> tuple[Words, Words]:
    """Return what goes in, and what must be seen, in each cycle of a record."""
    given, seen = layout.make(len(record.links["valid"]))
    fill(layout.sent, record.given, layout.rows(given))
    columns = record.links, record.terminals
    for part, column, (_, fields) in zip(layout.parts(seen), columns, layout.groups, strict=True):
        fill(fields, column, part)
    return given, seen
