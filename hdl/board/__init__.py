"""A network alone on a board: something sends and checks at every terminal, and tells by UART."""

from fingerpost.hdl.board.files import LEDS, REPORT, board_verilog
from fingerpost.hdl.board.node import Cable, cables, node_board_verilog

__all__ = ["LEDS", "REPORT", "Cable", "board_verilog", "cables", "node_board_verilog"]
