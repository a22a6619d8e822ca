"""The table of a node: its memory, and the registers through which software writes it."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import in_one_word
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.hdl.bus.registers import AxiLitePort, AxiLiteSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.lib.table import STYLE, WRITABLE, memory

VALUES = ",\n".join(f"        .INITVAL_{i // 16:X}{i % 16:X}(slice({i}))" for i in range(64))
ADDRESS = {
    side: ", ".join(
        f".AD{side}{i}({'1' + chr(39) + 'b0' if i < 3 else f'{which}[{i - 3}]'})" for i in range(14)
    )
    for side, which in (("A", "asked"), ("B", "other"))
}
DATA = {
    side: ", ".join(f".DO{side}{i}({which}[{i}])" for i in range(9))
    for side, which in (("A", "first"), ("B", "second"))
}
ECP5 = f"""      // With its register, which synthesis does not find by itself.
      function [319:0] slice(input integer number);
        integer i;
        begin
          slice = 320'd0;
          for (i = 0; i < 32; i = i + 1)
            if (number * 32 + i < (1 << @BITS@))
              slice[i / 2 * 20 + i % 2 * 9 +: 9] = ENTRIES[(number * 32 + i) * WIDTH +: WIDTH];
        end
      endfunction
      wire [10:0] asked = address[2*pair*@BITS@ +: @BITS@];
      wire [10:0] other = address[OTHER*@BITS@ +: @BITS@];
      wire [8:0] first, second;
      DP16KD #(
        .DATA_WIDTH_A(9), .DATA_WIDTH_B(9), .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
        .RESETMODE("SYNC"), .ASYNC_RESET_RELEASE("SYNC"),
{VALUES}
      ) memory (
        .CLKA(clk), .CEA(1'b1), .OCEA(1'b1), .WEA(1'b0), .RSTA(clear[2*pair]),
        .CLKB(clk), .CEB(1'b1), .OCEB(1'b1), .WEB(1'b0), .RSTB(clear[OTHER]),
        .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
        {ADDRESS["A"]},
        {ADDRESS["B"]},
        {DATA["A"]},
        {DATA["B"]}
      );
      always @* begin
        entry[2*pair*WIDTH +: WIDTH] = first;
        if (2*pair+1 < SLOTS) entry[OTHER*WIDTH +: WIDTH] = second;
      end
"""
"""An instance instead of inference; @BITS@ stands for those of a destination."""


def table_name(network: DeflectionNetwork) -> str:
    """Return the name of the module."""
    return f"{identifier(network.name)}_table"


def contents(network: DeflectionNetwork, node: int) -> int:
    """Return the table of a node as one word, the entry of destination 0 lowest."""
    links = len(network.topology.node_type[node].outputs)
    width = network.entry(links).width
    return in_one_word(network.packed(node, *network.entries(node)), width)


def table_verilog(network: DeflectionNetwork) -> str:
    """Return the table as a module whose contents are a parameter.

    Two slots read each memory: that is how many ports a block RAM has.
    """
    if network.link_up:
        return _writable(network)
    bits = network.destination_width
    if network.table == "ram":
        reads = f"""      reg [WIDTH-1:0] first, second;
      always @(posedge clk) begin
        first <= memory[address[2*pair*{bits} +: {bits}]];
        if (2*pair+1 < SLOTS) second <= memory[address[OTHER*{bits} +: {bits}]];
      end"""
    else:
        reads = f"""      reg [{bits - 1}:0] asked, other;
      always @(posedge clk) begin
        asked <= address[2*pair*{bits} +: {bits}];
        if (2*pair+1 < SLOTS) other <= address[OTHER*{bits} +: {bits}];
      end
      wire [WIDTH-1:0] first = memory[asked], second = memory[other];"""
    return _in_pairs(
        network,
        f"""      {memory(STYLE[network.table], bits, indent=6)}
{reads}
      always @(posedge clk) begin
        entry[2*pair*WIDTH +: WIDTH] <= clear[2*pair] ? {{WIDTH{{1'b0}}}} : first;
        if (2*pair+1 < SLOTS)
          entry[OTHER*WIDTH +: WIDTH] <= clear[OTHER] ? {{WIDTH{{1'b0}}}} : second;
      end
""",
    )


def table_on_ecp5(network: DeflectionNetwork) -> dict[str, str]:
    """Return the table with instances of an ECP5's block RAMs by its name, if it fits into one."""
    bits, width = network.destination_width, network.entry(network.topology.degree).width
    if network.link_up or network.table != "ram" or bits > 11 or width > 9:
        return {}
    return {table_name(network): _in_pairs(network, ECP5.replace("@BITS@", str(bits)))}


def _in_pairs(network: DeflectionNetwork, pair: str) -> str:
    """Return the module, with this for each pair of slots."""
    bits = network.destination_width
    return f"""// The table of a node. A destination at `address` has its answer at `entry` two
// cycles later; it is 0 where `clear` was high in between. A part of each for each slot.
module {table_name(network)} #(
  parameter SLOTS = 4,
  parameter WIDTH = 4,
  parameter [{1 << bits}*WIDTH-1:0] ENTRIES = 0
) (
  input clk,
  input [SLOTS*{bits}-1:0] address,
  input [SLOTS-1:0] clear,
  output reg [SLOTS*WIDTH-1:0] entry
);
  genvar pair;
  generate
    for (pair = 0; 2*pair < SLOTS; pair = pair + 1) begin : of
      localparam OTHER = 2*pair+1 < SLOTS ? 2*pair+1 : 2*pair;
{pair}    end
  endgenerate
endmodule
"""


def _writable(network: DeflectionNetwork) -> str:
    """Return a table that can be written: a memory for each slot, of a port for each.

    Flits that arrive in the cycle of a write have the entry before it.
    """
    bits = network.destination_width
    if network.table == "ram":
        reads = f"""      reg [WIDTH-1:0] found;
      always @(posedge clk) begin
        if (write) memory[destination] <= value;
        found <= memory[address[slot*{bits} +: {bits}]];
      end"""
    else:
        reads = f"""      reg [{bits - 1}:0] asked, into;
      reg writes;
      reg [WIDTH-1:0] what;
      initial writes = 1'b0;
      always @(posedge clk) begin
        asked <= address[slot*{bits} +: {bits}];
        writes <= write;
        into <= destination;
        what <= value;
        if (writes) memory[into] <= what;
      end
      wire [WIDTH-1:0] found = memory[asked];"""
    return f"""// The table of a node. A destination at `address` has its answer at `entry` two
// cycles later; it is 0 where `clear` was high in between. A part of each for each slot.
module {table_name(network)} #(
  parameter SLOTS = 4,
  parameter WIDTH = 4,
  parameter [{1 << bits}*WIDTH-1:0] ENTRIES = 0
) (
  input clk,
  input write,
  input [{bits - 1}:0] destination,
  input [WIDTH-1:0] value,
  input [SLOTS*{bits}-1:0] address,
  input [SLOTS-1:0] clear,
  output reg [SLOTS*WIDTH-1:0] entry
);
  genvar slot;
  generate
    for (slot = 0; slot < SLOTS; slot = slot + 1) begin : of
      {memory(WRITABLE[network.table], bits, indent=6)}
{reads}
      always @(posedge clk)
        entry[slot*WIDTH +: WIDTH] <= clear[slot] ? {{WIDTH{{1'b0}}}} : found;
    end
  endgenerate
endmodule
"""


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


class TableWriter(Component):
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

    def __init__(self, network: DeflectionNetwork) -> None:
        self.nodes = network.topology.nodes
        self.widths = {
            "node": max(1, (self.nodes - 1).bit_length()),
            "destination": network.destination_width,
            "entry": network.entry_width,
        }
        super().__init__(
            bus=In(AxiLiteSignature(ADDRESS_WIDTH)),
            table_write=Out(self.nodes),
            table_destination=Out(self.nodes * network.destination_width),
            table_entry=Out(self.nodes * network.entry_width),
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
