"""A network on a board: a source and a checking sink at every terminal, reports by UART."""

from fingerpost.hdl.board.files import (
    LEDS,
    REPORT,
    Cable,
    board_verilog,
    cables,
    node_board_verilog,
)

__all__ = ["LEDS", "REPORT", "Cable", "board_verilog", "cables", "node_board_verilog"]
