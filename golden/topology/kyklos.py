"""KYKLOS: r trees over the same leaves (kyklos-1988, Sections I, IV and Appendix B)."""

import re
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices, check_limits
from fingerpost.golden.topology.base import MAX_NODES, Topology

Variant = Literal["proposed", "original", "I"]


def _dimensions(r: int, n: int, variant: Variant) -> IntArray:
    """Return z_tv, the digit of a leaf's number that level v of tree t can change; shape (r, n)."""
    t, level = np.arange(r)[:, None], np.arange(n)  # level is v - 1
    if variant == "I":  # every tree is the first one again
        return np.broadcast_to(level, (r, n)).copy()
    if variant == "original":  # the second tree is the first one shuffled
        return np.where(t == 0, level, n - 1 - level)
    h = n // r
    k, g = np.divmod(level, h)
    return (t + k) % r * h + np.where(k == 0, g, h - 1 - g)


class Kyklos(Topology):
    """KYKLOS-II <m, r, n> as proposed or in its original form, or KYKLOS-I.

    The N = m^n leaves (L-nodes) are numbered first and have the terminals; then come the interior
    nodes (IB-nodes) <t, v, o> by tree, level and place. A leaf has a port to each tree t. An
    interior node has its children at ports 0..m-1 and its parent at port m.

    Parameters
    ----------
    m : int
        Children of an interior node, >= 2.
    r : int
        Trees; r divides n.
    n : int
        Levels of a tree, and digits of a leaf's number in base m.
    variant : "proposed", "original" or "I"
        Which digit each level changes. The original KYKLOS-II has two trees.

    Attributes
    ----------
    leaves : int
        N.
    h : int
        n / r, the height of an equi-slice.
    z : (r, n)
        The dimension z_tv at [t, v-1]: the digit that level v of tree t can change.
    d : (r, n)
        d_tv at [t, v-1]; m^d_tv is the real span, from child to child.
    first : (r, n)
        The node <t, v, 0>, at [t, v-1].
    tree, level, place : (nodes,)
        t, v and o of each node; a leaf has level 0, and its number is its place.

    Raises
    ------
    ValueError
        If there is no such network, or it is too large.
    """

    family = "kyklos"

    def __init__(
        self,
        *,
        m: Annotated[int, Parameter("Children of an interior node.", minimum=2, example=2)],
        r: Annotated[
            int, Parameter("Trees.", "a whole number that divides n", minimum=1, example=2)
        ],
        n: Annotated[int, Parameter("Levels.", minimum=1, example=4)],
        variant: Annotated[
            Variant, Parameter("KYKLOS-II as proposed, the original one, or I.")
        ] = "proposed",
    ) -> None:
        check_limits(Kyklos, "Kyklos", m=m, r=r, n=n)
        if n % r:
            raise ParameterError("r", f"Kyklos needs an r that divides n = {n}, not {r}")
        check_choices(Kyklos, "Kyklos", variant=variant)
        if variant == "original" and r != 2:
            raise ParameterError("r", f"Kyklos needs r = 2 trees for its variant original, not {r}")
        if n > MAX_NODES.bit_length() or m**n * (m - 1) + r * (m**n - 1) > MAX_NODES * (m - 1):
            raise ParameterError(
                "n",
                f"Kyklos needs at most {MAX_NODES} nodes, "
                f"not m^n = {m}^{n} leaves and r = {r} trees",
            )
        self.m, self.r, self.n, self.variant = m, r, n, variant
        self.leaves, self.h = m**n, n // r
        self.z = _dimensions(r, n, variant)
        higher = np.triu(np.ones((n, n), bool), 1)  # [v, g]: g > v
        self.d: IntArray = ((self.z[:, None, :] < self.z[:, :, None]) & higher).sum(axis=2)

        count = m ** np.arange(n - 1, -1, -1)  # interior nodes of a tree at level v, at [v-1]
        before = np.append(0, np.tile(count, r).cumsum())
        nodes = self.leaves + int(before[-1])
        self.first: IntArray = self.leaves + before[:-1].reshape(r, n)
        self.tree, self.level = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        self.place = np.arange(nodes)
        neighbour = np.full((nodes, max(r, m + 1)), -1)
        arrival_port = neighbour.copy()
        for t in range(r):
            child, up = np.arange(self.leaves), t
            for v in range(1, n + 1):
                level = self.first[t, v - 1] + np.arange(count[v - 1])
                self.tree[level], self.level[level] = t, v
                self.place[level] = np.arange(count[v - 1])
                o = self.place[child]
                u = m ** self.d[t, v - 1]
                parent = level[o % u + u * (o // (m * u))]  # Appendix B
                c = o // u % m
                neighbour[child, up], arrival_port[child, up] = parent, c
                neighbour[parent, c], arrival_port[parent, c] = child, up
                child, up = level, m
        names = [
            "/".join([f"T{p}"] * (p < r) + [f"C{p}"] * (p < m) + ["P"] * (p == m))
            for p in range(neighbour.shape[1])
        ]
        super().__init__(neighbour, arrival_port, tuple(names), np.arange(self.leaves))

    def digits(self, number: IntArray) -> IntArray:
        """Return the n digits of numbers of leaves in base m, the lowest first; shape (..., n)."""
        return np.asarray(number)[..., None] // self.m ** np.arange(self.n) % self.m

    def name(self, node: int) -> str:
        """Return ``L5`` for a leaf, ``t.v.o`` for an interior node."""
        if node < self.leaves:
            return f"L{node}"
        return f"{self.tree[node]}.{self.level[node]}.{self.place[node]}"

    @property
    def label_form(self) -> str:
        """Return that labels are those of leaves, and of interior nodes."""
        return (
            f"a label L0..L{self.leaves - 1} or t.v.o with t in 0..{self.r - 1}, "
            f"v in 1..{self.n} and o below {self.m}^({self.n}-v)"
        )

    def parse(self, label: str) -> int | None:
        if leaf := re.fullmatch(r"L(\d+)", label, re.ASCII):
            return int(leaf[1]) if int(leaf[1]) < self.leaves else None
        branch = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", label, re.ASCII)
        t, v, o = map(int, branch.groups()) if branch else (-1, 0, 0)
        if not (0 <= t < self.r and 1 <= v <= self.n and o < self.m ** (self.n - v)):
            return None
        return int(self.first[t, v - 1]) + o

    def constants(self) -> dict[str, object]:
        """Return the parameters, h, and the dimensions and spans of every tree by level."""
        return {
            "m": self.m,
            "r": self.r,
            "n": self.n,
            "variant": self.variant,
            "h": self.h,
            "leaves": self.leaves,
            "dimensions": self.z.tolist(),
            "spans": (self.m**self.z).tolist(),
            "real_spans": (self.m**self.d).tolist(),
        }
