`timescale 1ns/1ns
module bench;
  reg clk = 0, rst = 1, we = 0, strobe = 0;
  reg [29:0] adr = 0;
  reg [31:0] value = 0;
  wire [31:0] answer;
  wire ack, err;
  soc dut(.sys_clk(clk), .sys_rst(rst), .host_adr(adr), .host_dat_w(value), .host_dat_r(answer),
    .host_sel(4'hf), .host_we(we), .host_cyc(strobe), .host_stb(strobe), .host_ack(ack),
    .host_err(err));
  always #1 clk = !clk;
  task access(input [31:0] at, input write, input [31:0] word);
    begin
      @(negedge clk) adr = at >> 2; we = write; value = word; strobe = 1;
      @(posedge clk) while (!(ack || err)) @(posedge clk);
      if (!write) $display("%h %0d", answer, err);
      else if (err) $display("refused");
      @(negedge clk) strobe = 0;
    end
  endtask
  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
ACCESSES
    $finish;
  end
  initial #20000 begin $display("late"); $finish; end
endmodule
