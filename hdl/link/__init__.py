"""Links: wires inside a chip, OS-Links between chips."""

from hdl.link.base import LinkEnds
from hdl.link.kinds import LINK_ENDS, link_ends
from hdl.link.os_link import OsLink

__all__ = ["LINK_ENDS", "LinkEnds", "OsLink", "link_ends"]
