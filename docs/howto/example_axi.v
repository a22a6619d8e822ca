module example_axi(input clk, input rst, output reg got, output reg [31:0] data);
  localparam NODES = 21, FROM = 3, TO = 16;

  reg  [NODES-1:0] s_tvalid, s_tlast;
  wire [NODES-1:0] s_tready, m_tvalid, m_tlast;
  reg  [NODES*32-1:0] s_tdata;
  wire [NODES*32-1:0] m_tdata;
  reg  [NODES*5-1:0] s_tdest;

  borel_21_axi_vectors network(
    .clk(clk), .rst(rst),
    .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .s_axis_tdata(s_tdata),
    .s_axis_tkeep({NODES{4'hf}}), .s_axis_tlast(s_tlast), .s_axis_tdest(s_tdest),
    .s_axis_tuser({NODES{1'b0}}),
    .m_axis_tvalid(m_tvalid), .m_axis_tready({NODES{1'b1}}), .m_axis_tdata(m_tdata),
    .m_axis_tkeep(), .m_axis_tlast(m_tlast), .m_axis_tdest(), .m_axis_tuser(),
    .refused(), .expired(), .errors(), .overruns()
  );

  // The sender: two beats a packet, both with its number.
  reg [31:0] number;
  always @* begin
    s_tvalid = 0; s_tlast = 0; s_tdata = 0; s_tdest = 0;
    s_tvalid[FROM] = !rst;
    s_tlast[FROM] = number[0];
    s_tdata[FROM*32 +: 32] = number >> 1;
    s_tdest[FROM*5 +: 5] = TO;
  end
  always @(posedge clk)
    if (rst) number <= 0;
    else if (s_tready[FROM]) number <= number + 1;

  // The receiver: show the data of every last beat.
  always @(posedge clk) begin
    got <= !rst && m_tvalid[TO] && m_tlast[TO];
    data <= m_tdata[TO*32 +: 32];
  end
endmodule
