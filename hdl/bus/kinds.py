"""The buses over which software can reach registers."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fingerpost.hdl.bus.axi_lite import AxiLitePort, AxiLiteSignature, axi_lite_ports
from fingerpost.hdl.bus.wishbone import WishbonePort, WishboneSignature, wishbone_ports
from fingerpost.hdl.lib.ports import Port


class Bus(NamedTuple):
    """A bus: what begins the names of its ports, these, its signature and what is behind it.

    All take the width of an address.
    """

    prefix: str
    ports: Callable[[int], list[Port]]
    signature: Callable[[int], Any]
    port: Callable[[int], Any]


BUSES = {
    "axi-lite": Bus("s_axil", axi_lite_ports, AxiLiteSignature, AxiLitePort),
    "wishbone": Bus("wb", wishbone_ports, WishboneSignature, WishbonePort),
}
"""By their names in network files."""
