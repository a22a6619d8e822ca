"""Links: flits inside a chip, OS-Links between chips."""

from hdl.link.os_link import OsLink

__all__ = ["OsLink"]
