"""The flit: its layout, defined once and shared by hardware, benches and manifest."""

from golden.header import Layout

__all__ = ["flit_layout", "link_layout"]


def flit_layout(flit_width: int) -> Layout:
    """Return the layout of a flit with `flit_width` bits of data."""
    return Layout.sequence(
        head=(1, "first flit of a packet"),
        tail=(1, "last flit of a packet"),
        data=(flit_width, "in a head the header first"),
    )


def link_layout(flit_width: int, channels: int) -> Layout:
    """Return the layout of all that is on a link in a cycle, as benches pack it."""
    flit = {name: (field.width, field.meaning) for name, field in flit_layout(flit_width).items()}
    return Layout.sequence(
        valid=(channels, "the channel of the flit, one-hot; 0: there is none"),
        **flit,
        credit=(channels, "the channels of which a place is free again"),
    )
