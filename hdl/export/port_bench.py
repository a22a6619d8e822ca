"""A test bench in plain Verilog for an OS-Link port: two of them, back to back."""

from collections.abc import Sequence

from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.export.constraints import PERIOD
from fingerpost.hdl.export.render import render
from fingerpost.hdl.lib.registers import Register, constants
from fingerpost.hdl.os_link_port.port_registers import ADDRESS_WIDTH

OFTEN = 64
"""Bit times with a slot of 12 in which an acknowledge comes, with the pauses of the bench."""


def port_bench(name: str, parameters: OsLinkParameters, registers: Sequence[Register] = ()) -> str:
    """Return a bench that sends bytes both ways, and checks that all arrived unchanged.

    Parameters
    ----------
    name : str
        Of the module.
    parameters : OsLinkParameters
        Of the port.
    registers : sequence of Register, optional
        Behind which it is: the bench reads what never changes, and does what software does.
    """
    patience = max(OFTEN, 6 * parameters.slot)
    # With breaks the head of the first one may look like a byte, and a time-out may be shorter than
    # a peer takes that is in no hurry: neither counts.
    silent = {"err_frame", "link_break"} if parameters.breaks else set()
    silent |= {"err_timeout"} if parameters.timeout < patience else set()
    watched = "".join("01"[error not in silent] for error in reversed(ERRORS))
    return render(
        f"os_link_port/{'registers' if registers else 'bare'}.v",
        name=name,
        parameters=parameters,
        period=PERIOD,
        patience=patience,
        errors=len(ERRORS),
        watched=f"{len(ERRORS)}'b{watched}",
        address_width=ADDRESS_WIDTH,
        constants=list(constants(registers)),
        at={register.name: register.address for register in registers},
    )
