"""Positions of nodes on the tiles of a chip, and the wires that links need between them."""

from fingerpost.golden.placement.positions import POSITIONS, positions_of
from fingerpost.golden.placement.wires import Wires, lengths, wires

__all__ = ["POSITIONS", "Wires", "lengths", "positions_of", "wires"]
