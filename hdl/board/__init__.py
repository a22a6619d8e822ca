"""A network alone on a board: something sends and checks at every terminal, and tells by UART."""

from hdl.board.files import LEDS, REPORT, board_verilog

__all__ = ["LEDS", "REPORT", "board_verilog"]
