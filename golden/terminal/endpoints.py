"""Several endpoints behind one terminal: how many, and what their packets begin with.

Endpoint e of the terminal at node v has the number v * endpoints + e. Its packets have one beat
more in the network, the first, which holds the endpoints at both ends.
"""

from fingerpost.golden.header import Layout, bits

ENDPOINTS = 1, 2, 4, 8, 16
"""Endpoints that may share a terminal."""


def first_beat(endpoints: int) -> Layout:
    """Return the layout of the first beat of a packet; the other bits of tdata are 0."""
    width = bits(endpoints)
    return Layout.sequence(
        destination=(width, "endpoint of the destination"),
        source=(width, "endpoint of the source"),
    )
