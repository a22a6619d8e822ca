"""Two-phase routing on Borel Cayley graphs (two-phase-1995, Section IV)."""

from typing import Literal

import numpy as np

from golden.arrays import IntArray
from golden.header import Field, Layout, bits
from golden.routing.base import Decision, Routing
from golden.topology.base import Topology
from golden.topology.borel import Borel

__all__ = ["TwoPhase", "circulant_distances", "computed_phase1", "shortest_words"]

COLUMNS = 4
"""Links of a Borel graph: two bits name one, so a letter of a word is two bits."""

LARGEST = 100_000_000
"""More entries than this are refused: 800 MB."""


def circulant_distances(k: int, shift: IntArray) -> IntArray:
    """Return d1(r), the hops from class 0 to class r in the circulant C_k(+-t1, +-t2)."""
    distance = np.full(k, -1)
    distance[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = np.unique((frontier[:, None] + shift) % k)
        depth = distance[frontier[0]] + 1
        frontier = reached[distance[reached] < 0]
        distance[frontier] = depth
    return distance


def computed_phase1(k: int, t1: int, t2: int, d1: int) -> IntArray:
    """Return (m1, m2) with m1 t1 + m2 t2 = r mod k and least |m1| + |m2|, for every r.

    Table II as corrected: no table is needed in the node, O(D1^2) steps are. Shape (k, 2).

    Raises
    ------
    ValueError
        If t1 or t2 is 0: the computation divides by both.
    """
    if 0 in (t1, t2):
        raise ValueError(f"Phase I can be computed only for t1, t2 != 0, not ({t1}, {t2})")
    hi, lo = max(t1, t2), min(t1, t2)
    turns = d1 * hi // k + d1 * lo // k  # l1 + l2
    quotient = d1 * lo // hi  # Q
    turn, extra = np.meshgrid(np.arange(turns + 1), np.arange(-quotient - 1, quotient + 1))
    best = np.zeros((k, 2), dtype=np.int64)
    for r in range(1, k):
        candidates = []
        for sign, u in ((1, r + turn * k), (-1, (turn + 1) * k - r)):
            m1 = u // hi - extra
            m2, rest = np.divmod(u - m1 * hi, lo)
            candidates.append(sign * np.stack([m1, m2], axis=-1)[rest == 0])
        pairs = np.concatenate(candidates)
        best[r] = pairs[np.abs(pairs).sum(axis=1).argmin()]
    return best if t1 >= t2 else best[:, ::-1]


def shortest_words(borel: Borel) -> list[list[int]]:
    """Return for every m in 0..p-1 the lexicographically first shortest word from 0 to m*q.

    A word is a list of ports, its letters in the order A < B < A^-1 < B^-1. (Fig. 2)
    """
    # Breadth first, parents in the order of their words, letters in order: the first word that
    # reaches a node is the least of the shortest ones.
    parent = np.full(borel.nodes, -1)
    letter = np.zeros(borel.nodes, dtype=np.int64)
    parent[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = borel.neighbour[frontier].ravel()
        new, first = np.unique(reached, return_index=True)
        fresh = parent[new] < 0
        first = np.sort(first[fresh])
        frontier, source = reached[first], frontier[first // COLUMNS]
        parent[frontier] = source
        letter[frontier] = first % COLUMNS
    words = []
    for m in range(borel.p):
        word, node = [], m * borel.k
        while node:
            word.append(int(letter[node]))
            node = int(parent[node])
        words.append(word[::-1])
    return words


class TwoPhase(Routing):
    """Phase I to the class of the destination, phase II along a stored word within the class.

    Phase I ends at a node that only the source and the class of the destination decide: the
    entry. So the source can look up the phase II word for its packet, and the one ROM of a router
    stands at its terminal port; on the way there is a table of the k classes and a shift.

    Nodes are named by their class c and by x = a^-c m, where m*q + c is the label. Between nodes
    of one class the a^-c (m_dst - m_cur) of Eq. (3) is then x_dst - x_cur, and the multiplication
    is done once, where the destination is named. The header carries the rest of the word, next
    letter lowest, with a 1 above the last letter; the word 1 is at its end.

    Parameters
    ----------
    topology : Borel
    phase1 : "table" or "computed"
        Where the first link for a class difference comes from: the distances d1(r), or the
        corrected Table II. Lengths are the same; only the table is hardware.

    Attributes
    ----------
    first_link : (k,)
        The phase I table: the link to take at class difference r; 0 at r = 0, where unused.
    words : (p,)
        The phase II table: the word from node 0 to m*q, coded as in the header.
    entry : (nodes, k)
        The x of the node at which phase I from a node to a class ends.
    d1, d2 : int
        The diameters D1 and D2 of the two phases.
    """

    algorithm = "two-phase"
    families = ("borel",)
    phases = ("phase I", "phase II")
    launch_cycles = 2

    topology: Borel

    def __init__(
        self, topology: Topology, *, phase1: Literal["table", "computed"] = "table"
    ) -> None:
        if topology.family not in self.families or not isinstance(topology, Borel):
            raise ValueError(f"Two-phase routing needs a borel network, not {topology.family}")
        if phase1 not in ("table", "computed"):
            raise ValueError(f"Two-phase routing needs phase1 table or computed, not {phase1!r}")
        self.topology, self.phase1 = topology, phase1
        n, p, k = topology.nodes, topology.p, topology.k
        if n * k > LARGEST:
            raise ValueError(
                f"Two-phase routing needs at most {LARGEST} entries, one from each node to each "
                f"class, not n*k = {n}*{k} = {n * k}"
            )
        distance = circulant_distances(k, topology.shift)
        self.d1 = int(distance.max())
        if phase1 == "table":
            nearer = distance[(np.arange(k)[:, None] - topology.shift) % k] < distance[:, None]
            self.first_link = nearer.argmax(axis=1)
        else:
            t1, t2 = topology.shift[:2].tolist()
            m1, m2 = computed_phase1(k, t1, t2, self.d1).T
            self.first_link = np.where(
                m1 > 0, 0, np.where(m2 > 0, 1, np.where(m1 < 0, 2, np.where(m2 < 0, 3, 0)))
            )
        letters = shortest_words(topology)
        self.d2 = max(map(len, letters))
        self.words = np.array(
            [sum(x << 2 * i for i, x in enumerate(w)) + (1 << 2 * len(w)) for w in letters]
        )
        self.entry = self._entry()

        c_width, x_width = bits(k), bits(p)
        word = 1 + c_width
        self.header = Layout(
            {
                "phase": Field(0, 1, "0 in phase I, 1 in phase II"),
                "c": Field(1, c_width, "class of the destination"),
                "word": Field(word, 2 * self.d2 + 1, "the links of phase II still to take, a 1"),
                "x": Field(word, x_width, "from the terminal: a^-c m of the destination"),
            }
        )
        label = np.arange(n)
        c = label % k
        self.straps = Layout.sequence(
            c=(c_width, "the node's class, j mod q"),
            **{f"first{i}": (2, f"phase I: the link to take to class {i}") for i in range(k)},
            **{f"entry{i}": (x_width, f"x of the entry to class {i} from here") for i in range(k)},
        )
        self.strap_values = {
            "c": c,
            **{f"first{i}": self.first_link[(i - c) % k] for i in range(k)},
            **{f"entry{i}": self.entry[:, i] for i in range(k)},
        }

    def _x(self, label: IntArray) -> IntArray:
        """Return a^-c m mod p of the node m*q + c."""
        m, c = np.divmod(label, self.topology.k)
        x: IntArray = self.topology.power[-c % self.topology.k] * m % self.topology.p
        return x

    def _entry(self) -> IntArray:
        """Walk phase I from every node to every class."""
        n, k = self.topology.nodes, self.topology.k
        goal = np.arange(k)
        node = np.repeat(np.arange(n)[:, None], k, axis=1)
        for _ in range(self.d1):
            r = (goal - node) % k
            node = np.where(r, self.topology.neighbour[node, self.first_link[r]], node)
        return self._x(node)

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return what the terminal sends to name `destination`; the source does not matter."""
        del source
        destination = np.asarray(destination)
        return self.header.pack(c=destination % self.topology.k, x=self._x(destination))

    def launch(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Look up the word of phase II."""
        p, k = self.topology.p, self.topology.k
        phase, c, x = (self.header.get(name, header) for name in ("phase", "c", "x"))
        error = (phase == 1) | (c >= k) | (x >= p)
        m = (x - self.entry[node, np.minimum(c, k - 1)]) % p  # Eq. (3)
        return self.header.pack(c=c, word=self.words[m]), error.astype(np.int64)

    def decide(
        self, node: IntArray, arrival: IntArray, header: IntArray, hint: IntArray | None = None
    ) -> Decision:
        """Decide as in Section IV: by the class in phase I, by the word in phase II."""
        del hint
        node, header = np.asarray(node), np.asarray(header)
        source = np.asarray(arrival) == self.topology.local
        launched, refused = self.launch(node, header)
        header = np.where(source, launched, header)
        phase, c, word = (self.header.get(name, header) for name in ("phase", "c", "word"))
        error = (source & (refused == 1)) | (c >= self.topology.k)

        r = (c - node) % self.topology.k
        walking = (phase == 0) & (r != 0)
        arrived = ~walking & (word <= 1)
        port = np.where(walking, self.first_link[r], word & 3)
        port = np.where(arrived, self.topology.local, port)
        rest = np.where(walking | arrived, word, word >> 2)
        onward = self.header.pack(phase=(~walking).astype(np.int64), c=c, word=rest)
        return Decision(port, onward, error.astype(np.int64))

    def phase(self, header: IntArray) -> IntArray:
        """Return 0 in phase I, 1 in phase II."""
        return self.header.get("phase", header)

    def constants(self) -> dict[str, object]:
        """Return D1 and D2, the diameters of the phases."""
        return {"D1": self.d1, "D2": self.d2}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the phase I table and of the phase II ROM: O(k) and O(p)."""
        return {
            "phase I": 2 * self.topology.k,
            "phase II": self.header["word"].width * self.topology.p,
        }
