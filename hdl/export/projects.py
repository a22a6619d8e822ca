"""The files as scripts for Vivado and Quartus; both work from any folder."""

from collections.abc import Sequence

from fingerpost.hdl.export.constraints import Pins
from fingerpost.hdl.export.render import render


def projects(
    name: str, verilog: Sequence[str], pins: Sequence[Pins], banner: Sequence[str]
) -> dict[str, str]:
    """Return the texts of the two scripts by name, below a banner.

    Parameters
    ----------
    name : str
        What their names begin with.
    verilog : sequence of str
        Files beside them.
    pins : sequence of Pins
        The modules that have constraints. They are read if there is one alone; of several, such as
        kinds of nodes on boards of their own, a board needs but one.
    banner : sequence of str
    """
    values = {"name": name, "verilog": verilog, "pins": pins, "banner": banner}
    tools = "vivado", "quartus"
    return {f"{name}_{tool}.tcl": render(f"projects/{tool}.tcl", **values) for tool in tools}
