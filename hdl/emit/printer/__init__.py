"""Verilog for people, printed from Amaranth's own tree of statements: the same in every run."""

from fingerpost.hdl.emit.printer.design import module_verilog, print_designs
from fingerpost.hdl.emit.printer.expressions import UnsupportedError

__all__ = ["UnsupportedError", "module_verilog", "print_designs"]
