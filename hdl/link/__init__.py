"""Links: wires inside a chip, OS-Links between chips."""

from fingerpost.hdl.link.base import LinkEnds
from fingerpost.hdl.link.kinds import LINK_ENDS, link_ends
from fingerpost.hdl.link.os_link import OsLink

__all__ = ["LINK_ENDS", "LinkEnds", "OsLink", "link_ends"]
