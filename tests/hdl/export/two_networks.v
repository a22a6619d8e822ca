// Two networks of different flit widths in one design, joined at terminal 3 of `slim` and terminal 0
// of `broad`. The first beat of a packet that crosses says where it goes on the other side.

// Beats of 16 bits in, of 32 bits out: the first that comes is the lower half.
module widen(
  input clk, input rst,
  input s_tvalid, output s_tready, input [15:0] s_tdata, input s_tlast,
  output reg m_tvalid, input m_tready, output reg [31:0] m_tdata, output reg [3:0] m_tkeep,
  output reg m_tlast, output reg [2:0] m_tdest
);
  reg first, half;
  reg [15:0] low;
  assign s_tready = !m_tvalid || m_tready;
  always @(posedge clk)
    if (rst) begin
      m_tvalid <= 0;
      first <= 1;
      half <= 0;
    end else if (s_tready) begin
      m_tvalid <= s_tvalid && !first && (half || s_tlast);
      if (s_tvalid) begin
        m_tlast <= s_tlast;
        m_tkeep <= half ? 4'b1111 : 4'b0011;
        m_tdata <= half ? {s_tdata, low} : {16'd0, s_tdata};
        low <= s_tdata;
        half <= !first && !half && !s_tlast;
        first <= s_tlast;
        if (first) m_tdest <= s_tdata[2:0];
      end
    end
endmodule

// Beats of 32 bits in, of 16 bits out.
module halve(
  input clk, input rst,
  input s_tvalid, output s_tready, input [31:0] s_tdata, input [3:0] s_tkeep, input s_tlast,
  output reg m_tvalid, input m_tready, output reg [15:0] m_tdata, output reg m_tlast,
  output reg [1:0] m_tdest
);
  reg first, more, last;
  reg [15:0] high;
  wire free = !m_tvalid || m_tready;
  assign s_tready = free && !more;
  always @(posedge clk)
    if (rst) begin
      m_tvalid <= 0;
      first <= 1;
      more <= 0;
    end else if (free && more) begin
      m_tvalid <= 1;
      m_tdata <= high;
      m_tlast <= last;
      more <= 0;
    end else if (free) begin
      m_tvalid <= s_tvalid && !first;
      if (s_tvalid) begin
        first <= s_tlast;
        if (first) m_tdest <= s_tdata[1:0];
        else begin
          m_tdata <= s_tdata[15:0];
          high <= s_tdata[31:16];
          more <= s_tkeep[2];
          m_tlast <= s_tlast && !s_tkeep[2];
          last <= s_tlast;
        end
      end
    end
endmodule

// Terminals 0 to 2 of `slim` are the user's, and 1 to 5 of `broad`.
module joined(
  input clk, input rst,
  input [3:0] a_valid, output [3:0] a_ready, input [63:0] a_data, input [3:0] a_last,
  output [3:0] b_valid, input [3:0] b_ready, output [63:0] b_data, output [3:0] b_last,
  input [5:0] c_valid, output [5:0] c_ready, input [191:0] c_data, input [23:0] c_keep,
  input [5:0] c_last,
  output [5:0] d_valid, input [5:0] d_ready, output [191:0] d_data, output [23:0] d_keep,
  output [5:0] d_last,
  output clean
);
  wire up_valid, up_ready, up_last, down_valid, down_ready, down_last;
  wire [31:0] up_data;
  wire [15:0] down_data;
  wire [3:0] up_keep;
  wire [2:0] up_dest;
  wire [1:0] down_dest;
  wire [31:0] slim_errors, slim_overruns, slim_refused, slim_expired;
  wire [47:0] broad_errors, broad_overruns, broad_refused, broad_expired;
  wire [7:0] slim_keep, slim_from;
  wire [11:0] slim_user;
  wire [17:0] broad_from;
  wire [23:0] broad_user;

  slim_vectors slim(
    .clk(clk), .rst(rst),
    .s_axis_tvalid({down_valid, a_valid[2:0]}), .s_axis_tready({down_ready, a_ready[2:0]}),
    .s_axis_tdata({down_data, a_data[47:0]}), .s_axis_tkeep(8'hff),
    .s_axis_tlast({down_last, a_last[2:0]}), .s_axis_tdest({down_dest, 6'o77}),
    .s_axis_tuser(4'd0),
    .m_axis_tvalid(b_valid), .m_axis_tready({up_taken, b_ready[2:0]}), .m_axis_tdata(b_data),
    .m_axis_tkeep(slim_keep), .m_axis_tlast(b_last), .m_axis_tdest(slim_from),
    .m_axis_tuser(slim_user),
    .refused(slim_refused), .expired(slim_expired),
    .errors(slim_errors), .overruns(slim_overruns)
  );
  wire up_taken, down_taken;
  widen widen(
    .clk(clk), .rst(rst),
    .s_tvalid(b_valid[3]), .s_tready(up_taken), .s_tdata(b_data[63:48]), .s_tlast(b_last[3]),
    .m_tvalid(up_valid), .m_tready(up_ready), .m_tdata(up_data), .m_tkeep(up_keep),
    .m_tlast(up_last), .m_tdest(up_dest)
  );
  broad_vectors broad(
    .clk(clk), .rst(rst),
    .s_axis_tvalid({c_valid[5:1], up_valid}), .s_axis_tready({c_ready[5:1], up_ready}),
    .s_axis_tdata({c_data[191:32], up_data}), .s_axis_tkeep({c_keep[23:4], up_keep}),
    .s_axis_tlast({c_last[5:1], up_last}), .s_axis_tdest({15'd0, up_dest}),
    .s_axis_tuser(6'd0),
    .m_axis_tvalid(d_valid), .m_axis_tready({d_ready[5:1], down_taken}), .m_axis_tdata(d_data),
    .m_axis_tkeep(d_keep), .m_axis_tlast(d_last), .m_axis_tdest(broad_from),
    .m_axis_tuser(broad_user),
    .refused(broad_refused), .expired(broad_expired),
    .errors(broad_errors), .overruns(broad_overruns)
  );
  halve halve(
    .clk(clk), .rst(rst),
    .s_tvalid(d_valid[0]), .s_tready(down_taken), .s_tdata(d_data[31:0]), .s_tkeep(d_keep[3:0]),
    .s_tlast(d_last[0]),
    .m_tvalid(down_valid), .m_tready(down_ready), .m_tdata(down_data), .m_tlast(down_last),
    .m_tdest(down_dest)
  );
  assign a_ready[3] = 0, c_ready[0] = 0;
  assign clean = {slim_errors, slim_overruns, slim_refused, slim_expired, broad_errors,
                  broad_overruns, broad_refused, broad_expired} == 0;
endmodule
