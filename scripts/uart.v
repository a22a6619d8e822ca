module uart_bench;
  reg clk = 0;
  wire tx;
  wire [7:0] led;
  always #1 clk = !clk;
  @top@ board(.clk(clk), .tx(tx), .led(led));
  // Bits are looked at in their middle, counted in clocks from the fall of the start bit.
  reg [7:0] data;
  integer wait_for = 0, bits = 9, lines = 0;
  always @(posedge clk)
    if (bits == 9) begin
      if (!tx) begin bits <= 0; wait_for <= @divisor@ + @divisor@ / 2 - 1; end
    end else if (wait_for != 0) wait_for <= wait_for - 1;
    else begin
      wait_for <= @divisor@ - 1;
      bits <= bits + 1;
      if (bits < 8) data <= {tx, data[7:1]};
      else begin
        if (!tx) $display("no stop bit");
        if (data == 10) begin
          $display(" led %b", led);
          lines = lines + 1;
          if (lines == @lines@) $finish;
        end else if (data != 13) $write("%c", data);
      end
    end
endmodule
