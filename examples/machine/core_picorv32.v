// PicoRV32: RV32IM.
module machine_core(
  input clk,
  input rst,
  output trap,
  output valid,
  input ready,  // ends an access
  output [31:0] addr,
  output [31:0] wdata,
  output [3:0] wstrb,  // 0: a read
  input [31:0] rdata
);
  picorv32 #(
    .BARREL_SHIFTER(1), .ENABLE_FAST_MUL(1), .ENABLE_DIV(1), .STACKADDR(32'h00010000)
  ) core (
    .clk(clk), .resetn(!rst), .trap(trap),
    .mem_valid(valid), .mem_instr(), .mem_ready(ready), .mem_addr(addr), .mem_wdata(wdata),
    .mem_wstrb(wstrb), .mem_rdata(rdata),
    .mem_la_read(), .mem_la_write(), .mem_la_addr(), .mem_la_wdata(), .mem_la_wstrb(),
    .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(), .pcpi_wr(1'b0), .pcpi_rd(32'd0),
    .pcpi_wait(1'b0), .pcpi_ready(1'b0),
    .irq(32'd0), .eoi(), .trace_valid(), .trace_data()
  );
endmodule
