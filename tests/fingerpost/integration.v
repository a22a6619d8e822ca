`timescale 1ns/1ns
module bench;
  reg clk = 0, rst = 1;
  wire got;
  wire [31:0] data;
  integer cycle = 0, packets = 0;
  EXAMPLE e(.clk(clk), .rst(rst), .got(got), .data(data));
  always #5 clk = !clk;
  always @(negedge clk) begin
    cycle <= cycle + 1;
    rst <= cycle < 2;
    if (!rst && got) begin
      if (data !== packets) $display("packet %0d holds %h", packets, data);
      packets = packets + 1;
    end
    if (cycle == 100) begin
      $display("%0d packets, errors %0d", packets, e.network.errors);
      $finish;
    end
  end
endmodule
