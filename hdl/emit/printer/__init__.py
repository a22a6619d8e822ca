"""Verilog for people, printed from Amaranth's own tree of statements."""

from fingerpost.hdl.emit.printer.design import Printed, PrintedModule, print_design, print_designs
from fingerpost.hdl.emit.printer.tree import UnsupportedError

__all__ = ["Printed", "PrintedModule", "UnsupportedError", "print_design", "print_designs"]
