"""AXI4-Lite registers in front of the tables of deflection routers."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.hdl.bus.registers import AxiLitePort, AxiLiteSignature
from fingerpost.hdl.lib.ports import identifier

ADDRESS_WIDTH = 4

REGISTERS = {
    "node": "number of the node",
    "destination": "number of the terminal",
    "entry": "its entry; a write puts it into the table",
}
"""The registers, of 4 bytes each, from address 0 on, and what they mean."""


def writer_name(network: DeflectionNetwork) -> str:
    """Return the name of the module."""
    return f"{identifier(network.name)}_tables"


class TableWriter(wiring.Component):
    """Writes an entry of one table a time; its outputs are inputs of the network.

    A write needs all bytes, of a register that there is, and a node that there is; others are
    refused and change nothing. Reads return what was written last.

    Parameters
    ----------
    network : DeflectionNetwork

    Members
    -------
    bus : ``In(AxiLiteSignature)``
    table_write : ``Out(nodes)``                             Asserted for a cycle, for its node.
    table_destination : ``Out(nodes * destination_width)``   The same for each node.
    table_entry : ``Out(nodes * entry_width)``               The same for each node.
    """

    bus: Any
    table_write: Signal
    table_destination: Signal
    table_entry: Signal

    def __init__(self, network: DeflectionNetwork) -> None:
        self.nodes = network.topology.nodes
        self.widths = {
            "node": max(1, (self.nodes - 1).bit_length()),
            "destination": network.destination_width,
            "entry": network.entry_width,
        }
        super().__init__(
            {
                "bus": In(AxiLiteSignature(ADDRESS_WIDTH)),
                "table_write": Out(self.nodes),
                "table_destination": Out(self.nodes * network.destination_width),
                "table_entry": Out(self.nodes * network.entry_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the registers, and pass them on."""
        m = Module()
        m.submodules.port = port = AxiLitePort(ADDRESS_WIDTH)
        connect(m, flipped(self.bus), port.bus)
        kept = {name: Signal(width, name=name) for name, width in self.widths.items()}
        node, last = kept["node"], len(kept) - 1
        fits = Const(1) if self.nodes & (self.nodes - 1) == 0 else node < self.nodes
        entry = port.written == last
        m.d.comb += port.refuse.eq(~port.strobe.all() | (port.written > last) | (entry & ~fits))
        accepted, go = port.write & ~port.refuse, Signal()
        m.d.sync += go.eq(accepted & entry)
        for number, register in enumerate(kept.values()):
            with m.If(accepted & (port.written == number)):
                m.d.sync += register.eq(port.value)
            with m.If(port.address == number):
                m.d.comb += port.data.eq(register)
        m.d.comb += port.bad.eq(port.address > last)
        m.d.sync += self.table_write.eq(Mux(go, Const(1, self.nodes) << node, 0))
        m.d.comb += [
            self.table_destination.eq(Cat([kept["destination"]] * self.nodes)),
            self.table_entry.eq(Cat([kept["entry"]] * self.nodes)),
        ]
        return m
