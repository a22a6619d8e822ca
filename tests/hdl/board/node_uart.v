// Print the lines that come out of the UART of a board, and its LEDs behind each.
module uart(input tx, input [7:0] led);
  parameter DIVISOR = 2;
  integer i, lines = 0, place = 0;
  reg [7:0] data;
  reg [8*80-1:0] line = 0;
  always @(negedge tx) begin
    #(5*DIVISOR);
    for (i = 0; i < 8; i = i + 1) begin #(10*DIVISOR); data[i] = tx; end
    #(10*DIVISOR);
    if (!tx) $display("no stop bit");
    if (data == 10) begin $display("%0s led %b", line, led); line = 0; lines = lines + 1; end
    else if (data != 13) line = {line, data};
  end
endmodule
