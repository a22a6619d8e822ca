"""Two-phase routing on Borel Cayley graphs (two-phase-1995, Section IV)."""

from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.algebra.gcr import circulant_distances, computed_phase1
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Field, Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.routing.two_phase_words import balanced_tables, first_words
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.metacyclic import Metacyclic

LARGEST = 100_000_000
"""More entries than this are refused: 800 MB."""


class TwoPhase(Routing):
    """Phase I to the class of the destination, phase II along a stored word within the class.

    Phase I ends at a node that only the source and the class of the destination decide: the
    entry. So the source can look up the phase II word for its packet, and the one ROM of a router
    stands at its terminal port; on the way there is a table of the k classes and a shift. Or the
    source also computes how many links of each kind phase I takes, and the header counts them: then
    there is no table, and a class names no link.

    Nodes are named by their class c and by x = a^-c m, where m*q + c is the label. Between nodes
    of one class the a^-c (m_dst - m_cur) of Eq. (3) is then x_dst - x_cur, and the multiplication
    is done once, where the destination is named. The header carries the rest of the word, next
    letter lowest, with a 1 above the last letter; the word 1 is at its end.

    Parameters
    ----------
    topology : Metacyclic
    phase1 : "table" or "computed"
        The link to take at a class difference comes from a table, made from the distances d1(r);
        or the source computes the links by the corrected Table II. Lengths are the same.

    Attributes
    ----------
    first_link : (k,)
        The link to take first at class difference r; 0 at r = 0, where unused. The phase I table.
    table_ii : TableII
        For ``phase1="computed"``: m1 links A, A^-1 below 0, and then m2 links B or B^-1.
    words : (p,)
        The phase II table: the word from node 0 to m*q, coded as in the header.
    entry : (nodes, k)
        The x of the node at which phase I from a node to a class ends.
    d1, d2 : int
        The diameters D1 and D2 of the two phases.

    Raises
    ------
    ValueError
        If `topology` is no borel or metacyclic network or too large, an option is none of those,
        or phase I cannot be computed for these generators.
    """

    algorithm = "two-phase"
    families = ("borel", "metacyclic")
    phases = ("phase I", "phase II")
    symmetric = relative = True

    topology: Metacyclic

    def __init__(
        self,
        topology: Topology,
        *,
        phase1: Annotated[
            Literal["table", "computed"], Parameter("Where the first link of phase I comes from.")
        ] = "table",
        words: Annotated[
            Literal["balanced", "first"],
            Parameter("Which of equally short links and words the tables hold."),
        ] = "balanced",
    ) -> None:
        self.topology = topology = self._only(topology, Metacyclic)
        check_choices(TwoPhase, self.title, phase1=phase1, words=words)
        self.phase1 = phase1
        n, p, k = topology.nodes, topology.p, topology.k
        if n * k > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Two-phase routing needs at most {LARGEST} entries, one from each node to each "
                f"class, not n*k = {n}*{k} = {n * k}",
            )
        distance = circulant_distances(k, topology.shift)
        self.d1 = int(distance.max())
        self.header_cycles = 2 if phase1 == "table" else 3
        if phase1 == "table":
            links = distance[(np.arange(k)[:, None] - topology.shift) % k] < distance[:, None]
        else:
            t1, t2 = topology.shift[:2].tolist()
            self.table_ii = computed_phase1(k, t1, t2, self.d1)
            links = np.eye(4, dtype=np.bool_)[_next(*self.table_ii.pairs.T)[0]]
        if words == "balanced":
            self.first_link, letters = balanced_tables(topology, links)
        else:
            self.first_link, letters = links.argmax(axis=1), first_words(topology)
        self.d2 = max(map(len, letters))
        self.words = np.array(
            [sum(x << 2 * i for i, x in enumerate(w)) + (1 << 2 * len(w)) for w in letters]
        )
        self.entry = self._entry()

        c_width, x_width = bits(k), bits(p)
        m_width = self.d1.bit_length() + 1  # of a count with sign
        word = 1 + (c_width if phase1 == "table" else 2 * m_width)
        counts = {
            "m1": Field(1, m_width, "links A of phase I still to take; signed: below 0, A^-1"),
            "m2": Field(1 + m_width, m_width, "links B or B^-1 of phase I still to take"),
        }
        of = "" if phase1 == "table" else "from the terminal: "
        self.header = Layout(
            {
                "phase": Field(0, 1, "0 in phase I, 1 in phase II"),
                **({} if phase1 == "table" else counts),
                "c": Field(1, c_width, f"{of}class of the destination"),
                "word": Field(word, 2 * self.d2 + 1, "the links of phase II still to take, a 1"),
                "x": Field(1 + c_width, x_width, "from the terminal: a^-c m of the destination"),
            }
        )
        label = np.arange(n)
        c = label % k
        looked_up = range(k if phase1 == "table" else 0)
        straps = {"c": (c_width, "the node's class, j mod q", c)}
        for i in looked_up:
            what = f"phase I: the link to take to class {i}"
            straps[f"first{i}"] = 2, what, self.first_link[(i - c) % k]
        for i in range(k):
            straps[f"entry{i}"] = (
                x_width,
                f"x of the entry to class {i} from here",
                self.entry[:, i],
            )
        self.straps = Straps(straps)

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
        if self.phase1 == "computed":
            m1, m2 = np.moveaxis(self.table_ii.pairs[(goal - node) % k], -1, 0)
            for _ in range(self.d1):
                walking = (m1 != 0) | (m2 != 0)
                link, m1, m2 = _next(m1, m2)
                node = np.where(walking, self.topology.neighbour[node, link], node)
            return self._x(node)
        for _ in range(self.d1):
            r = (goal - node) % k
            node = np.where(r, self.topology.neighbour[node, self.first_link[r]], node)
        return self._x(node)

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        destination = np.asarray(destination)
        return self.header.pack(c=destination % self.topology.k, x=self._x(destination))

    @property
    def sent(self) -> tuple[str, ...]:
        """Return what names the destination, and the phase, which has to be 0."""
        return ("phase", "c", "x")

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Look up the word of phase II, and compute the links of phase I."""
        p, k = self.topology.p, self.topology.k
        phase, c, x = (self.header.cut(name, header) for name in ("phase", "c", "x"))
        error = (phase == 1) | (c >= k) | (x >= p)
        m = (x - self.entry[node, np.minimum(c, k - 1)]) % p  # Eq. (3)
        first = {"c": c}
        if self.phase1 == "computed":
            mask = (1 << self.header["m1"].width) - 1  # two's complement
            m1, m2 = np.moveaxis(self.table_ii.pairs[(c - node) % k] & mask, -1, 0)
            first = {"m1": m1, "m2": m2}
        return self.header.join(**first, word=self.words[m]), error.astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide as in Section IV: by the class in phase I, by the word in phase II."""
        if self.phase1 == "computed":
            return self._by_counts(header)
        phase, c, word = (self.header.cut(name, header) for name in ("phase", "c", "word"))
        r = (c - node) % self.topology.k
        walking = (phase == 0) & (r != 0)
        port, rest = self._take(walking, self.first_link[r], word)
        onward = self.header.join(phase=(~walking).astype(np.int64), c=c, word=rest)
        return Decision(port, onward, (c >= self.topology.k).astype(np.int64))

    def _by_counts(self, header: IntArray) -> Decision:
        """Decide by the links of phase I that are left, then by the word; no class is needed."""
        field = self.header["m1"]
        most = 1 << field.width
        m1, m2, word = (self.header.cut(name, header) for name in ("m1", "m2", "word"))
        m1, m2 = ((m ^ most >> 1) - (most >> 1) for m in (m1, m2))
        walking = (m1 != 0) | (m2 != 0)
        link, m1, m2 = _next(m1, m2)
        port, rest = self._take(walking, link, word)
        phase = (~walking).astype(np.int64)
        onward = self.header.join(phase=phase, m1=m1 % most, m2=m2 % most, word=rest)
        return Decision(port, onward, np.zeros_like(header))

    def _take(
        self, walking: BoolArray, link: IntArray, word: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the port, `link` in phase I, and what it leaves of the word."""
        arrived = ~walking & (word <= 1)
        port = np.where(arrived, self.topology.local, np.where(walking, link, word & 3))
        return port, np.where(walking, word, word >> 2)

    def phase(self, header: IntArray) -> IntArray:
        return self.header.cut("phase", header)

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: phase II with nothing left of it."""
        c = "as sent" if self.phase1 == "table" else "undefined"
        done = {"phase": "1", "m1": "0", "m2": "0", "c": c, "word": "0"}
        return {name: done.get(name, "undefined") for name in self.header}

    def constants(self) -> dict[str, object]:
        """Return D1 and D2, the diameters of the phases."""
        return {"D1": self.d1, "D2": self.d2}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the phase I table and of the phase II ROM: O(k) and O(p)."""
        words = {"phase II": self.header["word"].width * self.topology.p}
        if self.phase1 == "computed":
            return words
        return {"phase I": 2 * self.topology.k, **words}


def _next(m1: IntArray, m2: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the link to take next, and what is left then: all of m1 comes before m2."""
    first = m1 != 0
    link = np.where(first, 0, 1) + 2 * np.where(first, m1 < 0, m2 < 0)
    return link, m1 - np.sign(m1), np.where(first, m2, m2 - np.sign(m2))
