"""Links: flits inside a chip, OS-Links between chips."""

from hdl.link.flit import LinkSignature, flit_layout
from hdl.link.os_link import OsLink

__all__ = ["LinkSignature", "OsLink", "flit_layout"]
