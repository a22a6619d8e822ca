"""The hardware of every kind of link, by its name in network files."""

from functools import lru_cache

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.link.base import LinkEnds
from fingerpost.hdl.link.cell_link import CellLinkEnds
from fingerpost.hdl.link.flit_link import FlitLinkEnds
from fingerpost.hdl.link.single_flit import SingleFlitEnds

LINK_ENDS: dict[str, type[LinkEnds]] = {
    ends.kind: ends for ends in (FlitLinkEnds, CellLinkEnds, SingleFlitEnds)
}


@lru_cache(maxsize=2)
def link_ends(network: AnyNetwork) -> LinkEnds:
    """Return the ends of a network's links."""
    return LINK_ENDS[network.link.kind](network)
