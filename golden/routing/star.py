"""Routing on star graphs and star-connected cycles: by rules that look at B(p) alone.

(star-connected-cycles-1995, Section 4.1.) A packet carries the permutation pi_ds = pi_d^-1 pi_s,
which every lateral link changes as it does the node's own, and the position i_d. It takes lateral
links until that is the identity, and then goes round the ring to i_d. An algorithm has but to
choose the lateral link to take next, the target.
"""

from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.algebra import chance
from fingerpost.golden.algebra.star_cycles import bsymbols, canonical_order, first, swap
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import Parameter, check_choices
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.star import Scc, Star


class StarRouting(Routing):
    """Take the lateral links of `target`, one after the other.

    Every field of the header and every strap that holds a symbol or a position holds it less 1.
    A header is looked over where it comes from the terminal; whatever a router sends on is right.
    The memory is the routers' own: header generation clears what a terminal has put there, since
    a route that begins with one is none of the algorithm's.

    Attributes
    ----------
    memory : str
        The header field, if there is one, that keeps a symbol from node to node; symbol 1,
        which is no lateral link, stands for none.

    Raises
    ------
    ValueError
        If `topology` is no star or scc network.
    """

    families = ("star", "scc")
    symmetric = relative = True
    memory: str = ""
    meaning: str = ""

    topology: Star | Scc

    def __init__(self, topology: Topology) -> None:
        scc = topology.family == "scc"
        self.topology = self._only(topology, Scc) if scc else self._only(topology, Star)
        n = self.topology.n
        width = bits(n)
        fields = self._fields()
        if isinstance(topology, Scc):
            fields["i_d"] = (width, "ring position of the destination, less 1")
        if self.memory:
            fields[self.memory] = (width, self.meaning)
        self.header = Layout.sequence(**fields)
        self.straps = Straps(self._straps())

    @abstractmethod
    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return the lateral link to take next from <i, p> to <i_d, identity>, 1 if none is left.

        In a star graph, i and i_d mean nothing.
        """

    def remember(self, memory: IntArray, p: IntArray, t: IntArray, taken: IntArray) -> IntArray:
        """Return the next memory; the packet takes lateral link t now, or (not `taken`) later."""
        return np.ones_like(memory)

    def _fields(self) -> dict[str, tuple[int, str]]:
        """Return the fields of the header that hold the permutation."""
        width, n = bits(self.topology.n), self.topology.n
        return {f"p{k}": (width, f"symbol at position {k}, less 1") for k in range(1, n + 1)}

    def _straps(self) -> dict[str, tuple[int, str, IntArray]]:
        """Return the straps: a ring position, all that differs between nodes, or a number."""
        node = np.arange(self.topology.nodes)
        if isinstance(self.topology, Scc):
            i = self.topology.position(node) - 1
            return {"i": (bits(self.topology.n), "the node's ring position, less 1", i)}
        return {"label": (bits(len(node)), "the node's number", node)}

    def _write(self, p: IntArray) -> dict[str, IntArray]:
        """Return the values of the fields that hold the permutation."""
        return {f"p{k + 1}": p[..., k] - 1 for k in range(self.topology.n)}

    def _permutation(self, header: IntArray) -> tuple[IntArray, BoolArray]:
        """Return what is in the place of the permutation, and whether it is none."""
        n = self.topology.n
        p = np.stack([self.header.cut(f"p{k}", header) for k in range(1, n + 1)], axis=-1) + 1
        wrong: BoolArray = np.bitwise_or.reduce(1 << p, axis=-1) != (1 << n + 1) - 2
        return p, wrong

    def _pack(self, p: IntArray, i_d: IntArray, memory: IntArray) -> IntArray:
        values = self._write(p)
        if "i_d" in self.header:
            values["i_d"] = i_d - 1
        if self.memory:
            values[self.memory] = memory - 1
        return self.header.join(**values)

    def _read(self, header: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return p, i_d, the memory and 1 for errors, where the others are harmless."""
        n = self.topology.n
        p, wrong = self._permutation(header)
        none = np.ones_like(header)
        i_d = self.header.cut("i_d", header) + 1 if "i_d" in self.header else 2 * none
        memory = self.header.cut(self.memory, header) + 1 if self.memory else none
        error = wrong | (i_d < 2) | (i_d > n) | (memory > n)
        p = np.where(error[..., None], np.arange(1, n + 1), p)
        return p, np.where(error, 2, i_d), np.where(error, 1, memory), error.astype(np.int64)

    def _place(self, node: IntArray) -> tuple[IntArray, IntArray]:
        """Return ring position and permutation; a star graph's nodes have no position, so 2."""
        if isinstance(self.topology, Scc):
            return self.topology.position(node), self.topology.labels[node // (self.topology.n - 1)]
        return np.full_like(node, 2), self.topology.labels[node]

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the header: pi_ds[k] is the position in pi_d of the symbol pi_s[k]."""
        source, destination = np.broadcast_arrays(source, destination)
        _, pi_s = self._place(source)
        i_d, pi_d = self._place(destination)
        positions = pi_d.argsort(axis=-1) + 1
        p = np.take_along_axis(positions, pi_s - 1, axis=-1)
        return self._pack(p, i_d, np.ones_like(i_d))

    @property
    def sent(self) -> tuple[str, ...]:
        """Return all fields but the memory."""
        return tuple(name for name in self.header if name != self.memory)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        if not self.memory:
            return super().generate_header(node, header)
        field = self.header[self.memory]
        cleared = header & ~(((1 << field.width) - 1) << field.offset)
        return cleared, np.zeros_like(cleared)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Go round the ring to the target, or i_d if there is none, and take the lateral link."""
        p, i_d, memory, error = self._read(header)
        error = np.where(arrival == self.topology.local, error, 0)
        i, _ = self._place(node)
        t = self.target(i, p, i_d, memory, selection)
        home = t == 1
        if isinstance(self.topology, Scc):
            goal = np.where(home, i_d, t)
            there = i == goal
            onward = np.where(home, self.topology.local, self.topology.lateral)
            port = np.where(there, onward, self.topology.towards(i, goal))
        else:
            there = np.ones_like(home)
            port = np.where(home, self.topology.local, t - 2)
        taken = there & ~home
        memory = self.remember(memory, p, t, taken)
        p = np.where(taken[..., None], swap(p, t), p)
        return Decision(port, self._pack(p, i_d, memory), error)

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: the identity is left of the way."""
        identity = {f"p{i + 1}": str(i) for i in range(self.topology.n)}
        place = {"i_d": "as sent"} if "i_d" in self.header else {}
        return identity | place | ({self.memory: "undefined"} if self.memory else {})


def nearest(i: IntArray, p: IntArray, distance: IntArray) -> IntArray:
    """Return the lateral link of B(p) nearest to position i, the first in canonical order."""
    return first(bsymbols(p), distance[i - 1] * p.shape[-1] ** 2 + canonical_order(p))


class Greedy(StarRouting):
    """Take the nearest lateral link of B(p).

    Parameters
    ----------
    memory : ``anchor`` or ``none``
        With ``anchor`` as in the paper: the first link of an r-cycle without symbol 1 becomes
        the anchor, and until it is taken again, which completes the r-cycle, the target is
        p[1]. With ``none`` other r-cycles may come between: a smaller header, and on average a
        shorter route.

    Raises
    ------
    ValueError
        If `topology` is no star or scc network, or `memory` is neither.
    """

    algorithm = "greedy"
    meaning = "lateral link that completes the r-cycle under way, less 1; 0: none"

    def __init__(
        self,
        topology: Topology,
        *,
        memory: Annotated[
            Literal["anchor", "none"],
            Parameter("The header remembers the cycle begun, or nothing."),
        ] = "anchor",
    ) -> None:
        check_choices(Greedy, self.title, memory=memory)
        self.memory = "anchor" if memory == "anchor" else ""
        super().__init__(topology)

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return p[1] while an r-cycle is under way, else the nearest lateral link."""
        under_way = (memory != 1) & (p[..., 0] != 1)
        return np.where(under_way, p[..., 0], nearest(i, p, self.topology.distance))

    def remember(self, memory: IntArray, p: IntArray, t: IntArray, taken: IntArray) -> IntArray:
        """Set the anchor where t begins an r-cycle, and lift it where t completes one."""
        if not self.memory:
            return super().remember(memory, p, t, taken)
        begins = t != p[..., 0]
        after = np.where(begins, t, np.where(t == memory, 1, memory))
        return np.where(taken, after, memory)


CHANCES = 1 << 16
"""A selection is one of so many."""


class Random(StarRouting):
    """Draw the target from B(p) in every supernode, and keep it until it is taken."""

    algorithm = "random"
    selection = "random"
    meaning = "lateral link to take next, less 1; 0: none is drawn yet"

    def __init__(self, topology: Topology) -> None:
        if isinstance(topology, Scc):  # in a star graph every link is taken at once
            self.memory = "target"
        super().__init__(topology)

    def _straps(self) -> dict[str, tuple[int, str, IntArray]]:
        salt = chance.salt(np.arange(self.topology.nodes))
        what = "what sets the node's chance apart; for the router"
        return {**super()._straps(), "salt": (16, what, salt)}

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return the target kept, or else element number selection * |B| / 2^16 of B(p), rising."""
        b = bsymbols(p)
        place = (0 if selection is None else np.asarray(selection)) * b.sum(axis=-1) // CHANCES
        drawn = (b.cumsum(axis=-1) > place[..., None]).argmax(axis=-1) + 1
        kept = (memory != 1) & b.any(axis=-1)
        return np.where(kept, memory, drawn)

    def remember(self, memory: IntArray, p: IntArray, t: IntArray, taken: IntArray) -> IntArray:
        """Keep the target on the way to its link."""
        return np.where(taken, 1, t)

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return a selection for every element of B(p), where the target is to be drawn."""
        p, _, memory, _ = self._read(header)
        choices = np.where(memory == 1, np.maximum(bsymbols(p).sum(axis=-1), 1), 1)
        packet = np.repeat(np.arange(len(header)), choices)
        place = np.arange(len(packet)) - np.repeat(choices.cumsum() - choices, choices)
        return packet, -(-place * CHANCES // choices[packet])  # the least that leads there
