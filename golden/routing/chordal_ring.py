"""Chordal-ring routing on Borel Cayley graphs (two-phase-1995, Section V).

Its labels are CR representations: Borel graphs drawn around a Hamiltonian cycle (Section II). Their
construction is in the authors' third paper [3], which is not at hand; this one gives the CR
constants of Table I and all CR figures of Tables III and IV.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from math import gcd
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.metacyclic import Borel, Element


def _word(borel: Borel) -> list[int]:
    """Return a Hamiltonian word: the links of one turn through all classes, as ports."""
    A, B, k = 0, 1, borel.k
    t1, t2 = borel.shift[:2].tolist()
    if t1 != 0 and (t2 == 0 or gcd(t1, k) != 1):
        A, B, t1, t2 = B, A, t2, t1
    if t1 == 0:  # then t2 has an inverse: the graph is connected
        return [A] * (borel.p - 1) + [B]
    if gcd(t1, k) != 1:
        raise ParameterError(
            "algorithm",
            f"Chordal ring needs a generator with gcd(t, k) = 1, not t = {t2} and {t1} for k = {k}",
        )
    s = t2 * pow(t1, -1, k) % k
    return [B] + [A] * (k - s - 1) + [B] + [A + 2] * (s - 1)


class Ring:
    """The CR representation of a Borel graph: every node has links +1, -1 and two chords.

    A Hamiltonian word w of q links has the product T, and its proper prefixes the products a_i:
    one node of each class. Node T^m a_i has the CR label m*q + i. Left multiplication by T is a
    symmetry, so where a link leads, relative to the label, depends on the class i only.

    Parameters
    ----------
    borel : Borel

    Attributes
    ----------
    word : (q,)
        The ports of w. Node v + 1 is behind port `word[v % q]` of node v.
    q : int
        The number of classes: k, or p if a generator has t = 0 (Table I).
    T : Element
        The transform element, of order n/q.
    node : (n,)
        The node (its GCR label) that has each CR label.
    label : (n,)
        The CR label of each node.
    orbit : (n,)
        The class of each node. The orbits of the topology can be others: T need not be (0, y).
    links : (q, 4)
        The ports of the links gamma, lambda, +1, -1 at each class. The chords gamma and lambda
        come in the order A, A^-1, B, B^-1.
    constants : (q, 4)
        What these links add to a CR label, in 0..n-1: node v is joined to v + constants[v % q].

    Raises
    ------
    ValueError
        If no generator has a t that is prime to k.
    """

    def __init__(self, borel: Borel) -> None:
        self.borel = borel
        self.word: IntArray = np.array(_word(borel))
        self.q = len(self.word)
        prefix = [(0, 0)]
        for port in self.word:
            prefix.append(borel.multiply(prefix[-1], borel.generators[port]))
        self.T: Element = prefix.pop()
        self.node = self._nodes(np.array(prefix))
        self.label = np.argsort(self.node)
        self.orbit = self.label % self.q

        before = (np.roll(self.word, 1) + 2) % 4  # the inverse of the link that led here
        chords = [
            [port for port in (0, 2, 1, 3) if port not in ring]
            for ring in zip(self.word.tolist(), before.tolist(), strict=True)
        ]
        self.links = np.column_stack([np.array(chords), self.word, before])
        i = np.arange(self.q)
        ends = self.label[borel.neighbour[self.node[i, None], self.links]]
        self.constants: IntArray = (ends - i[:, None]) % borel.nodes

    def _nodes(self, a: IntArray) -> IntArray:
        """Return T^m a_i for m = 0..n/q-1 and i = 0..q-1, flat: by CR label."""
        p, k, power = self.borel.p, self.borel.k, self.borel.power
        turns = [(0, 0)]
        while len(turns) * self.q < self.borel.nodes:
            turns.append(self.borel.multiply(turns[-1], self.T))
        t, y = np.array(turns).T[:, :, None]
        node: IntArray = (y + power[t] * a[:, 1]) % p * k + (t + a[:, 0]) % k
        return node.ravel()

    def signed_chords(self) -> IntArray:
        """Return gamma and lambda of each class in -n/2..n/2, as Table I prints; shape (q, 2)."""
        chords, n = self.constants[:, :2], self.borel.nodes
        return np.where(chords > n // 2, chords - n, chords)


LARGEST = 20_000_000
"""More states than this are refused: 160 MB for each array of them."""


def sectors(ends: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return which of `ends` is nearest to each way 0..n-1 around a ring of n nodes.

    Of two that are equally near the earlier one in `ends` wins. The answer is a list of places
    in the ring, the first of them 0, and the index of the end that is nearest from there on.
    """
    end, index = np.unique(ends, return_index=True)
    after = np.roll(index, -1)
    gap = np.diff(end, append=end[0] + n)
    start = (end + (gap + 1 + (index < after)) // 2) % n
    order = np.argsort(start)
    start, after = start[order], after[order]
    if start[0] != 0:
        start, after = np.append(0, start), np.append(after[-1], after)
    return start, after


class ChordalRing(Routing):
    """One hop towards the node within `lookahead` hops that is nearest around the ring.

    The header is the CR label of the destination; what a node does depends on its class and on
    the way to go, the difference of the labels modulo n. The nodes within reach cut the ring
    into sectors, and in each sector one link is right: a router holds where sectors start, and
    the links. That is all of the search, done beforehand.

    Parameters
    ----------
    topology : Borel
    lookahead : int
        The distance d, 1..4, within which a node searches.
    rule : "safe" or "paper"
        Which link leads to the nearest node, and which of equally near nodes is chosen.

        safe
            Breadth first, so by shortest paths, and of two nodes the one fewer hops away. Every
            packet is delivered: after a hop the node that was headed for is still within reach
            and fewer hops away, and once there a neighbour on the ring is nearer still.
        paper
            The rule of Tables III and IV: depth first, over all walks without a step back, and
            never back to where the packet came from. Packets can go in circles for d >= 3.

    Attributes
    ----------
    ring : Ring
    sector_starts, sector_links : (rows, sectors)
        The first way to go of every sector, and the port that is right there. A row is a class,
        or for the rule of the paper (class, port of arrival), flat. Short rows repeat the last
        sector.

    Raises
    ------
    ValueError
        If the network has no chordal ring, or the rule of the paper does not deliver all packets.
    """

    algorithm = "chordal-ring"
    families = ("borel",)

    topology: Borel

    def __init__(
        self,
        topology: Topology,
        *,
        lookahead: Annotated[
            int, Parameter("Hops that a node looks ahead, d.", minimum=1, maximum=4)
        ] = 2,
        rule: Annotated[
            Literal["safe", "paper"],
            Parameter("safe: always delivers; paper: as the paper's tables were made."),
        ] = "safe",
    ) -> None:
        self.topology = topology = self._only(topology, Borel)
        check_choices(ChordalRing, self.title, rule=rule)
        if lookahead not in (1, 2, 3, 4):
            raise ParameterError(
                "lookahead", f"Chordal-ring routing needs lookahead in 1..4, not {lookahead!r}"
            )
        self.lookahead, self.rule = lookahead, rule
        self.ring = Ring(topology)
        n, q = topology.nodes, self.ring.q
        self.cases = 1 if rule == "safe" else topology.degree + 1  # ports of arrival that matter
        if self.cases * q * n > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Chordal-ring routing needs at most {LARGEST} states, the ways to go in each "
                f"class, not {self.cases}*{q}*{n} = {self.cases * q * n}",
            )
        rows = list(self._rows())
        longest = max(len(start) for start, _ in rows)
        self.sector_starts, self.sector_links = (
            np.stack([np.pad(part, (0, longest - len(part)), "edge") for part in parts])
            for parts in zip(*rows, strict=True)
        )
        # All rows in one ascending list: the place of a row and a way to go is its sector.
        self._places = (np.arange(len(rows))[:, None] * n + self.sector_starts).ravel()
        if rule == "paper" and (lost := self._lost()):
            raise ParameterError(
                "rule",
                f"Chordal-ring routing needs rule safe here, not paper: with lookahead "
                f"{lookahead} that rule sends {lost} of {n * (n - 1)} packets in circles",
            )

        self.header = Layout.sequence(destination=(bits(n), "the CR label of the destination"))

    @property
    def orbit(self) -> IntArray:
        """Return the classes of the ring: T takes routes to routes; other symmetries do not."""
        return self.topology.alike(self.ring.orbit)

    @cached_property
    def straps(self) -> Straps:  # type: ignore[override]
        """Return the CR label, and the sectors of the class, for each port of arrival.

        Straps ``start<c>_<j>`` and ``change<c>_<j>`` describe sector j; for the rule of the paper
        c is the port of arrival, else 0. The right link is the XOR of the changes at all starts
        up to the distance to go, so sectors need no comparison with their end.
        """
        before = np.roll(self.sector_links, 1, axis=1)
        before[:, 0] = 0
        width = bits(self.topology.nodes)
        straps = {"ring": (width, "the node's CR label", self.ring.label)}
        for case, j in product(range(self.cases), range(self.sector_starts.shape[1])):
            row = self.ring.orbit * self.cases + case
            if j:  # the first sector starts at 0
                what = f"the way to go at which sector {j} starts"
                straps[f"start{case}_{j}"] = width, what, self.sector_starts[row, j]
            what = f"the link in sector {j}, XOR that in the one before"
            straps[f"change{case}_{j}"] = 2, what, (self.sector_links ^ before)[row, j]
        return Straps(straps)

    def _walks(self) -> tuple[IntArray, IntArray, IntArray]:
        """Follow all words of gamma, lambda, +1, -1 from a node of each class, in search order.

        Returns where they end, relative to the start, their first ports, and whether a step
        takes back the one before; each of shape (q, words).
        """
        ring, n = self.ring, self.topology.nodes
        words = [w for d in range(self.lookahead) for w in product(range(4), repeat=d + 1)]
        if self.rule == "paper":
            words.sort()  # a prefix comes before what goes on from it: depth first
        ends, back = (np.zeros((ring.q, len(words)), np.int64) for _ in range(2))
        for column, word in enumerate(words):
            path = [np.arange(ring.q)]
            for link in word:
                path.append((path[-1] + ring.constants[path[-1] % ring.q, link]) % n)
                back[:, column] |= len(path) > 2 and path[-1] == path[-3]
            ends[:, column] = (path[-1] - path[0]) % n
        return ends, ring.links[:, [word[0] for word in words]], back

    def _rows(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the sectors of each row, those side by side with the same link as one."""
        for ends, ports, back in zip(*self._walks(), strict=True):
            for arrival in range(self.cases):
                # The distance 0 is never looked up, so the safe rule needs no sector for it.
                onward = (back == 0) & (ports != arrival)
                allowed = ends != 0 if self.rule == "safe" else onward
                start, nearest = sectors(ends[allowed], self.topology.nodes)
                link = ports[allowed][nearest]
                change = np.diff(link, prepend=-1) != 0
                yield start[change], link[change]

    def _link(self, row: IntArray, way: IntArray) -> IntArray:
        """Return the port for these ways to go."""
        place = np.searchsorted(self._places, row * self.topology.nodes + way, side="right") - 1
        return self.sector_links.ravel()[place]

    def _lost(self) -> int:
        """Return how many of the n (n-1) packets do not arrive within n hops."""
        n, q, local = self.topology.nodes, self.ring.q, self.topology.local
        # A state is (class, port of arrival, way to go); from each there is one next state.
        shape = (q, self.cases, n)
        i, arrival, way = (x.ravel() for x in np.indices(shape))
        port = self._link(i * self.cases + arrival, way)
        link = (self.ring.links[i] == port[:, None]).argmax(axis=1)
        step = self.ring.constants[i, link]
        onward = np.ravel_multi_index(((i + step) % q, (port + 2) % 4, (way - step) % n), shape)
        state = np.where(way == 0, np.arange(len(way)), onward)
        for _ in range(n.bit_length()):
            state = state[state]  # twice as many hops
        arrived = (state % n == 0).reshape(shape)[:, local]
        return int((~arrived).sum()) * n // q

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the CR label of `destination`; the source does not matter."""
        return self.header.pack(destination=self.ring.label[destination])

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Take the link of the sector in which the destination lies."""
        n = self.topology.nodes
        destination = self.header.cut("destination", header)
        way = (destination - self.ring.label[node]) % n
        row = self.ring.orbit[node] * self.cases
        if self.rule == "paper":
            row = row + arrival
        port = np.where(way == 0, self.topology.local, self._link(row, way))
        onward = self.header.join(destination=destination)
        return Decision(port, onward, (destination >= n).astype(np.int64))

    def constants(self) -> dict[str, object]:
        """Return the CR constants: q, T, the links of +1, and gamma and lambda of every class."""
        gamma, lambda_ = self.ring.signed_chords().T.tolist()
        return {
            "q": self.ring.q,
            "T": self.ring.T,
            "ring": [self.topology.port_names[port] for port in self.ring.word],
            "gamma": gamma,
            "lambda": lambda_,
        }

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the starts and links of a router's sectors."""
        count = self.sector_starts.shape[1]
        width = bits(self.topology.nodes)
        return {"sectors": self.cases * ((count - 1) * width + count * 2)}
