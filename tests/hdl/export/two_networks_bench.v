// Packets from every terminal of a network to every one of the other: one way, then the other.
`timescale 1ns/1ns
module bench;
  localparam EACH = 20; // packets of every terminal
  reg clk = 0, rst = 1;
  reg [3:0] a_valid = 0, a_last = 0, b_ready = 0;
  reg [63:0] a_data = 0;
  reg [5:0] c_valid = 0, c_last = 0, d_ready = 0;
  reg [191:0] c_data = 0;
  reg [23:0] c_keep = 0;
  wire [3:0] a_ready, b_valid, b_last;
  wire [63:0] b_data;
  wire [5:0] c_ready, d_valid, d_last;
  wire [191:0] d_data;
  wire [23:0] d_keep;
  wire clean;
  joined joined(
    .clk(clk), .rst(rst), .a_valid(a_valid), .a_ready(a_ready), .a_data(a_data), .a_last(a_last),
    .b_valid(b_valid), .b_ready(b_ready), .b_data(b_data), .b_last(b_last),
    .c_valid(c_valid), .c_ready(c_ready), .c_data(c_data), .c_keep(c_keep), .c_last(c_last),
    .d_valid(d_valid), .d_ready(d_ready), .d_data(d_data), .d_keep(d_keep), .d_last(d_last),
    .clean(clean)
  );
  always #5 clk = !clk;

  integer cycle = 0, v, up = 0, down = 0, faults = 0, way = 0;
  integer packet [0:5], part [0:5], place [0:5], from [0:5], number [0:5];
  reg seen [0:1][0:5][0:EACH-1];
  integer i, j, k;
  initial begin
    for (i = 0; i < 2; i = i + 1) for (j = 0; j < 6; j = j + 1) for (k = 0; k < EACH; k = k + 1)
      seen[i][j][k] = 0;
    for (i = 0; i < 6; i = i + 1) begin packet[i] = 0; part[i] = 0; place[i] = 0; end
  end

  // The words of packet k of terminal v: v, k, then k modulo 5 more.
  function [15:0] word(input integer v, input integer k, input integer i);
    word = i == 0 ? v : i == 1 ? k : v * 256 + k * 8 + i;
  endfunction
  function integer size(input integer k);
    size = 2 + k % 5;
  endfunction

  task arrives(input integer at, input [15:0] data, input last);
    begin
      if (place[at] == 0) from[at] = data;
      if (place[at] == 1) number[at] = data;
      if (place[at] > 1 && data !== word(from[at], number[at], place[at])) faults = faults + 1;
      place[at] = place[at] + 1;
      if (last) begin
        if (place[at] < 2 || !(from[at] < 6) || !(number[at] < EACH)) faults = faults + 1;
        else begin
          if (place[at] != size(number[at]) || seen[way][from[at]][number[at]])
            faults = faults + 1;
          if (way == 0 && at != 1 + number[at] % 5 || way == 1 && at != number[at] % 3)
            faults = faults + 1;
          seen[way][from[at]][number[at]] = 1;
          if (way == 0) up = up + 1; else down = down + 1;
        end
        place[at] = 0;
      end
    end
  endtask

  // Inputs change at the falling edge; what is taken at the rising edge is seen before it.
  always @(negedge clk) begin
    rst <= cycle < 3;
    cycle = cycle + 1;
    b_ready = {1'b0, $random} | {3{cycle % 4 == 0}};
    d_ready = $random;
    for (v = 0; v < 3; v = v + 1) begin
      a_valid[v] = !rst && way == 0 && packet[v] < EACH;
      a_data[16*v +: 16] = part[v] == 0 ? 1 + packet[v] % 5 : word(v, packet[v], part[v] - 1);
      a_last[v] = part[v] == size(packet[v]);
    end
    for (v = 1; v < 6; v = v + 1) begin
      c_valid[v] = !rst && way == 1 && packet[v] < EACH;
      c_data[32*v +: 32] = part[v] == 0 ? packet[v] % 3
        : {word(v, packet[v], 2 * part[v] - 1), word(v, packet[v], 2 * part[v] - 2)};
      c_last[v] = 2 * part[v] >= size(packet[v]);
      c_keep[4*v +: 4] = 2 * part[v] > size(packet[v]) ? 4'b0011 : 4'b1111;
    end
    #4; // just before the rising edge
    for (v = 0; v < 3; v = v + 1) begin
      if (a_valid[v] && a_ready[v]) begin
        part[v] = a_last[v] ? 0 : part[v] + 1;
        if (a_last[v]) packet[v] = packet[v] + 1;
      end
      if (!rst && b_valid[v] && b_ready[v]) arrives(v, b_data[16*v +: 16], b_last[v]);
    end
    for (v = 1; v < 6; v = v + 1) begin
      if (c_valid[v] && c_ready[v]) begin
        part[v] = c_last[v] ? 0 : part[v] + 1;
        if (c_last[v]) packet[v] = packet[v] + 1;
      end
      if (!rst && d_valid[v] && d_ready[v]) begin
        arrives(v, d_data[32*v +: 16], d_last[v] && !d_keep[4*v+2]);
        if (d_keep[4*v+2]) arrives(v, d_data[32*v+16 +: 16], d_last[v]);
      end
    end
    if (way == 0 && up == 3 * EACH) begin
      way = 1;
      for (v = 0; v < 6; v = v + 1) begin packet[v] = 0; part[v] = 0; end
    end
    if (down == 5 * EACH || faults > 0 || cycle == 20000) begin
      if (down == 5 * EACH && faults == 0 && clean === 1)
        $display("PASS: %0d packets up, %0d down", up, down);
      else $display("FAIL: %0d packets up, %0d down, %0d faults", up, down, faults);
      $finish;
    end
  end
endmodule
