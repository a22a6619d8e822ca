"""The flit: its layout, shared by hardware, benches and manifest, and flits as arrays."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout


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


class Flits(NamedTuple):
    """Flits at different places in one cycle, as parallel arrays.

    `port_index` is node * (degree + 1) + port: the output on whose link the flit is, or the
    terminal's. `tag`, which hardware does not have, identifies the packet.
    """

    port_index: IntArray
    channel: IntArray
    head: BoolArray
    tail: BoolArray
    data: IntArray
    tag: IntArray

    @classmethod
    def empty(cls) -> "Flits":
        """Return no flits."""
        number, truth = np.empty(0, np.int64), np.empty(0, np.bool_)
        return cls(number, number, truth, truth, number, number)

    def select(self, which: BoolArray) -> "Flits":
        """Return some of the flits."""
        return Flits._make(column[which] for column in self)
