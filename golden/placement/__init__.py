"""Where nodes are: on the tiles of a chip, with the wires that links need; and on boards."""

from fingerpost.golden.placement.boards import boards_of
from fingerpost.golden.placement.partition import links_between
from fingerpost.golden.placement.positions import POSITIONS, positions_of
from fingerpost.golden.placement.wires import Wires, lengths, wires

__all__ = ["POSITIONS", "Wires", "boards_of", "lengths", "links_between", "positions_of", "wires"]
