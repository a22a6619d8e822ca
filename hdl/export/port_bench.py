"""A test bench in plain Verilog for the bare OS-Link port: two of them, back to back."""

from collections.abc import Mapping

from fingerpost.golden.link.os_link import ERRORS
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.hdl.export.constraints import PERIOD

__all__ = ["filled", "port_bench"]

OFTEN = 64
"""Bit times with a slot of 12 in which an acknowledge comes, with the pauses of the bench."""

SIDES = """  reg clk_a = 0, clk_b = 0, rst = 1, in_a = 0, in_b = 0;
  wire out_a, out_b;
  always #@HALF@ clk_a = !clk_a;
  always #@SLOW@ clk_b = !clk_b;
  initial #@RESET@ rst = 0; // of neither clock

  always @(out_a) in_b <= #7.3 out_a;
  always @(out_b) in_a <= #7.3 out_b;
  @NAME@_testbench_side #(.BYTES(BYTES), .SENDS(1), .GETS(90)) a(
    .clk(clk_a), .rst(rst), .link_in(in_a), .link_out(out_a));
  @NAME@_testbench_side #(.BYTES(BYTES), .SENDS(90), .GETS(1)) b(
    .clk(clk_b), .rst(rst), .link_in(in_b), .link_out(out_b));
"""
"""Two ports, their clocks, and the wires between them; marks stand for what `filled` knows."""

BODY = """// Two ports back to back, on clocks 1 % apart; the last line begins with PASS or FAIL.
// In Icarus: @COMMAND@
`timescale 1ns/1ps

// A port, what it sends with pauses, and what it must get.
module @NAME@_testbench_side(input clk, input rst, input link_in, output link_out);
  parameter BYTES = 64, SENDS = 0, GETS = 0;
  reg [7:0] tx_data = 0;
  reg tx_valid = 0, rx_ready = 0;
  wire tx_ready, rx_valid, tx_done, idle;
  wire [7:0] rx_data;
  wire [@LAST@:0] errors;
  integer taken = 0, done = 0, got = 0, wrong = 0, seed = SENDS;

  @NAME@ port(
    .clk(clk), .rst(rst), .link_in(link_in), .link_out(link_out),
    .s_axis_tdata(tx_data), .s_axis_tvalid(tx_valid), .s_axis_tready(tx_ready),
    .m_axis_tdata(rx_data), .m_axis_tvalid(rx_valid), .m_axis_tready(rx_ready),
    .err_frame(), .err_ack(), .err_window(), .err_over(), .err_timeout(), .link_break(),
    .clear_errors(1'b0), .tx_done(tx_done), .errors(errors), .idle(idle)@BREAK@
  );

  always @(posedge clk)
    if (!rst) begin
      if (tx_valid && tx_ready) taken = taken + 1;
      if (!tx_valid || tx_ready) begin // a byte that is offered stays until it is taken
        tx_valid <= taken < BYTES && $random(seed) % 4 != 0;
        tx_data <= SENDS + 73 * taken;
      end
      if (tx_done) done = done + 1;
      rx_ready <= $random(seed) % 4 == 0;
      if (rx_valid && rx_ready) begin
        if (rx_data !== ((GETS + 73 * got) & 255)) wrong = wrong + 1;
        got = got + 1;
      end
    end

  wire complete = taken == BYTES && done == BYTES && got == BYTES && idle;
  wire faulty = wrong != 0 || got > BYTES || (errors & @WATCHED@) !== 0;
endmodule

module @NAME@_testbench;
  localparam BYTES = 64, BIT = @N@; // clocks in a bit time
  localparam LIMIT = BYTES * BIT * @LIMIT@;
@SIDES@
  integer cycle = 0, calm = 0;

  always @(posedge clk_a) begin
    cycle = cycle + 1;
    calm = a.complete && b.complete ? calm + 1 : 0;
    if (cycle == LIMIT || calm == 100 * BIT) begin
      if (calm && !a.faulty && !b.faulty)
        $display("PASS: %0d bytes each way, %0d cycles", BYTES, cycle);
      else
        $fatal(1, "FAIL: %0d and %0d of %0d bytes came, %0d wrong, %0d and %0d told, errors %b %b",
          a.got, b.got, BYTES, a.wrong + b.wrong, a.done, b.done, a.errors, b.errors);
      $finish;
    end
  end
endmodule
"""


def port_bench(name: str, parameters: OsLinkParameters) -> str:
    """Return a bench that sends bytes both ways, and tells whether all came and none was changed.

    Parameters
    ----------
    name : str
        Of the module.
    parameters : OsLinkParameters
        Of the port.
    """
    parts: dict[str, str | int] = {
        "LAST": len(ERRORS) - 1,
        "BREAK": ", .tx_break(1'b0)" if parameters.breaks else "",
    }
    return filled(BODY, name, parameters, parts)


def filled(
    body: str, name: str, parameters: OsLinkParameters, parts: Mapping[str, str | int]
) -> str:
    """Return a bench of two ports with its marks filled in: `parts`, and what all benches have."""
    command = f"iverilog -g2005 -s {name}_testbench -o bench {name}.v {name}_testbench.v"
    every: dict[str, str | int] = {
        "SIDES": SIDES.rstrip(),
        "COMMAND": f"{command} && vvp -n bench",
        "NAME": name,
        "N": parameters.clocks_per_bit,
        "LIMIT": 2 * max(OFTEN, 6 * parameters.slot),
        "WATCHED": f"{len(ERRORS)}'b{watched(parameters):0{len(ERRORS)}b}",
        "HALF": f"{PERIOD / 2:.3f}",
        "SLOW": f"{1.01 * PERIOD / 2:.3f}",
        "RESET": f"{5.3 * PERIOD:.3f}",
    }
    for mark, part in (every | dict(parts)).items():
        body = body.replace(f"@{mark}@", str(part))
    return body


def watched(parameters: OsLinkParameters) -> int:
    """Return the errors that must not come, a bit each.

    With breaks the head of the first one may look like a byte, and a time-out may be shorter than a
    peer takes that is in no hurry: neither counts.
    """
    counts = dict.fromkeys(ERRORS, True)
    counts["err_frame"] = counts["link_break"] = not parameters.breaks
    counts["err_timeout"] = parameters.timeout >= max(OFTEN, 6 * parameters.slot)
    return sum(on << place for place, on in enumerate(counts.values()))
