module harness(input write_clk, input read_clk, input rst, input scan_in, output told, output seen);
  (* keep *) reg [@WIDTH@:0] driven;
  (* keep *) reg [@WIDTH@:0] caught;
  (* keep *) reg [@WIDTH@:0] chain;
  (* keep *) reg full;
  (* keep *) reg reads;
  wire [@WIDTH@:0] out;
  wire ready;
  always @(posedge write_clk) begin
    driven <= {driven, scan_in};
    full <= ready;
  end
  always @(posedge read_clk) begin
    reads <= scan_in;
    caught <= out;
    chain <= caught ^ {chain, 1'b0};
  end
  assign told = full;
  assign seen = chain[@WIDTH@];
  crossing inside(
    .write_clk(write_clk), .write_rst(rst), .read_clk(read_clk), .read_rst(rst),
    .w_valid(driven[0]), .w_data(driven[@WIDTH@:1]), .w_ready(ready),
    .r_valid(out[0]), .r_data(out[@WIDTH@:1]), .r_ready(reads)
  );
endmodule
