"""The registers of an OS-Link port behind AXI4-Lite: the one description of them."""

from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.lib.registers import Field, Register, identity

ID = int.from_bytes(b"FPOL", "big")
"""Identifies these registers: "fingerpost OS-Link" in ASCII."""

VERSION = 1, 0
"""Of the map: another major number is another map, another minor one has registers more."""

ADDRESS_WIDTH = 6
"""Bits of an address."""

MEANINGS = {
    "err_frame": "a byte without a stop bit was dropped",
    "err_ack": "an acknowledge without an outstanding byte was ignored",
    "err_window": "a byte arrived before the previous one was acknowledged",
    "err_over": "a byte arrived while the queue was full and was dropped",
    "err_timeout": "a byte was not acknowledged in time; set again until reset or break",
    "link_break": "a break arrived",
}


def port_registers(parameters: OsLinkParameters) -> tuple[Register, ...]:
    """Return the registers of a port, in the order of their addresses."""
    p = parameters
    settings = (
        Field("clocks_per_bit", 0, 10, "clocks in a bit time", (p.clocks_per_bit,)),
        Field("fifo", 10, 7, "bytes in the receive queue", (p.fifo,)),
        Field("slot", 17, 8, "least bit times from packet to packet", (p.slot,)),
        Field("late", 25, 1, "1 if acknowledges are late", (int(p.acknowledge == "late"),)),
        Field("ignored", 26, 1, "1 if stop bits are ignored", (int(p.stop == "ignored"),)),
        Field("breaks", 27, 1, "1 if it has breaks", (int(p.breaks),)),
    )
    byte = Field("data", 0, 8, "byte", access="give")
    received = (
        Field("data", 0, 8, "byte; 0 without one", access="take"),
        Field("valid", 8, 1, "1 if this read removed a byte", access="take"),
    )
    status = (
        Field("room", 0, 1, "1 if send has room"),
        Field("received", 1, 1, "1 if receive has a byte"),
        Field("idle", 2, 1, "1 if nothing is being sent, received or acknowledged"),
    )
    errors = (
        Field(name, place, 1, MEANINGS[name], access="clear") for place, name in enumerate(ERRORS)
    )
    enable = (
        Field("room", 0, 1, "while send has room", access="keep"),
        Field("received", 1, 1, "while receive has a byte", access="keep"),
        Field("errors", 2, 1, "while a bit of errors is set", access="keep"),
    )
    control = (Field("break", 0, 1, "send a break", access="pulse"),)
    return (
        *identity(ID, "an OS-Link port", VERSION),
        Register("settings", 0x08, "parameters of the port", settings),
        Register(
            "timeout",
            0x0C,
            "wait for an acknowledge",
            (Field("timeout", 0, 20, "bit times, 0: no limit", (p.timeout,)),),
        ),
        Register("send", 0x10, "a byte to send; SLVERR without room", (byte,)),
        Register("receive", 0x14, "the oldest received byte", received),
        Register("status", 0x18, "state", status),
        Register("errors", 0x1C, "sticky errors", tuple(errors)),
        Register("enable", 0x20, "conditions of irq", enable),
        *([Register("control", 0x24, "commands", control)] if p.breaks else []),
    )
