"""Components as Verilog text: the same under every version of Python, and in every run."""

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer import print_designs


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog, with all modules that it consists of."""
    return "\n".join(print_designs({name: component}, prefix=name).values())
