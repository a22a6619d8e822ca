"""Shortest paths in Kautz graphs, by the longest overlap of two words."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.digraphs import Kautz


def overlap(word: IntArray, goal: IntArray) -> IntArray:
    """Return the length of the longest suffix of `word` that is a prefix of `goal`.

    Both have shape (..., letters).
    """
    letters = word.shape[-1]
    longest = np.zeros(word.shape[:-1], np.int64)
    for k in range(1, letters + 1):
        same = (word[..., letters - k :] == goal[..., :k]).all(axis=-1)
        longest = np.where(same, k, longest)
    return longest


class Shift(Routing):
    """Append the letter of the destination that follows the longest overlap.

    Let k be the largest number such that the last k letters of a node are the first k of the
    destination. Then the distance is D - k, and there is one shortest path. The header is the word
    of the destination; it never changes.

    Parameters
    ----------
    topology : Kautz

    Raises
    ------
    ValueError
        If `topology` is no Kautz network.
    """

    algorithm = "shift"
    symmetric = True
    families = ("kautz",)

    topology: Kautz

    def __init__(self, topology: Topology) -> None:
        self.topology = topology = self._only(topology, Kautz)
        width, letters = bits(topology.degree + 1), range(topology.diameter)
        self.header = Layout.sequence(
            **{f"letter{t}": (width, f"letter {t} of the destination") for t in letters}
        )
        self.straps = Straps(
            {
                f"letter{t}": (width, f"letter {t} of the node", topology.labels[:, t])
                for t in letters
            }
        )

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the word of `destination`; the source does not matter."""
        word = self.topology.labels[np.asarray(destination)]
        return self.header.pack(**{name: word[..., t] for t, name in enumerate(self.header)})

    def _word(self, header: IntArray) -> IntArray:
        return np.stack([self.header.cut(name, header) for name in self.header], axis=-1)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Refuse other letters, and equal neighbours."""
        word = self._word(header)
        strange = (word > self.topology.degree).any(axis=-1)
        equal = (word[..., 1:] == word[..., :-1]).any(axis=-1)
        return header, (strange | equal).astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide by the longest overlap."""
        word, goal = self.topology.labels[node], self._word(header)
        k = overlap(word, goal)
        following = np.minimum(k, self.topology.diameter - 1)[..., None]
        letter = np.take_along_axis(goal, following, axis=-1)[..., 0]
        port = (letter - word[..., -1] - 1) % (self.topology.degree + 1)
        port = np.where(k == self.topology.diameter, self.topology.local, port)
        return Decision(port, header, np.zeros_like(header))
