"""The files as scripts for Vivado and Quartus, which work from any folder."""

from collections.abc import Sequence

from fingerpost.hdl.export.constraints import Pins
from fingerpost.hdl.export.render import render


def projects(
    name: str, verilog: Sequence[str], pins: Sequence[Pins], banner: Sequence[str]
) -> dict[str, str]:
    """Return the texts of the scripts by name, below a banner.

    Parameters
    ----------
    name : str
        What their names begin with.
    verilog : sequence of str
        Files beside them.
    pins : sequence of Pins
        The modules that may be the top of a chip. Their constraints are read if there is one
        alone; of several, such as kinds of nodes on boards of their own, a board needs but one.
    banner : sequence of str
    """
    constrained = [each for each in pins if each.synchronizers]
    values = {"name": name, "verilog": verilog, "pins": pins, "banner": banner}
    kinds = "vivado", "quartus", *(["constraints"] if constrained else [])
    return {
        f"{name}_{kind}.tcl": render(f"projects/{kind}.tcl", constrained=constrained, **values)
        for kind in kinds
    }
