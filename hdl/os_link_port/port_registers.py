"""The registers of an OS-Link port behind AXI4-Lite: the one description of them."""

from fingerpost.golden.link.os_link import ERRORS
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.hdl.lib.registers import Field, Register

__all__ = ["ADDRESS_WIDTH", "ID", "VERSION", "port_registers"]

ID = int.from_bytes(b"FPOL", "big")
"""Identifies these registers: "fingerpost OS-Link" in ASCII."""

VERSION = 1, 0
"""Of the map: another major number is another map, another minor one has registers more."""

ADDRESS_WIDTH = 6
"""Bits of an address."""

MEANINGS = {
    "err_frame": "a byte without stop bit came, and was dropped",
    "err_ack": "an acknowledge for nothing came, and was ignored",
    "err_window": "a second byte came before the first was acknowledged",
    "err_over": "a byte came for which there is no room, and was dropped",
    "err_timeout": "a byte was not acknowledged in time; comes back until reset or break",
    "link_break": "a break came in",
}


def port_registers(parameters: OsLinkParameters) -> tuple[Register, ...]:
    """Return the registers of a port, in the order of their addresses."""
    p, (major, minor) = parameters, VERSION
    settings = (
        Field("clocks_per_bit", 0, 10, "clocks in a bit time", (p.clocks_per_bit,)),
        Field("fifo", 10, 7, "bytes that it holds", (p.fifo,)),
        Field("slot", 17, 8, "bit times from packet to packet, at least", (p.slot,)),
        Field("late", 25, 1, "1: acknowledges are late", (int(p.acknowledge == "late"),)),
        Field("ignored", 26, 1, "1: stop bits do not matter", (int(p.stop == "ignored"),)),
        Field("breaks", 27, 1, "1: there are breaks", (int(p.breaks),)),
    )
    byte = Field("data", 0, 8, "the byte", access="give")
    received = (
        Field("data", 0, 8, "the byte, 0 if there is none", access="take"),
        Field("valid", 8, 1, "1: there was one, and it is taken now", access="take"),
    )
    status = (
        Field("room", 0, 1, "1: send takes a byte"),
        Field("received", 1, 1, "1: receive has a byte"),
        Field("idle", 2, 1, "1: nothing is on the wires, is to be sent or acknowledged"),
    )
    errors = (
        Field(name, place, 1, MEANINGS[name], access="clear") for place, name in enumerate(ERRORS)
    )
    enable = (
        Field("room", 0, 1, "1: interrupt while send takes a byte", access="keep"),
        Field("received", 1, 1, "1: interrupt while there is a byte", access="keep"),
        Field("errors", 2, 1, "1: interrupt while any bit of errors is set", access="keep"),
    )
    control = (Field("break", 0, 1, "1: send a break", access="pulse"),)
    return (
        Register("id", 0x00, "what this is", (Field("id", 0, 32, '"FPOL" in ASCII', (ID,)),)),
        Register(
            "version",
            0x04,
            "which map of registers this is",
            (
                Field("minor", 0, 16, "another one has more registers", (minor,)),
                Field("major", 16, 16, "another one is another map", (major,)),
            ),
        ),
        Register("settings", 0x08, "how the port was made", settings),
        Register(
            "timeout",
            0x0C,
            "how long it waits for an acknowledge",
            (Field("timeout", 0, 20, "bit times, 0: for ever", (p.timeout,)),),
        ),
        Register("send", 0x10, "a byte to send; refused while there is no room", (byte,)),
        Register("receive", 0x14, "the oldest byte that came; to read it takes it", received),
        Register("status", 0x18, "what the port is doing", status),
        Register("errors", 0x1C, "what went wrong; stays until 1 is written", tuple(errors)),
        Register("enable", 0x20, "what makes an interrupt", enable),
        *([Register("control", 0x24, "what is to be done", control)] if p.breaks else []),
    )
