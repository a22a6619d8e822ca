"""What a terminal is to send, before it has headers and data."""

from typing import NamedTuple

from fingerpost.golden.arrays import IntArray


class Packets(NamedTuple):
    """Packets, by source, then by time. Terminals are numbered 0..n-1 in the order of the nodes."""

    source: IntArray
    destination: IntArray
    time: IntArray
    length: IntArray
