"""Tables in memories whose contents are a parameter, and those that stand beside routers."""

from collections.abc import Mapping
from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from fingerpost.golden.routing.base import NodeTable
from fingerpost.hdl.lib.memory import look_up

STYLE: Mapping[str, str] = {
    "ram": '(* rom_style = "block", syn_romstyle = "block_rom" *)',
    "luts": '(* rom_style = "logic", syn_romstyle = "logic" *)',
}
"""What tells synthesis where a memory is to be."""

WRITABLE: Mapping[str, str] = {
    "ram": '(* ram_style = "block", syn_ramstyle = "block_ram" *)',
    "luts": '(* ram_style = "distributed", syn_ramstyle = "distributed" *)',
}
"""The same, of one that can be written."""

PART = 32
"""Entries that are cut out of the parameter at once: each cut takes as long as the whole is."""


def memory(style: str, address_width: int, *, indent: int) -> str:
    """Return the Verilog of a `memory` with entries of WIDTH bits, those of ENTRIES at power-up."""
    rows = 1 << address_width
    part = min(PART, rows)
    text = f"""{style}
reg [WIDTH-1:0] memory [0:{rows - 1}];
genvar part;
for (part = 0; part < {rows // part}; part = part + 1) begin : rows
  localparam [{part}*WIDTH-1:0] SOME = ENTRIES >> {part}*WIDTH*part;
  integer i;
  initial for (i = 0; i < {part}; i = i + 1) memory[{part}*part + i] = SOME[i*WIDTH +: WIDTH];
end"""
    return text.replace("\n", "\n" + " " * indent)


class TableSignature(wiring.Signature):
    """A table beside a router, as header generation sees it.

    Members
    -------
    address : ``Out``   Of an entry.
    entry : ``In``      The entry, two cycles later.
    """

    def __init__(self, table: NodeTable) -> None:
        super().__init__({"address": Out(table.address_width), "entry": In(table.width)})


def table_members(table: NodeTable | None) -> dict[str, Member]:
    """Return the member `table` of what reads a table, if there is one."""
    return {} if table is None else {"table": Out(TableSignature(table))}


def node_table_verilog(name: str, table: NodeTable) -> str:
    """Return the module of the table of a node; its contents are a parameter."""
    address, width = table.address_width, table.width
    return f"""// The table of a node. An address has its entry two cycles later.
module {name} #(
  parameter [{(width << address) - 1}:0] ENTRIES = 0
) (
  input clk,
  input [{address - 1}:0] address,
  output reg [{width - 1}:0] entry
);
  localparam WIDTH = {width};
  {memory(STYLE["ram"], address, indent=2)}
  reg [{width - 1}:0] found;
  always @(posedge clk) begin
    found <= memory[address];
    entry <= found;
  end
endmodule
"""


def stand_beside(m: Module, table: NodeTable | None, node: int, router: Any) -> None:
    """Connect the table of a node with its router in Amaranth, if there is one."""
    if table is None or not hasattr(router, "table"):
        return
    rows = [*table.entries[node].tolist()]
    rows += [0] * ((1 << table.address_width) - len(rows))
    found = Signal(table.width, name=f"entry_{node}")
    name = f"table_{node}"
    m.d.sync += found.eq(look_up(m, name, router.table.address, rows, domain="sync"))
    m.d.comb += router.table.entry.eq(found)
