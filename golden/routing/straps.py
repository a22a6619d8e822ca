"""Straps: the constants of a node's hardware."""

from collections.abc import Mapping

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout


class Straps(Layout):
    """Named fields of a word that is another constant at every node.

    Parameters
    ----------
    straps : mapping of name to (width, meaning, values)
        Laid out one after the other; the values are those of all nodes, shape (nodes,).

    Raises
    ------
    ValueError
        If a value does not fit into its field.
    """

    def __init__(self, straps: Mapping[str, tuple[int, str, IntArray]]) -> None:
        laid_out = {name: (width, meaning) for name, (width, meaning, _) in straps.items()}
        super().__init__(Layout.sequence(**laid_out))
        self._values = {name: values for name, (_, _, values) in straps.items()}
        for name, values in self._values.items():
            least, most = int(values.min()), int(values.max())
            if least < 0 or most >> self[name].width:
                raise ValueError(
                    f"Strap {name} needs values of {self[name].width} bits, "
                    f"not {least if least < 0 else most}"
                )

    def value(self, name: str) -> IntArray:
        """Return what a strap is at every node; shape (nodes,)."""
        return self._values[name]

    def at(self, node: int) -> int:
        """Return the word of one node, which may be too wide for an array."""
        return sum(int(values[node]) << self[name].offset for name, values in self._values.items())
