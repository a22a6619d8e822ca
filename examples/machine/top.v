// A machine on an FPGA: one light for its end, one for anything wrong, which stays.
module machine_top #(
  parameter NODES = 1,
  parameter COUNTERS = 1
) (input clk, input reset_n, output [1:0] led);
  reg [1:0] held = 2'b11;
  reg done, wrong, counted;
  reg [31:0] cycle;
  wire [NODES-1:0] finished, failed;
  wire [COUNTERS-1:0] counters;
  assign led = {wrong, done};
  machine machine(
    .clk(clk), .rst(held[1]), .cycle(cycle), .load(1'b0), .load_address(14'd0), .load_word(32'd0),
    .finished(finished), .failed(failed), .events(), .counters(counters)
  );
  always @(posedge clk) begin
    held <= {held[0], !reset_n};
    cycle <= held[1] ? 0 : cycle + 1;
    counted <= counters != 0;
    done <= &finished && !held[1];
    wrong <= (wrong || failed != 0 || counted) && !held[1];
  end
endmodule
