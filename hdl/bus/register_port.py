"""Access to registers of 32 bits, whatever the bus."""

from typing import Any

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class RegisterPort(wiring.Component):
    """A port through which a manager reads and writes registers.

    Parameters
    ----------
    bus : wiring.Signature
        Signature of the bus, as its manager sees it.
    address_width : int

    Members
    -------
    bus : ``In(bus)``
    address : ``Out(address_width - 2)``     The register that is read.
    data : ``In(32)``, bad : ``In(1)``       What it has, and that there is none: in the second
                                             cycle after its address came.
    read : ``Out(1)``                        It is in this cycle that it is read.
    write : ``Out(1)``                       A register is written, in this cycle.
    written : ``Out(address_width - 2)``     Which.
    value : ``Out(32)``                      What is written.
    strobe : ``Out(4)``                      To which of its bytes.
    refuse : ``In(1)``                       That cannot be; in the same cycle.
    """

    bus: Any
    address: Signal
    data: Signal
    bad: Signal
    read: Signal
    write: Signal
    written: Signal
    value: Signal
    strobe: Signal
    refuse: Signal

    def __init__(self, bus: wiring.Signature, address_width: int) -> None:
        word = address_width - 2
        super().__init__(
            {
                "bus": In(bus),
                "address": Out(word),
                "data": In(32),
                "bad": In(1),
                "read": Out(1),
                "write": Out(1),
                "written": Out(word),
                "value": Out(32),
                "strobe": Out(4),
                "refuse": In(1),
            }
        )
