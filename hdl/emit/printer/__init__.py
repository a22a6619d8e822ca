"""Verilog for people, printed from Amaranth's own tree of statements."""

from fingerpost.hdl.emit.printer.design import Printed, PrintedModule, print_design, print_designs
from fingerpost.hdl.emit.printer.tree import Unsupported

__all__ = ["Printed", "PrintedModule", "Unsupported", "print_design", "print_designs"]
