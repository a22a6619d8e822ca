// Two ends of a stream link with numbered flits in both directions. Words between them wait, are
// lost, are damaged, and come late at random; links go down. Every flit must come out once, in the
// order of its channel, and only while there is room for it.

`timescale 1ns/1ps

// Sends flits of random channels while it has credits.
module source #(parameter V = 2, DEPTH = 4) (
  input clk, input rst, input [7:0] rate, output reg [V-1:0] valid, output reg [33:0] flit,
  input [V-1:0] credit, output reg [63:0] sent
);
  integer credits [0:V-1];
  reg [27:0] number [0:V-1];
  integer v, channel;
  always @(posedge clk) begin
    valid <= 0;
    if (rst) begin
      sent <= 0;
      for (v = 0; v < V; v = v + 1) begin credits[v] = DEPTH; number[v] = 0; end
    end else begin
      for (v = 0; v < V; v = v + 1) begin
        if (credit[v]) credits[v] = credits[v] + 1;
        if (credits[v] > DEPTH) begin $display("credit of nothing, channel %0d", v); $fatal; end
      end
      channel = $urandom_range(V - 1);
      if (credits[channel] == 0) channel = (channel + 1) % V;
      if (credits[channel] != 0 && $urandom_range(255) < rate) begin
        credits[channel] = credits[channel] - 1;
        valid <= 1 << channel;
        flit <= {4'(channel), number[channel], number[channel][1:0] ^ number[channel][3:2]};
        number[channel] = number[channel] + 1;
        sent <= sent + 1;
      end
    end
  end
endmodule

// Takes flits, and returns credits at random.
module sink #(parameter V = 2, DEPTH = 4) (
  input clk, input rst, input [7:0] rate, input [V-1:0] valid, input [33:0] flit,
  output reg [V-1:0] credit, output reg [63:0] came
);
  integer held [0:V-1];
  reg [27:0] number [0:V-1];
  integer v;
  always @(posedge clk) begin
    credit <= 0;
    if (rst) begin
      came <= 0;
      for (v = 0; v < V; v = v + 1) begin held[v] = 0; number[v] = 0; end
    end else for (v = 0; v < V; v = v + 1) begin
      if (valid[v]) begin
        if (flit !== {4'(v), number[v], number[v][1:0] ^ number[v][3:2]}) begin
          $display("wrong flit %h, channel %0d, number %0d", flit, v, number[v]); $fatal;
        end
        if (held[v] == DEPTH) begin $display("no room, channel %0d", v); $fatal; end
        number[v] = number[v] + 1;
        held[v] = held[v] + 1;
        came <= came + 1;
      end
      if (held[v] != 0 && $urandom_range(255) < rate) begin
        held[v] = held[v] - 1;
        credit[v] <= 1;
      end
    end
  end
endmodule

// Of a million words, `lost` and `damaged`; each comes up to LATE cycles later than others.
module cable #(parameter CYCLES = 40, LATE = 0) (
  input clk, input rst, input down, input [31:0] lost, input [31:0] damaged,
  input valid, input [63:0] word, output reg rvalid, output reg [63:0] rword
);
  reg [64:0] line [0:1023];
  reg [63:0] other;
  integer now, due, at, i, bits;
  always @(posedge clk) begin
    if (rst) begin
      now = 0; due = 0; rvalid <= 0;
      for (i = 0; i < 1024; i = i + 1) line[i] = 0;
    end else begin
      {rvalid, rword} <= line[now % 1024];
      line[now % 1024] = 0;
      if (valid && !down && $urandom_range(999999) >= lost) begin
        other = word;
        bits = $urandom_range(5);
        if ($urandom_range(999999) < damaged)
          for (i = 0; i <= bits; i = i + 1) other = other ^ (64'd1 << $urandom_range(63));
        at = now + CYCLES - 1 + (LATE != 0 ? $urandom_range(LATE) : 0);
        if (at <= due) at = due + 1;
        due = at;
        if (at - now < 1024) line[at % 1024] = {1'b1, other};
      end
      now = now + 1;
    end
  end
endmodule

module bench #(parameter V = 2, CYCLES = 40, LATE = 0, DEPTH = 4);
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  integer flits = 3000, rate = 255, returned = 255, lost = 0, damaged = 0, waits = 0, cuts = 0;
  integer seed = 1, cycles = 0, cut = 0, left = 0, alone = 0;
  reg reset_alone = 0;
  reg [63:0] arrived;
  reg [1:0] ready = 3;
  reg down = 0;
  wire [V-1:0] near_valid [0:1], near_credit [0:1], far_valid [0:1], far_credit [0:1];
  wire [33:0] near_flit [0:1], far_flit [0:1];
  wire [63:0] sent [0:1], came [0:1], tx [0:1], rx [0:1];
  wire tx_valid [0:1], rx_valid [0:1], up [0:1], restarted [0:1];
  wire [7:0] downs [0:1];
  genvar g;
  generate for (g = 0; g < 2; g = g + 1) begin : side
    source #(V, DEPTH) a (clk, rst, rate[7:0], near_valid[g], near_flit[g], near_credit[g], sent[g]);
    sink #(V, DEPTH) b (clk, rst, returned[7:0], far_valid[g], far_flit[g], far_credit[g], came[g]);
    stream_end link (.clk(clk), .rst(rst | reset_alone & g == 1), .near__valid(near_valid[g]), .near__flit(near_flit[g]),
      .near__credit(near_credit[g]), .far__valid(far_valid[g]), .far__flit(far_flit[g]),
      .far__credit(far_credit[g]), .tx__valid(tx_valid[g]), .tx__payload(tx[g]),
      .tx__ready(ready[g]), .rx__valid(rx_valid[g]), .rx__payload(rx[g]), .up(up[g]),
      .downs(downs[g]), .restarted(restarted[g]));
    cable #(CYCLES, LATE) to (clk, rst, down, lost, damaged, tx_valid[g] & ready[g], tx[g],
      rx_valid[1 - g], rx[1 - g]);
  end endgenerate
  initial begin
    if ($value$plusargs("flits=%d", flits)); if ($value$plusargs("rate=%d", rate));
    if ($value$plusargs("returned=%d", returned)); if ($value$plusargs("lost=%d", lost));
    if ($value$plusargs("damaged=%d", damaged)); if ($value$plusargs("waits=%d", waits));
    if ($value$plusargs("alone=%d", alone)); if ($value$plusargs("cuts=%d", cuts)); if ($value$plusargs("seed=%d", seed));
    seed = $urandom(seed);
    repeat (5) @(posedge clk);
    rst <= 0;
    while (came[0] + came[1] < flits || cut < cuts) begin
      @(posedge clk);
      cycles = cycles + 1;
      ready <= {$urandom_range(255) >= waits, $urandom_range(255) >= waits};
      if (left != 0) begin left = left - 1; if (left == 0) down <= 0; end
      else if (cut < cuts && $urandom_range(1000) == 0) begin
        down <= 1; cut = cut + 1; left = 1 + $urandom_range(1500);
      end
      if (cycles > 20 * flits + 3000 * cuts + 100000) begin
        $display("stuck: %0d and %0d flits", came[0], came[1]); $fatal;
      end
    end
    if (alone != 0) begin // the account of the other side's end is void from here on
      rate = 0; reset_alone <= 1; down <= 1;
      repeat (100) @(posedge clk);
      reset_alone <= 0; down <= 0; arrived = came[0] + came[1];
      repeat (6000) @(posedge clk);
      if (came[0] + came[1] != arrived || !restarted[0] || up[0]) begin
        $display("passed after a restart: %0d of %0d", came[0] + came[1] - arrived, arrived); $fatal;
      end
      $display("all stopped");
      $finish;
    end
    rate = 0; lost = 0; damaged = 0; down <= 0; ready <= 3;
    $display("flits a cycle: %f", (came[0] + came[1]) / 2.0 / cycles);
    repeat (4000) @(posedge clk);
    if (sent[0] != came[1] || sent[1] != came[0]) begin
      $display("lost: %0d and %0d of %0d and %0d", came[1], came[0], sent[0], sent[1]); $fatal;
    end
    $display("all %0d arrived in %0d cycles; %0d cuts, up %b%b, downs %0d %0d, restarted %b%b",
      came[0] + came[1], cycles, cut, up[0], up[1], downs[0], downs[1], restarted[0], restarted[1]);
    $finish;
  end
endmodule
