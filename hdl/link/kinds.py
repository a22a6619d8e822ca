"""The hardware of every kind of link, by its name in network files."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.link.base import LinkEnds
from fingerpost.hdl.link.cell_link import CellLinkEnds
from fingerpost.hdl.link.flit_link import FlitLinkEnds

__all__ = ["LINK_ENDS", "link_ends"]

LINK_ENDS: dict[str, type[LinkEnds]] = {ends.kind: ends for ends in (FlitLinkEnds, CellLinkEnds)}


def link_ends(network: Network) -> LinkEnds:
    """Return the ends of a network's links."""
    return LINK_ENDS[network.link.kind](network)
