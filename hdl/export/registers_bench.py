"""A test bench in plain Verilog for an OS-Link port behind registers: two of them, back to back."""

from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.hdl.export.port_bench import filled
from fingerpost.hdl.lib.registers import constants
from fingerpost.hdl.os_link_port.port_registers import ADDRESS_WIDTH, port_registers

__all__ = ["registers_bench"]

BODY = """// Two ports back to back, on clocks 1 % apart; the last line begins with PASS or FAIL.
// In Icarus: @COMMAND@
`timescale 1ns/1ps

// A port, and what software does with it: look what it is, then send and receive bytes.
module @NAME@_testbench_side(input clk, input rst, input link_in, output link_out);
  parameter BYTES = 16, SENDS = 0, GETS = 0;
  reg [@WIDTH@:0] awaddr = 0, araddr = 0;
  reg awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  reg [31:0] wdata = 0, word = 0;
  wire awready, wready, bvalid, arready, rvalid, irq;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  integer sent = 0, got = 0, wrong = 0, complete = 0;

  @NAME@ port(
    .clk(clk), .rst(rst), .link_in(link_in), .link_out(link_out),
    .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .irq(irq)
  );

  task read(input [@WIDTH@:0] address);
    begin
      araddr <= address; arvalid <= 1; rready <= 1;
      @(posedge clk); while (!arready) @(posedge clk);
      arvalid <= 0;
      @(posedge clk); while (!rvalid) @(posedge clk);
      word = rdata; rready <= 0;
      if (rresp !== 0) wrong = wrong + 1;
    end
  endtask

  task write(input [@WIDTH@:0] address, input [31:0] value);
    begin
      awaddr <= address; wdata <= value; awvalid <= 1; wvalid <= 1; bready <= 1;
      @(posedge clk); while (!awready || !wready) @(posedge clk);
      awvalid <= 0; wvalid <= 0;
      @(posedge clk); while (!bvalid) @(posedge clk);
      bready <= 0;
      if (bresp !== 0) wrong = wrong + 1;
    end
  endtask

  task check(input [@WIDTH@:0] address, input [31:0] value);
    begin
      read(address);
      if (word !== value) wrong = wrong + 1;
    end
  endtask

  initial begin
    wait (rst === 0);
    repeat (4) @(posedge clk);
@CONSTANTS@
    write(@ENABLE@, 2); // interrupt while there is a byte
    while (sent < BYTES || got < BYTES) begin
      read(@STATUS@);
      if (word[0] && sent < BYTES) begin
        write(@SEND@, (SENDS + 73 * sent) & 255);
        sent = sent + 1;
      end
      if (irq) begin
        read(@RECEIVE@);
        if (word !== (256 | ((GETS + 73 * got) & 255))) wrong = wrong + 1;
        got = got + 1;
      end
    end
    word = 0;
    while (!word[2]) read(@STATUS@);
    read(@ERRORS@);
    if (word & @WATCHED@) wrong = wrong + 1;
    complete = 1;
  end
endmodule

module @NAME@_testbench;
  localparam BYTES = 16, BIT = @N@; // clocks in a bit time
  localparam LIMIT = BYTES * BIT * @LIMIT@ + 100 * BIT;
@SIDES@
  integer cycle = 0;

  always @(posedge clk_a) begin
    cycle = cycle + 1;
    if (cycle == LIMIT || (a.complete && b.complete)) begin
      if (a.complete && b.complete && !a.wrong && !b.wrong)
        $display("PASS: %0d bytes each way, %0d cycles", BYTES, cycle);
      else
        $fatal(1, "FAIL: %0d and %0d of %0d bytes came, %0d wrong",
          a.got, b.got, BYTES, a.wrong + b.wrong);
      $finish;
    end
  end
endmodule
"""


def registers_bench(name: str, parameters: OsLinkParameters) -> str:
    """Return a bench that reads what never changes, and sends bytes both ways.

    Parameters
    ----------
    name : str
        Of the module.
    parameters : OsLinkParameters
    """
    registers = port_registers(parameters)
    at = {register.name: register.address for register in registers}
    lines = (f"    check({address}, 32'h{value:08x});" for address, value in constants(registers))
    parts: dict[str, str | int] = {
        "WIDTH": ADDRESS_WIDTH - 1,
        "CONSTANTS": "\n".join(lines),
        **{key.upper(): at[key] for key in ("enable", "status", "send", "receive", "errors")},
    }
    return filled(BODY, name, parameters, parts)
