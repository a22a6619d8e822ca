module bench;
  reg clk = 0, send_clk = 0, take_clk = 0, rst = 1;
  integer cycle = 0, count = 0;
  wire stuck, goes, comes;
  always #1000 clk = !clk;
  always #700 send_clk = !send_clk;
  always #1300 take_clk = !take_clk;
  four_streams network(.clk(clk), .rst(rst),
    .axis_0_clk(send_clk), .axis_0_rst(rst), .axis_3_clk(take_clk), .axis_3_rst(rst),
    .axis_1_clk(clk), .axis_1_rst(rst), .axis_2_clk(clk), .axis_2_rst(rst),
    @idle@
    .s_axis_0_0_tvalid(!rst), .s_axis_0_0_tready(stuck), .s_axis_0_0_tdest(2'd3),
    .s_axis_0_0_tlast(1'b1), .s_axis_0_0_tkeep(4'd15), .s_axis_0_0_tuser(1'b0),
    .s_axis_0_1_tvalid(cycle >= 300), .s_axis_0_1_tready(goes), .s_axis_0_1_tdest(2'd3),
    .s_axis_0_1_tlast(1'b1), .s_axis_0_1_tkeep(4'd15), .s_axis_0_1_tuser(1'b0),
    .m_axis_3_0_tready(1'b0), .m_axis_3_1_tready(1'b1), .m_axis_3_1_tvalid(comes));
  always @(posedge take_clk) if (comes) count <= count + 1;
  always @(posedge clk) begin
    cycle <= cycle + 1;
    rst <= cycle < 20;
    if (cycle == 800) begin
      $display("class 0 ready: %b, of class 1: %0d", stuck, count);
      $finish;
    end
  end
endmodule
