"""Links: the kinds that join routers, and the OS-Link of transputers with what is above it."""

from fingerpost.golden.link.base import Link
from fingerpost.golden.link.cell_link import CellLink
from fingerpost.golden.link.flit_link import FlitLink
from fingerpost.golden.link.kinds import LINKS, link
from fingerpost.golden.link.parameters import OsLinkParameters

__all__ = [
    "LINKS",
    "CellLink",
    "FlitLink",
    "Link",
    "OsLinkParameters",
    "link",
]
