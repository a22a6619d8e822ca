"""The table of a node: productive slots and distance by destination, in block RAM or LUTs."""

from collections.abc import Mapping

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.ports import identifier

__all__ = ["contents", "table_name", "table_verilog", "table_width"]

STYLE: Mapping[str, str] = {
    "ram": '(* rom_style = "block", syn_romstyle = "block_rom" *)',
    "luts": '(* rom_style = "logic", syn_romstyle = "logic" *)',
}
"""What tells synthesis where a memory is to be."""


def table_name(network: DeflectionNetwork) -> str:
    """Return the name of the module."""
    return f"{identifier(network.name)}_table"


def table_width(network: DeflectionNetwork, node_type: NodeType) -> int:
    """Return the bits of an entry: a bit for each slot, and above them the distance."""
    return len(node_type.outputs) + network.distance_width


def contents(network: DeflectionNetwork, node: int) -> int:
    """Return the table of a node as one word, the entry of destination 0 lowest."""
    node_type = network.topology.node_type[node]
    productive, distance = network.entries(node)
    width, slots = table_width(network, node_type), len(node_type.outputs)
    digits = "".join(
        f"{entry:0{width}b}" for entry in (distance << slots | productive)[::-1].tolist()
    )
    return int(digits, 2)


def table_verilog(network: DeflectionNetwork) -> str:
    """Return the table as a module whose contents are a parameter.

    Two slots read each memory: that is how many ports a block RAM has.
    """
    bits = network.destination_width
    if network.table == "ram":
        memory = f"""      reg [WIDTH-1:0] first, second;
      always @(posedge clk) begin
        first <= memory[address[2*pair*{bits} +: {bits}]];
        if (2*pair+1 < SLOTS) second <= memory[address[OTHER*{bits} +: {bits}]];
      end"""
    else:
        memory = f"""      reg [{bits - 1}:0] asked, other;
      always @(posedge clk) begin
        asked <= address[2*pair*{bits} +: {bits}];
        if (2*pair+1 < SLOTS) other <= address[OTHER*{bits} +: {bits}];
      end
      wire [WIDTH-1:0] first = memory[asked], second = memory[other];"""
    return f"""// The table of a node. A destination at `address` has its answer at `entry` two cycles later,
// which is 0 where `clear` was high in between. A part of each for each slot.
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
      {STYLE[network.table]}
      reg [WIDTH-1:0] memory [0:{(1 << bits) - 1}];
      integer i;
      initial for (i = 0; i < {1 << bits}; i = i + 1) memory[i] = ENTRIES[i*WIDTH +: WIDTH];
{memory}
      always @(posedge clk) begin
        entry[2*pair*WIDTH +: WIDTH] <= clear[2*pair] ? {{WIDTH{{1'b0}}}} : first;
        if (2*pair+1 < SLOTS)
          entry[OTHER*WIDTH +: WIDTH] <= clear[OTHER] ? {{WIDTH{{1'b0}}}} : second;
      end
    end
  endgenerate
endmodule
"""
