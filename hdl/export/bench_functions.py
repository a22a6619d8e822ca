"""Functions that several benches in plain Verilog have."""

__all__ = ["AWAITED", "MIXED", "TERMINAL", "TERMINAL_TABLES"]

MIXED = """
  // A number made of another, as if by chance: of it are data, pauses, and what is taken.
  function [31:0] mixed(input [31:0] number);
    begin
      mixed = number * 32'h9e3779b1;
      mixed = (mixed ^ mixed >> 15) * 32'h85ebca77;
      mixed = mixed ^ mixed >> 13;
    end
  endfunction
"""

TERMINAL = "  integer n, terminal [0:(1 << NUMBER)-1];"
"""The table of which terminal has a number of `NUMBER` bits, for `AWAITED`."""

TERMINAL_TABLES = (
    "for (n = 0; n < 1 << NUMBER; n = n + 1) terminal[n] = -1;",
    "for (n = 0; n < TERMINALS; n = n + 1) terminal[node[n]] = n;",
)
"""Statements that fill it."""

AWAITED = """
  // The packet from a node to terminal `to`, of which there is but one; -1: none was sent.
  function integer awaited(input [NUMBER-1:0] from, input integer to);
    integer step;
    begin
      step = (to - 1 - terminal[from] + 2 * TERMINALS) % TERMINALS;
      awaited = terminal[from] < 0 || step % STRIDE != 0 || step / STRIDE >= EACH
        ? -1 : terminal[from] * EACH + step / STRIDE;
    end
  endfunction
"""
