// A machine on an FPGA: one light for its end, one for anything wrong, which stays.
module machine_top(input clk, input reset_n, output [1:0] led);
  reg [1:0] held = 2'b11;
  reg done, wrong, counted;
  wire finished, failed;
  wire [31:0] counters;
  assign led = {wrong, done};
  machine machine(
    .clk(clk), .rst(held[1]), .finished(finished), .failed(failed), .active(), .counters(counters)
  );
  always @(posedge clk) begin
    held <= {held[0], !reset_n};
    counted <= counters != 0;
    done <= finished && !held[1];
    wrong <= (wrong || failed || counted) && !held[1];
  end
endmodule
