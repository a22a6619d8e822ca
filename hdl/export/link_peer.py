"""What the bench in plain Verilog has at the other end of an OS-Link."""

from fingerpost.hdl.export.bench_functions import MIXED

__all__ = ["FLAWS", "PEER"]

FLAWS = (
    "a pulse shorter than a bit",
    "a byte without a stop bit",
    "an acknowledge for nothing",
    "an acknowledge before the end of a byte",
    "a byte before the last one was acknowledged",
)
"""What it may find wrong on the wire: the number of a bit of `wrong` is the place here."""

PEER = (
    """
// What is at the other end of two wires: it has bit times of its own, and knows no clock.
module @NAME@_testbench_peer #(
  parameter QUARTER = 2, NUMBER = 0, // of a bit, even; its place
  parameter PAUSE = 0, // bit times for which it takes no byte, at most
  parameter LATE = 0, SHORT = 0 // bytes are acknowledged at their ends; stop bits may be short
) (
  input hears, output reg says = 0, // the wires
  input [7:0] data, input asks, output reg done = 0, // they change: a byte to send, it was taken
  output reg [7:0] heard = 0, output reg came = 0, // came changes: a byte has come
  output reg [@LAST@:0] wrong = 0 // each changes when it is found
);
"""
    + MIXED
    + """
  // Delays have an odd sum, so nothing here coincides with a clock edge.
  integer place = 11, count = 0; // which bit is sent; bytes that have come
  reg awake = 0, begun = 0; // begun changes: a byte is sent
  reg begins = 0, early = 0, late = 0, told = 0; // a byte comes; acknowledge it; it is told so

  // A packet is sampled in the middles of its bits. Some bytes are acknowledged as soon as it is
  // known that they are bytes, the others when they are complete; a quarter of the peers does only
  // the latter, as link adaptors do.
  integer i;
  reg hasty, waits = 1;
  reg [31:0] chance;
  reg [7:0] octet;
  always @(posedge hears) begin
    hasty = LATE && place < 9;
    #(2 * QUARTER - 1);
    if (hears !== 1) wrong[0] <= !wrong[0];
    else begin
      #(4 * QUARTER);
      if (hears === 0) begin
        if (begun == done) wrong[2] <= !wrong[2];
        else done <= begun;
        if (hasty) wrong[3] <= !wrong[3];
      end else begin
        if (begins != told) wrong[4] <= !wrong[4];
        begins <= !begins;
        chance = mixed(count * 256 + NUMBER);
        waits = NUMBER % 4 != 3 && chance % 4 != 0;
        if (waits) early <= !early;
        for (i = 0; i < 8; i = i + 1) begin
          #(4 * QUARTER);
          octet[i] = hears;
        end
        #(4 * QUARTER);
        if (hears !== 0) wrong[1] <= !wrong[1];
        heard <= octet;
        came <= !came;
        count <= count + 1;
      end
    end
  end

  // The others are not taken for a while now and then.
  always @(came)
    if (!waits) begin
      if (chance[4:2] == 0) repeat (1 + chance[31:8] % PAUSE) #(4 * QUARTER);
      late <= !late;
    end

  // Acknowledges go before bytes, and a byte goes when the last one was acknowledged.
  integer k;
  reg [10:0] packet;
  always
    if (!awake) begin
      #(4 * QUARTER * 32 + 2 * NUMBER + 1);
      awake <= 1;
      #(QUARTER);
    end else if (early ^ late ^ told) begin
      told <= !told;
      says <= 1;
      #(4 * QUARTER);
      says <= 0;
      #(4 * QUARTER);
    end else if (asks != begun) begin
      packet = {1'b0, data, 2'b11};
      for (k = 0; k < 11; k = k + 1) begin
        says <= packet[k];
        place <= k;
        if (k == 2) begun <= asks; // it cannot have been acknowledged before
        #(2 * QUARTER);
        if (!(SHORT && k == 10 && packet[2])) #(2 * QUARTER);
      end
      place <= 11;
    end else #(QUARTER);
endmodule
"""
).replace("@LAST@", str(len(FLAWS) - 1))
"""The module; a bench puts its own name into that of it."""
