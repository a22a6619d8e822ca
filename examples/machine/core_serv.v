// SERV, bit-serial: RV32I. Its two Wishbone buses are never active at once.
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
  wire fetch, data, write;
  wire [31:0] fetch_addr, data_addr;
  wire [3:0] sel;
  assign trap = 1'b0;
  assign valid = fetch || data;
  assign addr = fetch ? fetch_addr : data_addr;
  assign wstrb = data && write ? sel : 4'd0;
  serv_rf_top #(.WITH_CSR(0)) core(
    .clk(clk), .i_rst(rst), .i_timer_irq(1'b0),
    .o_ibus_adr(fetch_addr), .o_ibus_cyc(fetch), .i_ibus_rdt(rdata), .i_ibus_ack(fetch && ready),
    .o_dbus_adr(data_addr), .o_dbus_dat(wdata), .o_dbus_sel(sel), .o_dbus_we(write),
    .o_dbus_cyc(data), .i_dbus_rdt(rdata), .i_dbus_ack(data && ready),
    .o_ext_rs1(), .o_ext_rs2(), .o_ext_funct3(), .i_ext_rd(32'd0), .i_ext_ready(1'b0),
    .o_mdu_valid()
  );
endmodule
