"""What all routing on KYKLOS has in common, and three of its strategies: M, H-2 and Y-2.

(kyklos-1988, Section VI.) The terminal names the destination, and header generation at its leaf
computes how many levels to climb in each tree, L. The nodes only obey. A packet goes up L[t] levels
of tree t and down again, where level v leads to the child that the destination's digit z_tv names;
then it does the same in the next tree.

Words are arrays of truth values with their lowest bit first along the last axis.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.kyklos import Kyklos

Words = NDArray[np.bool_]


def differences(topology: Kyklos, i: IntArray, j: IntArray) -> Words:
    """Return X = XOR_m(i, j): X_g is true where digit g of the leaves differs; shape (..., n)."""
    word: Words = topology.digits(i) != topology.digits(j)
    return word


def strings(topology: Kyklos, x: NDArray[Any]) -> NDArray[Any]:
    """Return Y_t of every tree: bit v-1 is the digit that level v changes; shape (..., r, n).

    `x` is (..., n): X gives Y_t, the digits of the destination give D_t.
    """
    return np.asarray(x)[..., topology.z]


def slices(topology: Kyklos, x: Words) -> Words:
    """Return X_t of every tree: the lower h bits of Y_t; shape (..., r, h)."""
    return strings(topology, x)[..., : topology.h]


def bit_length(word: Words) -> IntArray:
    """Return the place of the highest 1, counted from 1, or 0: the levels to be climbed."""
    length: IntArray = np.where(word, np.arange(1, word.shape[-1] + 1), 0).max(axis=-1)
    return length


def start_tree(topology: Kyklos, j: IntArray) -> IntArray:
    """Return the start tree s of the messages of leaf j (Appendix A, step 3)."""
    return (-np.bitwise_count(np.abs(j)).astype(np.int64) - j // topology.r) % topology.r


def first_tree(wanted: Words, s: IntArray) -> IntArray:
    """Return the first of the trees s, s+1, ... that is `wanted`, or s; `wanted` is (..., r)."""
    r = wanted.shape[-1]
    order = (np.asarray(s)[..., None] + np.arange(r)) % r
    ahead = np.take_along_axis(wanted, order, axis=-1).argmax(axis=-1)
    tree: IntArray = (s + ahead) % r
    return tree


class KyklosRouting(Routing):
    """Routing on KYKLOS by the levels to climb in each tree, which header generation computes.

    A strategy says what the levels are; `unit` is the same for all. The trees are climbed in
    falling order, and one that is climbed already never again. So the number of the tree rises
    once at most, from 0 to r-1, and two virtual channels are enough.

    Attributes
    ----------
    highest : int
        The most levels that the strategy climbs.

    Raises
    ------
    ValueError
        If `topology` is no kyklos network, is one of a variant that the strategy does not serve, or
        needs a header of more than 63 bits.
    """

    families = ("kyklos",)
    variants: ClassVar[tuple[str, ...]] = ("proposed", "original", "I")
    header_cycles = 2

    topology: Kyklos

    def __init__(self, topology: Topology) -> None:
        self.topology = topology = self._only(topology, Kyklos)
        what = f"{self.title} needs a kyklos network"
        if topology.variant not in self.variants:
            raise ParameterError(
                "algorithm",
                f"{what} of variant {' or '.join(self.variants)}, not {topology.variant}",
            )
        inside = topology.terminal_nodes[topology.terminal_nodes >= topology.leaves]
        if len(inside):
            raise ParameterError(
                "algorithm",
                f"{what} with terminals at leaves only, not at {topology.name(inside[0])}; use "
                "table",
            )
        self.highest = self.limit()
        m, r, n = topology.m, topology.r, topology.n
        self.header = Layout.sequence(
            dst=(n * bits(m), "the destination's digits in base m, lowest first"),
            **{f"L{t}": (bits(self.highest + 1), f"levels to climb in tree {t}") for t in range(r)},
            last=(bits(r), "the tree to be climbed last"),
        )
        if self.header.width > 63:
            raise ParameterError(
                "algorithm",
                f"{what} whose header has at most 63 bits, not {self.header.width} "
                f"for m = {m}, r = {r}, n = {n}",
            )
        leaf = topology.level == 0
        z = topology.z[topology.tree, topology.level - 1]
        level = self.header["L0"].width
        top = topology.level >= self.highest
        self.straps = Straps(
            {
                "digits": (
                    n * bits(m),
                    "a leaf's digits in base m, as in dst; 0 elsewhere",
                    np.where(leaf, self.digits(topology.place), 0),
                ),
                "start": (
                    bits(r),
                    "a leaf's start tree s, 0 elsewhere",
                    np.where(leaf, start_tree(topology, topology.place), 0),
                ),
                "leaf": (1, "whether it is a leaf", leaf.astype(np.int64)),
                "level": (
                    level,
                    "its level v, if packets may climb on from there, else all ones",
                    np.where(top, (1 << level) - 1, topology.level),
                ),
                "tree": (bits(r), "its tree t, 0 for a leaf", topology.tree),
                "z": (
                    bits(n),
                    "the digit z_tv that names a child, 0 for a leaf",
                    np.where(leaf, 0, z),
                ),
            }
        )

    @property
    def title(self) -> str:
        """Return what messages call the strategy: its name is a letter."""
        return f"Routing by {self.algorithm}"

    def limit(self) -> int:
        """Return the most levels that the strategy climbs in a tree."""
        return self.topology.n

    @abstractmethod
    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return L for difference words X (..., n) and start trees s; shape (..., r)."""

    def last(self, x: Words, s: IntArray, levels: IntArray) -> IntArray:
        """Return the tree to climb last: the first from s on that is climbed."""
        return first_tree(levels > 0, s)

    def digits(self, leaf: IntArray) -> IntArray:
        """Return the digits of leaves as the header carries them, each in its own bits."""
        n, width = self.topology.n, bits(self.topology.m)
        packed: IntArray = (self.topology.digits(leaf) << width * np.arange(n)).sum(axis=-1)
        return packed

    def _unpacked(self, digits: IntArray) -> IntArray:
        """Return the digits of leaves one by one; shape (..., n)."""
        n, width = self.topology.n, bits(self.topology.m)
        return digits[..., None] >> width * np.arange(n) & (1 << width) - 1

    @property
    def destinations(self) -> IntArray:
        """Return the leaves; no header names another node."""
        return np.arange(self.topology.leaves)

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the digits of leaf `destination`; the source does not matter."""
        return self.header.pack(dst=self.digits(np.asarray(destination)))

    @property
    def sent(self) -> tuple[str, ...]:
        return ("dst",)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Compute L and the last tree from the digits that differ."""
        dst = self.header.cut("dst", header)
        digit = self._unpacked(dst)
        x: Words = digit != self._unpacked(self.straps.value("digits")[node])
        s = self.straps.value("start")[node]
        levels = self.levels(x, s)
        error = np.asarray((digit >= self.topology.m).any(axis=-1))
        return self._pack(dst, levels, self.last(x, s, levels)), error.astype(np.int64)

    def _pack(self, dst: IntArray, levels: IntArray, last: IntArray) -> IntArray:
        climb = {f"L{t}": levels[..., t] for t in range(self.topology.r)}
        return self.header.join(dst=dst, last=last, **climb)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide by the levels still to climb: in a leaf the next tree, in a tree up or down."""
        m, r = self.topology.m, self.topology.r
        straps = {name: self.straps.value(name)[node] for name in ("leaf", "level", "tree", "z")}
        dst, last = self.header.cut("dst", header), self.header.cut("last", header)
        levels = np.stack([self.header.cut(f"L{t}", header) for t in range(r)], axis=-1)

        leaf = straps["leaf"] == 1
        climbed = leaf[..., None] & (arrival[..., None] == np.arange(r))
        levels = np.where(climbed, 0, levels)
        order = (last[..., None] - 1 - np.arange(r)) % r
        waiting = np.take_along_axis(levels, order, axis=-1) > 0
        tree = (last - 1 - waiting.argmax(axis=-1)) % r
        in_leaf = np.where(waiting.any(axis=-1), tree, self.topology.local)

        limit = np.take_along_axis(levels, straps["tree"][..., None], axis=-1)[..., 0]
        up = (arrival < m) & (straps["level"] < limit)
        child = np.take_along_axis(self._unpacked(dst), straps["z"][..., None], axis=-1)[..., 0]
        in_tree = np.where(up, m, child)

        error = np.where(leaf, last >= r, ~up & (child >= m)).astype(np.int64)
        onward = self._pack(dst, levels, last)
        return Decision(np.where(leaf, in_leaf, in_tree), onward, error)

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: nothing is left to climb."""
        levels = {f"L{t}": "0" for t in range(self.topology.r)}
        return {"dst": "as sent", **levels, "last": "undefined"}

    def vc_increments(self) -> NDArray[np.bool_]:
        """Return the turns to the next channel: in a leaf, from a tree to one of higher number.

        With two trees, also from tree 1 to tree 0: a packet changes its tree once at most, so this
        takes no more channels, and both trees use both. Otherwise, in <2, 2, 8> beyond saturation,
        leaves that start in one tree send four times as much as those that start in the other.
        """
        ports, r = self.topology.degree + 1, self.topology.r
        turn = np.zeros((self.topology.nodes, ports, ports), bool)
        changes = ~np.eye(r, dtype=bool)
        turn[: self.topology.leaves, :r, :r] = changes if r == 2 else np.triu(changes)
        return turn


class M(KyklosRouting):
    """Climb the one tree whose string Y_t is shortest, the first such from s on."""

    algorithm = "m"

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return the bit length of Y_t in one tree, 0 in the others."""
        r = self.topology.r
        length = bit_length(strings(self.topology, x))
        order = (np.asarray(s)[..., None] + np.arange(r)) % r
        shortest = np.take_along_axis(length, order, axis=-1).argmin(axis=-1)
        tree = (s + shortest) % r
        return np.where(np.arange(r) == tree[..., None], length, 0)


class H2(KyklosRouting):
    """Climb every tree as far as its own h digits need it, never above level h.

    The lower h levels of the r trees change all n digits between them, each digit in one tree.
    In KYKLOS-I they do not.
    """

    algorithm = "h2"
    variants = ("proposed", "original")

    def limit(self) -> int:
        return self.topology.h

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return the bit length of every X_t."""
        return bit_length(slices(self.topology, x))


class Y2(KyklosRouting):
    """H-2, but a tree that is climbed to level h goes on into the next slices if that saves.

    Where the tops of X_t and X_(t+1) are both 1, tree t also makes the changes at the top of
    X_(t+1), down to its first 0; tree t+1 is left with what lies below the zeros that follow.
    Slices of ones only are passed through on the way. That unloads level h, the busiest of H-2.

    Raises
    ------
    ValueError
        If `topology` has m other than 2, or is none that `KyklosRouting` takes.
    """

    algorithm = "y2"
    variants = ("proposed", "original")

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        if self.topology.m != 2:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs a kyklos network with m = 2, not m = {self.topology.m}",
            )

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return L by steps 1-7 of the strategy. Slices and trees are counted from s on."""
        r, h = self.topology.r, self.topology.h
        x = slices(self.topology, x)
        s = np.broadcast_to(s, x.shape[:-2])
        order = (s[..., None] + np.arange(r)) % r
        x = np.take_along_axis(x, order[..., None], axis=-2)
        top: Words = x[..., -1]
        full: Words = np.asarray(x.all(axis=-1))
        g = np.logical_and.accumulate(x[..., ::-1], axis=-1).sum(axis=-1)  # ones at the top
        # What lies below them and the f zeros that follow: h - g - f levels.
        below = bit_length(x & (np.arange(h) < h - g[..., None]))

        levels = bit_length(x)  # steps 1, 2
        tree = np.zeros_like(s)  # that is being climbed above h, if k > 0,
        k = np.zeros_like(s)  # in its slice k
        for i in range(r):
            climbing = k > 0
            through = climbing & full[..., i]  # step 4
            ends = climbing & ~full[..., i] & top[..., i]  # step 5
            height = k * h + np.where(through | ends, g[..., i], 0)  # else it ends here: step 6
            levels = np.where(
                climbing[..., None] & (np.arange(r) == tree[..., None]), height[..., None], levels
            )
            levels[..., i] = np.where(climbing & top[..., i], below[..., i], levels[..., i])
            k = np.where(through, k + 1, 0)
            fresh = ~through & ~ends & (levels[..., i] == h) & top[..., (i + 1) % r]  # step 3
            tree, k = np.where(fresh, i, tree), np.where(fresh, 1, k)
        # Step 7: the last tree may go on into slice s, unless tree s was itself extended.
        wraps = (k > 0) & (tree != 0) & top[..., 0] & (levels[..., 0] == h)
        levels = np.where(
            wraps[..., None] & (np.arange(r) == tree[..., None]),
            (k * h + g[..., 0])[..., None],
            levels,
        )
        levels[..., 0] = np.where(wraps, below[..., 0], levels[..., 0])
        return np.take_along_axis(levels, (np.arange(r) - s[..., None]) % r, axis=-1)

    def last(self, x: Words, s: IntArray, levels: IntArray) -> IntArray:
        """Return the join tree, even if step 7 has left it nothing to climb."""
        return first_tree(np.asarray(slices(self.topology, x).any(axis=-1)), s)
