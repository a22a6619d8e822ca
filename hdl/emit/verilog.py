"""Components as Verilog text: the same under every version of Python, and in every run."""

from collections.abc import Mapping

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer import print_designs


def modules_verilog(components: Mapping[str, wiring.Component], prefix: str) -> dict[str, str]:
    """Return components as Verilog modules of these names, and the modules that they consist of.

    The names of the latter begin with `prefix`; equal ones are one.
    """
    return print_designs(components, prefix=prefix)


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog, with all modules that it consists of."""
    return "\n".join(modules_verilog({name: component}, name).values())
