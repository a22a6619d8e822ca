"""What traffic and terminals know of a network: an interface, so that neither imports it."""

from typing import Protocol

from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology import Topology


class Carrier(Protocol):
    """A network as its terminals see it. `fingerpost.golden.network.network.Network` is one."""

    @property
    def topology(self) -> Topology:
        """Return the topology."""

    @property
    def routing(self) -> Routing:
        """Return the routing, which encodes headers."""

    @property
    def link(self) -> Link:
        """Return the kind of link."""

    @property
    def flit(self) -> Layout:
        """Return the layout of a flit."""

    @property
    def flit_width(self) -> int:
        """Return the bits of data in a flit."""

    @property
    def data_width(self) -> int:
        """Return those that are the user's: fewer, if terminals need some for themselves."""

    @property
    def payload_width(self) -> int:
        """Return the bits of the last flit of a packet that are not its status."""

    @property
    def classes(self) -> int:
        """Return the message classes."""

    @property
    def buffer_depth(self) -> int:
        """Return the flits that each virtual channel of a link's input can hold."""

    @property
    def terminal_depth(self) -> int:
        """Return the flits that the buffer of a terminal's input can hold."""

    @property
    def in_order(self) -> bool:
        """Return whether packets of one source and header come out in the order they went in."""

    @property
    def single_flit(self) -> bool:
        """Return whether all packets of the network have one flit."""

    def least_latency(self, hops: int, flits: int = 1, back: int | None = None) -> int:
        """Return the cycles from the first flit of a packet going in to its last coming out."""
