// Two OS-Link ports behind registers, back to back; `noise` is a level on the wire to the first.
`timescale 1ns/1ns
module two_registered_ports(
  input clk, input rst, input noise,
  input [5:0] a_axil_awaddr, input a_axil_awvalid, output a_axil_awready,
  input [31:0] a_axil_wdata, input [3:0] a_axil_wstrb, input a_axil_wvalid, output a_axil_wready,
  output [1:0] a_axil_bresp, output a_axil_bvalid, input a_axil_bready,
  input [5:0] a_axil_araddr, input a_axil_arvalid, output a_axil_arready,
  output [31:0] a_axil_rdata, output [1:0] a_axil_rresp, output a_axil_rvalid, input a_axil_rready,
  output a_irq,
  input [5:0] b_axil_awaddr, input b_axil_awvalid, output b_axil_awready,
  input [31:0] b_axil_wdata, input [3:0] b_axil_wstrb, input b_axil_wvalid, output b_axil_wready,
  output [1:0] b_axil_bresp, output b_axil_bvalid, input b_axil_bready,
  input [5:0] b_axil_araddr, input b_axil_arvalid, output b_axil_arready,
  output [31:0] b_axil_rdata, output [1:0] b_axil_rresp, output b_axil_rvalid, input b_axil_rready,
  output b_irq
);
  wire a_to_b, b_to_a;
  os_link_port a(
    .clk(clk), .rst(rst), .link_in(b_to_a | noise), .link_out(a_to_b), .irq(a_irq),
    .s_axil_awaddr(a_axil_awaddr), .s_axil_awvalid(a_axil_awvalid),
    .s_axil_awready(a_axil_awready), .s_axil_wdata(a_axil_wdata), .s_axil_wstrb(a_axil_wstrb),
    .s_axil_wvalid(a_axil_wvalid), .s_axil_wready(a_axil_wready), .s_axil_bresp(a_axil_bresp),
    .s_axil_bvalid(a_axil_bvalid), .s_axil_bready(a_axil_bready), .s_axil_araddr(a_axil_araddr),
    .s_axil_arvalid(a_axil_arvalid), .s_axil_arready(a_axil_arready),
    .s_axil_rdata(a_axil_rdata), .s_axil_rresp(a_axil_rresp), .s_axil_rvalid(a_axil_rvalid),
    .s_axil_rready(a_axil_rready)
  );
  os_link_port b(
    .clk(clk), .rst(rst), .link_in(a_to_b), .link_out(b_to_a), .irq(b_irq),
    .s_axil_awaddr(b_axil_awaddr), .s_axil_awvalid(b_axil_awvalid),
    .s_axil_awready(b_axil_awready), .s_axil_wdata(b_axil_wdata), .s_axil_wstrb(b_axil_wstrb),
    .s_axil_wvalid(b_axil_wvalid), .s_axil_wready(b_axil_wready), .s_axil_bresp(b_axil_bresp),
    .s_axil_bvalid(b_axil_bvalid), .s_axil_bready(b_axil_bready), .s_axil_araddr(b_axil_araddr),
    .s_axil_arvalid(b_axil_arvalid), .s_axil_arready(b_axil_arready),
    .s_axil_rdata(b_axil_rdata), .s_axil_rresp(b_axil_rresp), .s_axil_rvalid(b_axil_rvalid),
    .s_axil_rready(b_axil_rready)
  );
endmodule
