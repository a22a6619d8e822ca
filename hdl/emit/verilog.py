"""Components as Verilog text: the same under every version of Python, and in every run."""

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer import print_designs


def module_verilog(component: wiring.Component, name: str, *, cells: bool = False) -> str:
    """Return a component as Verilog, with all modules that it consists of; see `print_designs`."""
    return "\n".join(print_designs({name: component}, prefix=name, cells=cells).values())
