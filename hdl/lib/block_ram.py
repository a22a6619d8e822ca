"""A memory in block RAM, with the register that block RAMs have behind them."""

import re
from collections.abc import Mapping
from typing import Any

from amaranth import Module, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK

ROWS, WIDTH = 512, 36
"""Of a block RAM of an ECP5."""


def _pins(pin: str, bus: str, bits: int, first: int = 0) -> str:
    """Return the connections of so many pins."""
    return ", ".join(f".{pin}{i}({bus}[{first + i}])" for i in range(bits))


ECP5 = f"""  // With its register, which synthesis does not find by itself.
  wire [13:0] to = {{write_row, 1'b0, {{4{{write}}}}}}, from = {{row, 5'd0}};
  wire [36*BLOCKS-1:0] given = entry, shown;
  assign data = shown[WIDTH-1:0];
  genvar block;
  generate
    for (block = 0; block < BLOCKS; block = block + 1) begin : of
      wire [35:0] in = given[36*block +: 36], out;
      assign shown[36*block +: 36] = out;
      DP16KD #(
        .DATA_WIDTH_A(36), .DATA_WIDTH_B(36), .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
        .RESETMODE("SYNC"), .ASYNC_RESET_RELEASE("SYNC")
      ) memory (
        .CLKA(clk), .CEA(1'b1), .OCEA(read), .WEA(1'b1), .RSTA(1'b0),
        .CLKB(clk), .CEB(read), .OCEB(read), .WEB(1'b0), .RSTB(1'b0),
        .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
        {_pins("ADA", "to", 14)},
        {_pins("ADB", "from", 14)},
        {_pins("DIA", "in", 18)},
        {_pins("DIB", "in", 18, 18)},
        {_pins("DOA", "out", 18)},
        {_pins("DOB", "out", 18, 18)}
      );
    end
  endgenerate
"""
"""The body of a module with instances, for WIDTH bits in so many BLOCKS."""


class BlockRam(Component):
    """Keep entries; one is read in two cycles in which `read` is asserted.

    A row must not be read in the cycle in which it is written. Yosys leaves the register behind the
    memory in flip-flops, and reading then takes 5.8 ns of an ECP5; `on_ecp5` instantiates its block
    RAM.

    Parameters
    ----------
    width, rows : int

    Members
    -------
    write : ``In(1)``             Write `entry` to `write_row`.
    write_row : ``In(bits(rows))``
    entry : ``In(width)``
    read : ``In(1)``              Go on by a cycle: fetch `row`, and show what was fetched before.
    row : ``In(bits(rows))``
    data : ``Out(width)``
    """

    def __init__(self, width: int, *, rows: int) -> None:
        self.width, self.rows = width, rows
        super().__init__(
            {
                "write": In(1),
                "write_row": In(bits(rows)),
                "entry": In(width),
                "read": In(1),
                "row": In(bits(rows)),
                "data": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read into one register, and from there into another."""
        m = Module()
        memory: Memory = Memory(shape=self.width, depth=self.rows, init=[], attrs=NO_RW_CHECK)
        m.submodules.memory = memory
        write: Any = memory.write_port()
        fetched: Any = memory.read_port()
        data = Signal(self.width, reset_less=True)
        m.d.comb += [
            *(write.en.eq(self.write), write.addr.eq(self.write_row), write.data.eq(self.entry)),
            *(fetched.en.eq(self.read), fetched.addr.eq(self.row)),
            self.data.eq(data),
        ]
        with m.If(self.read):
            m.d.sync += data.eq(fetched.data)
        return m


def on_ecp5(modules: Mapping[str, str]) -> dict[str, str]:
    """Return those modules that are block RAMs of up to 512 rows, with instances of an ECP5's.

    Parameters
    ----------
    modules : mapping of str
        Modules as Verilog, by their names.
    """
    found = {}
    for name, text in modules.items():
        ports, end, _ = text.partition("\n);\n")
        if not re.search(r"_block_ram(_\d+)?$", name):
            continue
        width, row = (
            int(re.findall(rf"\[(\d+):0\] +{port}\b", ports)[0]) + 1 for port in ("entry", "row")
        )
        if 1 << row <= ROWS:
            size = f"  localparam WIDTH = {width}, BLOCKS = {-(-width // WIDTH)};"
            found[name] = f"{ports}{end}{size}\n{ECP5}endmodule\n"
    return found
