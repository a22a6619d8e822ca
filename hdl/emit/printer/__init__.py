"""Verilog for people, printed from Amaranth's own tree of statements."""

from fingerpost.hdl.emit.printer.design import print_designs
from fingerpost.hdl.emit.printer.expressions import UnsupportedError

__all__ = ["UnsupportedError", "print_designs"]
