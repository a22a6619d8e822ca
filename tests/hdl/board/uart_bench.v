// Print what comes out of the UART of a board.
`timescale 1ns/1ns
module uart_bench;
  parameter DIVISOR = 2, LINES = 1;
  reg clk = 0;
  wire tx;
  wire [7:0] led;
  always #5 clk = !clk;
  small_board board(.clk(clk), .tx(tx), .led(led));
  reg [7:0] data;
  integer i, lines = 0;
  initial begin
    while (lines < LINES) begin
      @(negedge tx);
      #(5*DIVISOR);
      for (i = 0; i < 8; i = i + 1) begin #(10*DIVISOR); data[i] = tx; end
      #(10*DIVISOR);
      if (!tx) $display("no stop bit");
      $write("%c", data);
      if (data == 10) lines = lines + 1;
    end
    $display("led %b", led);
    $finish;
  end
endmodule
