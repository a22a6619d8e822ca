"""The header layout in Amaranth; the twin of fingerpost.golden.header."""

from amaranth.lib import data

from fingerpost.golden.header import Layout


def struct(layout: Layout) -> data.FlexibleLayout:
    """Return golden's layout as Amaranth's."""
    return data.FlexibleLayout(
        layout.width, {name: data.Field(f.width, f.offset) for name, f in layout.items()}
    )
