"""Layouts in Amaranth, and the link that carries flits; the twin of fingerpost.golden.header."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden import header
from fingerpost.golden.header import Layout


def struct(layout: Layout) -> data.FlexibleLayout:
    """Return golden's layout as Amaranth's."""
    return data.FlexibleLayout(
        layout.width, {name: data.Field(f.width, f.offset) for name, f in layout.items()}
    )


def flit_layout(flit_width: int) -> data.StructLayout:
    """Return golden's layout of a flit: a head flit starts a packet, a tail flit ends it."""
    fields = header.flit_layout(flit_width).items()
    return data.StructLayout({name: field.width for name, field in fields})


class LinkSignature(wiring.Signature):
    """One direction of a link, seen from the sender. Nothing in it waits: no ready, only credits.

    Parameters
    ----------
    channels : int
        The number of virtual channels.
    flit_width : int
        Bits of data in a flit.

    Members
    -------
    valid : ``Out(channels)``       Bit v: a flit of channel v is on the link. One-hot, or 0.
    flit : ``Out(flit_layout)``     The flit: head, tail, data. Anything while none is on the link.
    credit : ``In(channels)``       Bit v: the receiver has freed one place of channel v.
    """

    def __init__(self, *, channels: int, flit_width: int) -> None:
        self.channels, self.flit_width = channels, flit_width
        super().__init__(
            {
                "valid": Out(channels),
                "flit": Out(flit_layout(flit_width)),
                "credit": In(channels),
            }
        )
