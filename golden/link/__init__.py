"""Links: the kinds that join routers, and the OS-Link of transputers with what is above it."""

from golden.link.base import Between, Link
from golden.link.cell_link import CellLink
from golden.link.flit_link import FlitLink
from golden.link.kinds import LINKS, link
from golden.link.os_link import OsLink
from golden.link.parameters import OsLinkParameters

__all__ = [
    "LINKS",
    "Between",
    "CellLink",
    "FlitLink",
    "Link",
    "OsLink",
    "OsLinkParameters",
    "link",
]
