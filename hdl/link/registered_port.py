"""An OS-Link port behind registers on AXI4-Lite; the one description of these registers."""

from typing import Any

from amaranth import Cat, ClockDomain, ClockSignal, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.bus.registers import AxiLitePort, AxiLiteSignature, axi_lite_ports
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, members
from fingerpost.hdl.lib.registers import WORD, Field, Register, identity
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.link.bare_port import WIRES

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


WRITTEN = "pulse", "give", "keep", "clear"
"""What software does with what it can write."""


def registered_ports() -> list[Port]:
    """Return the ports of the module, in their order, with what each means."""
    return [
        *WIRES,
        *axi_lite_ports(ADDRESS_WIDTH),
        Port("irq", "output", 1, "interrupt: high while an enabled condition holds"),
    ]


class RegisteredPort(Component):
    """An `OsLink` whose bytes, errors and breaks are registers (docs/howto/os-links.md).

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    those of `registered_ports`
    """

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(members(registered_ports()))

    def elaborate(self, platform: object) -> Module:
        """Join port, bus and wires."""
        m = Module()
        m.domains.sync = ClockDomain(local=True)
        m.submodules.reset = ResetSynchronizer(self.rst)
        m.submodules.link = link = OsLink(self.parameters)
        m.submodules.registers = registers = PortRegisters(self.parameters)
        connect(m, registers.tx, link.tx)
        connect(m, link.rx, registers.rx)
        m.d.comb += [
            ClockSignal().eq(self.clk),
            link.link_in.eq(self.link_in),
            self.link_out.eq(link.link_out),
            link.tx_break.eq(registers.tx_break),
            registers.wrong.eq(Cat(*(getattr(link, name) for name in ERRORS))),
            registers.idle.eq(link.idle),
            self.irq.eq(registers.irq),
        ]
        for place in axi_lite_ports(ADDRESS_WIDTH):
            inside: Any = getattr(registers.bus, place.name.removeprefix("s_axil_"))
            outside: Any = getattr(self, place.name)
            m.d.comb += inside.eq(outside) if place.direction == "input" else outside.eq(inside)
        return m


class PortRegisters(Component):
    """What is between the bus and an OS-Link port.

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    bus : ``In(AxiLiteSignature)``
    tx : ``Out(stream.Signature(8))``   What was written to send.
    rx : ``In(stream.Signature(8))``    What receive has.
    tx_break : ``Out(1)``               A break is asked for.
    wrong : ``In(6)``                   The errors of this cycle, as in `ERRORS`.
    idle : ``In(1)``                    The port is idle.
    irq : ``Out(1)``                    Something is there that enable names.
    """

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.registers = port_registers(parameters)
        super().__init__(
            bus=In(AxiLiteSignature(ADDRESS_WIDTH)),
            tx=Out(stream.Signature(8)),
            rx=In(stream.Signature(8)),
            tx_break=Out(1),
            wrong=In(len(ERRORS)),
            idle=In(1),
            irq=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Say what each field reads as, and what writing does."""
        m = Module()
        m.submodules.port = port = AxiLitePort(ADDRESS_WIDTH)
        connect(m, flipped(self.bus), port.bus)
        tx, rx, errors = self.tx, self.rx, Signal(len(ERRORS))
        asked = self._asked(m, port)
        room = ~tx.valid
        reads: dict[str, Value] = {
            "receive.data": Mux(rx.valid, rx.payload, 0),
            "receive.valid": rx.valid,
            "status.room": room,
            "status.received": rx.valid,
            "status.idle": self.idle & room,
            **{f"errors.{name}": errors[place] for place, name in enumerate(ERRORS)},
        }
        m.d.comb += [
            rx.ready.eq(self._takes(m, port)),
            self.tx_break.eq(asked.get("control.break", 0)),
        ]
        with m.If(asked["send"]):
            m.d.sync += [tx.valid.eq(1), tx.payload.eq(asked["send.data"])]
        with m.Elif(tx.ready):
            m.d.sync += tx.valid.eq(0)
        forget = Cat(*(asked[f"errors.{name}"] for name in ERRORS))
        m.d.sync += errors.eq((errors & ~forget) | self.wrong)

        due = []
        for name, there in (("room", room), ("received", rx.valid), ("errors", errors.any())):
            kept = Signal(name=f"enable_{name}")
            with m.If(asked["enable"]):
                m.d.sync += kept.eq(asked[f"enable.{name}"])
            reads[f"enable.{name}"] = kept
            due.append(kept & there)
        m.d.comb += self.irq.eq(Cat(*due).any())
        self._read(m, port, reads)
        return m

    def _asked(self, m: Module, port: AxiLitePort) -> dict[str, Value]:
        """Return what is written in this cycle, by register, and by field; refuse the rest."""
        asked: dict[str, Value] = {}
        m.d.comb += port.refuse.eq(1)
        for register in self.registers:
            parts = [part for part in register.fields if part.access in WRITTEN]
            if not parts:
                continue
            written = port.written == register.address // WORD
            refuse: Value | int = self.tx.valid if register.name == "send" else 0
            with m.If(written):
                m.d.comb += port.refuse.eq(refuse)
            here = port.write & written & ~Value.cast(refuse) & port.strobe[0]
            asked[register.name] = here
            for part in parts:
                bits = port.value[part.offset : part.offset + part.width]
                asked[f"{register.name}.{part.name}"] = Mux(here, bits, 0)
        return asked

    def _takes(self, m: Module, port: AxiLitePort) -> Value:
        """Return whether what receive has is read in this cycle: the second after its address."""
        (receive,) = (register for register in self.registers if register.name == "receive")
        bus, since = port.bus, Signal(2)
        m.d.sync += since.eq(Cat(bus.arvalid & bus.arready, since[0]))
        return since[1] & (port.address == receive.address // WORD)

    def _read(self, m: Module, port: AxiLitePort, reads: dict[str, Value]) -> None:
        """Give what is read."""
        with m.Switch(port.address):
            for register in self.registers:
                with m.Case(register.address // WORD):
                    for part in register.fields:
                        seen = reads.get(f"{register.name}.{part.name}", 0)
                        value = part.values[0] if part.values else seen
                        at = slice(part.offset, part.offset + part.width)
                        m.d.comb += port.data[at].eq(value)
            with m.Default():
                m.d.comb += port.bad.eq(1)
