"""Optimal routing in rotator graphs (Corbett 1992, as super-rotator-1996 needs it)."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.rotator import Rotator


def places(letters: IntArray) -> IntArray:
    """Return the place of every letter 0.. in labels of shape (..., letters)."""
    return np.argsort(letters, axis=-1)


def renamed(place: IntArray, letters: IntArray) -> IntArray:
    """Return the label `letters` with every letter named by its place in the destination.

    The destination itself becomes 0, 1, 2...
    """
    return np.take_along_axis(place, letters, axis=-1)


def is_permutation(label: IntArray) -> BoolArray:
    """Return which labels hold each of 0.. once."""
    seen: BoolArray = np.bitwise_or.reduce(1 << label, axis=-1) == (1 << label.shape[-1]) - 1
    return seen


def rotation(label: IntArray) -> tuple[IntArray, IntArray]:
    """Return k and l of renamed labels: k letters are still to be moved, first by rotating l.

    The longest increasing suffix S, after the first k letters, is in order already. The first
    letter goes to its place in S, or behind the others that wait: l = k + #{s in S: s < p_0}.
    Without letters to move k = 0.
    """
    place = np.arange(label.shape[-1])
    descends = label[..., :-1] > label[..., 1:]
    k: IntArray = np.where(descends, place[1:], 0).max(axis=-1)
    smaller = (label < label[..., :1]) & (place >= k[..., None])
    return k, k + smaller.sum(axis=-1)


class LongestSuffix(Routing):
    """Rotate the first letter into the longest suffix that is in the destination's order.

    Every hop moves one of the k letters before that suffix for good, so k is the distance. The
    header says at which place of the destination each letter stands; it never changes. A node
    renames its own letters by it, which in hardware is one multiplexer a letter.

    Parameters
    ----------
    topology : Rotator

    Raises
    ------
    ValueError
        If `topology` is no rotator network.
    """

    algorithm = "rotator"
    families = ("rotator",)

    topology: Rotator

    def __init__(self, topology: Topology) -> None:
        self.topology = topology = self._only(topology, Rotator)
        n, width = topology.n, bits(topology.n)
        self.letters = topology.labels - 1
        self.header = Layout.sequence(
            **{
                f"place{a}": (width, f"place of letter {a + 1} in the destination")
                for a in range(n)
            }
        )
        self.straps = Straps(
            {
                f"letter{t}": (width, f"the letter at place {t} of its label", self.letters[:, t])
                for t in range(n)
            }
        )

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the places of the letters in `destination`; the source does not matter."""
        place = places(self.letters[np.asarray(destination)])
        return self.header.pack(**{f"place{a}": place[..., a] for a in range(self.topology.n)})

    def _places(self, header: IntArray) -> IntArray:
        return np.stack([self.header.cut(name, header) for name in self.header], axis=-1)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Refuse what is no permutation."""
        return header, (~is_permutation(self._places(header))).astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide by the longest increasing suffix of the renamed label."""
        k, length = rotation(renamed(self._places(header), self.letters[node]))
        port = np.where(k == 0, self.topology.local, length - 2)
        return Decision(port, header, np.zeros_like(header))
