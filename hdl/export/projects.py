"""The files as scripts for Vivado and Quartus; both work from any folder."""

from collections.abc import Sequence

from fingerpost.hdl.export.constraints import Pins

__all__ = ["projects"]

HERE = "set here [file dirname [file normalize [info script]]]"


def projects(name: str, verilog: Sequence[str], pins: Sequence[Pins]) -> dict[str, str]:
    """Return the texts of the two scripts by name, without a banner.

    Parameters
    ----------
    name : str
        What their names begin with.
    verilog : sequence of str
        Files beside them.
    pins : sequence of Pins
        The modules that have constraints. They are read if there is one alone; of several, such as
        kinds of nodes on boards of their own, a board needs but one.
    """
    files = " ".join(verilog)
    chosen = len(pins) == 1
    vivado = [f"# In Vivado: source path/to/{name}_vivado.tcl", HERE]
    vivado += _each(files, "read_verilog [file join $here $file]")
    quartus = [f"# In Quartus, a project being open: source path/to/{name}_quartus.tcl", HERE]
    quartus += _each(files, "set_global_assignment -name VERILOG_FILE [file join $here $file]")
    for each in pins:
        mark = "" if chosen else "# "
        vivado.append(f"{mark}read_xdc [file join $here {each.module}.xdc]")
        sdc = f"[file join $here {each.module}.sdc]"
        quartus.append(f"{mark}set_global_assignment -name SDC_FILE {sdc}")
    if any(each.links for each in pins):
        quartus.append(_identified("synchronizer"))
    if any(each.terminals for each in pins):
        quartus.append(_identified("_cdc"))
    if any(each.synchronizes_reset for each in pins):
        quartus.append(_identified("reset"))
    texts = {"vivado": vivado, "quartus": quartus}
    return {f"{name}_{tool}.tcl": "\n".join([*lines, ""]) for tool, lines in texts.items()}


def _each(files: str, command: str) -> list[str]:
    return [f"foreach file {{{files}}} {{", f"  {command}", "}"]


def _identified(instance: str) -> str:
    """Return the assignment by which Quartus knows two flip-flops for a synchroniser."""
    first = f'"*{instance}|stage0*"'
    return f"set_instance_assignment -name SYNCHRONIZER_IDENTIFICATION FORCED -to {first}"
