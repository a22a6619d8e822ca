"""What `generate` writes beside the Verilog: all that using it takes."""

from hdl.integration.files import beside, file_list

__all__ = ["beside", "file_list"]
