"""Links: wires inside a chip, OS-Links between chips; the hardware of each kind, by its name."""

from functools import lru_cache

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.link.base import LinkEnds
from fingerpost.hdl.link.cell_link import CellLinkEnds
from fingerpost.hdl.link.flit_link import FlitLinkEnds, SingleFlitEnds
from fingerpost.hdl.link.os_link import OsLink
from fingerpost.hdl.link.stream_link import StreamLinkEnds

LINK_ENDS: dict[str, type[LinkEnds]] = {
    ends.kind: ends for ends in (FlitLinkEnds, CellLinkEnds, StreamLinkEnds, SingleFlitEnds)
}


@lru_cache(maxsize=2)
def link_ends(network: AnyNetwork) -> LinkEnds:
    """Return the ends of a network's links."""
    return LINK_ENDS[network.link.kind](network)


__all__ = ["LINK_ENDS", "LinkEnds", "OsLink", "StreamLinkEnds", "link_ends"]
