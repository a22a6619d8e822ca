"""Links between chips: the OS-Link of transputers, and what is above it."""

from golden.link.os_link import OsLink
from golden.link.parameters import OsLinkParameters

__all__ = ["OsLink", "OsLinkParameters"]
