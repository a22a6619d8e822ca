// Five terminals of a ring send to all at full load and check what arrives: `ok`, or what is wrong first. A flit has
// {4 random bits, a count of 11 for each pair, source, destination, header}, so any that is lost, doubled, changed or
// misrouted is seen; if nothing arrives for 900 cycles though flits are in the network, it is deadlocked.
`timescale 1ns/1ns
module stress;
  reg clk = 0, rst = 1;
  reg [4:0] valid = 0, back = 0;
  reg [129:0] flit = 0;
  wire [4:0] credit, arrives;
  wire [129:0] out;
  ring_vectors dut(.clk(clk), .rst(rst), .inject_valid(valid), .inject_flit(flit), .inject_credit(credit),
    .eject_valid(arrives), .eject_flit(out), .eject_credit(back));
  integer room [0:4], left [0:4], goal [0:4];
  reg [10:0] sent [0:24], due [0:24];
  integer v; integer src; integer dst; integer idle; integer waits; integer cycle;
  reg [25:0] f;
  task ends(input [8*12:1] what);
    begin $display("%0s", what); $finish; end
  endtask
  initial begin
    idle = 0; waits = 0;
    for (v = 0; v < 25; v = v + 1) begin sent[v] = 0; due[v] = 0; end
    for (v = 0; v < 5; v = v + 1) begin room[v] = 2; left[v] = 0; goal[v] = 0; end
    for (cycle = 0; cycle < 32000; cycle = cycle + 1) begin
      #1 clk = 1; #1 clk = 0; // at the falling edge all outputs are those of the next cycle
      if (cycle == 3) rst = 0;
      back = 0; valid = 0; idle = idle + 1;
      if (cycle > 4) for (v = 0; v < 5; v = v + 1) begin
        if (^{credit[v], arrives[v]} === 1'bx) ends("undefined");
        room[v] = room[v] + credit[v];
        if (room[v] > 2) ends("overflows");
        if (arrives[v]) begin
          f = out[26*v +: 26]; src = f[10:8]; dst = f[7:5]; back[v] = 1; idle = 0; waits = waits - 1;
          if (dst != v) ends("misroutes");
          if (f[21:11] !== due[5*src + v]) ends("disorders");
          due[5*src + v] = due[5*src + v] + 1;
        end
        if (cycle < 30000 && room[v] > 0) begin
          f[1:0] = 0;
          if (left[v] == 0) begin
            goal[v] = ($urandom % 5 + 5) % 5; left[v] = $urandom % 3 == 0 ? 1 : 1 + ($urandom & 7); f[0] = 1;
          end
          left[v] = left[v] - 1; f[1] = left[v] == 0;
          f[25:2] = {$urandom, sent[5*v + goal[v]], v[2:0], goal[v][2:0], goal[v][2:0]};
          sent[5*v + goal[v]] = sent[5*v + goal[v]] + 1;
          flit[26*v +: 26] = f; valid[v] = 1; room[v] = room[v] - 1; waits = waits + 1;
        end
      end
      if (idle > 900 && waits > 5) ends("deadlocks");
    end
    if (waits > 5) ends("loses");
    ends("ok");
  end
endmodule
