module example(input clk, input rst, output reg got, output reg [31:0] data);
  localparam NODES = 21, FLIT = 34, FROM = 3, TO = 16;
  localparam CREDITS = 10;           // injection.credits
  localparam [9:0] HEADER = 10'h032; // headers.to["16"]

  reg  [NODES-1:0] inject_valid;
  reg  [NODES*FLIT-1:0] inject_flit;
  wire [NODES-1:0] inject_credit, eject_valid;
  wire [NODES*FLIT-1:0] eject_flit;
  wire [NODES*8-1:0] errors;

  // The receiver takes every flit at once, so its place is free again at once.
  borel_21_vectors network(
    .clk(clk), .rst(rst),
    .inject_valid(inject_valid), .inject_flit(inject_flit), .inject_credit(inject_credit),
    .eject_valid(eject_valid), .eject_flit(eject_flit), .eject_credit(eject_valid),
    .errors(errors)
  );

  // The sender: a head with the header, then a tail; only with a credit.
  reg [3:0] credits;
  reg second;
  reg [21:0] number;
  wire send = !rst && credits != 0;
  always @* begin
    inject_valid = 0;
    inject_flit = 0;
    inject_valid[FROM] = send;
    inject_flit[FROM*FLIT +: FLIT] =
      second ? {10'd0, number, 2'b10} : {number, HEADER, 2'b01}; // data, tail, head
  end
  always @(posedge clk)
    if (rst) begin
      credits <= CREDITS;
      second <= 0;
      number <= 0;
    end else begin
      credits <= credits - send + inject_credit[FROM];
      if (send) second <= !second;
      if (send && second) number <= number + 1;
    end

  // The receiver: show the data of every tail.
  wire [FLIT-1:0] flit = eject_flit[TO*FLIT +: FLIT];
  always @(posedge clk) begin
    got <= !rst && eject_valid[TO] && flit[1];
    data <= flit[FLIT-1:2];
  end
endmodule
