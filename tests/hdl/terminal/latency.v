module bench;
  reg clk = 0, send_clk = 0, take_clk = 0, rst = 1, valid = 0;
  integer cycle = 0, sent = 0, begun = -1;
  wire ready, comes, last;
  wire [4:0] user;
  always #1000 clk = !clk;
  always #@send@ send_clk = !send_clk;
  always #@take@ take_clk = !take_clk;
  four_endpoints network(.clk(clk), .rst(rst),
    .s_axis_@source@_tvalid(valid), .s_axis_@source@_tready(ready),
    .s_axis_@source@_tdata(sent), .s_axis_@source@_tkeep(4'd15),
    .s_axis_@source@_tlast(sent == @beats@ - 1), .s_axis_@source@_tuser(1'b0),
    .s_axis_@source@_tdest(4'd@to@), .m_axis_@to@_tvalid(comes), .m_axis_@to@_tlast(last),
    .m_axis_@to@_tuser(user), .m_axis_@to@_tready(1'b1)@idle@);
  always @(posedge clk) begin
    cycle <= cycle + 1;
    rst <= cycle < 20;
    if (cycle == 400) $finish;
  end
  always @(posedge @sender@) begin
    if (cycle >= 60 && begun < 0) valid <= 1;
    if (valid && ready) begin
      if (begun < 0) begun <= $time;
      sent <= sent + 1;
      if (sent == @beats@ - 1) valid <= 0;
    end
  end
  always @(posedge @taker@)
    if (comes && last) begin
      $display("%0d after %0d", user >> 1, $time - begun);
      $finish;
    end
endmodule
