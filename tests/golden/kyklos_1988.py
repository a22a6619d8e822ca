"""KYKLOS as kyklos-1988 tells it, a leaf and a word at a time, in plain Python."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from hypothesis import strategies as st

from fingerpost.golden.topology.kyklos import Kyklos, Variant


@dataclass(frozen=True)
class Reference:
    """The network <m, r, n>. Words are strings of digits, the highest first."""

    m: int
    r: int
    n: int
    variant: Variant = "proposed"

    def topology(self) -> Kyklos:
        return Kyklos(m=self.m, r=self.r, n=self.n, variant=self.variant)

    @property
    def leaves(self) -> int:
        return int(self.m**self.n)

    @property
    def h(self) -> int:
        return self.n // self.r

    @cached_property
    def z(self) -> list[list[int]]:
        """z_tv at [t][v-1]: for the proposed network the assignments of Section IV."""
        if self.variant == "I":
            return [list(range(self.n)) for _ in range(self.r)]
        if self.variant == "original":
            return [list(range(self.n)), list(range(self.n))[::-1]]
        table = []
        for t in range(self.r):
            row = []
            for v in range(1, self.n + 1):
                z = self.h * t + v - 1
                if v > self.h:
                    z = z + self.h + 1 - 2 * ((v - 1) % self.h + 1)
                row.append(z % self.n)
            table.append(row)
        return table

    def digit(self, leaf: int, place: int) -> int:
        return leaf // int(self.m**place) % self.m

    def above(self, leaf: int, t: int, v: int) -> str:
        """The node of level v above a leaf: its number is made of the digits that are left."""
        if v == 0:
            return f"L{leaf}"
        left = [p for p in reversed(range(self.n)) if p not in self.z[t][:v]]
        o = 0
        for place in left:
            o = o * self.m + self.digit(leaf, place)
        return f"{t}.{v}.{o}"

    # Words.

    def x(self, i: int, j: int) -> str:
        """XOR_m, of 0 and 1."""
        return "".join(
            str(int(self.digit(i, p) != self.digit(j, p))) for p in reversed(range(self.n))
        )

    def x_t(self, x: str, t: int) -> str:
        t %= self.r
        return x[::-1][t * self.h : (t + 1) * self.h][::-1]

    def y_t(self, x: str, t: int) -> str:
        """X_(t-1)' cnc ... cnc X_(t+1)' cnc X_t, in the proposed network."""
        others = [self.x_t(x, t + k)[::-1] for k in range(self.r - 1, 0, -1)]
        return "".join(others) + self.x_t(x, t)

    def start(self, j: int) -> int:
        """Appendix A, step 3, as printed."""
        return (self.n * self.leaves - bin(j).count("1") - j // self.r) % self.r

    # Levels to climb.

    def h2(self, x: str) -> list[int]:
        return [int(self.x_t(x, t), 2).bit_length() for t in range(self.r)]

    def m_lengths(self, x: str) -> list[int]:
        return [int(self.y_t(x, t), 2).bit_length() for t in range(self.r)]

    def ways(self, x: str) -> list[tuple[int, ...]]:
        """All vectors of levels with the least sum that change every digit of X."""
        wanted = {p for p in range(self.n) if x[::-1][p] == "1"}
        for least in range(self.n + 1):
            ways = [
                levels
                for levels in product(range(least + 1), repeat=self.r)
                if sum(levels) == least
                and wanted <= {z for t in range(self.r) for z in self.z[t][: levels[t]]}
            ]
            if ways:
                return ways
        raise AssertionError(x)

    def y2(self, x: str, s: int) -> list[int]:
        """The steps of Section VI, corrected, one at a time."""
        r, h = self.r, self.h
        slices = [self.x_t(x, t) for t in range(r)]
        levels = [0] * r

        def split(word: str) -> tuple[int, int]:
            g = len(word) - len(word.lstrip("1"))
            return g, len(word[g:]) - len(word[g:].lstrip("0"))

        lcv = k = 0
        t = s
        while lcv < r:
            t = (s + lcv) % r
            levels[t] = int(slices[t], 2).bit_length()
            if levels[t] < h or slices[(t + 1) % r][0] == "0":
                lcv += 1
                continue
            k = 1
            lcv += 1
            while lcv < r and slices[(t + k) % r] == "1" * h:
                k += 1
                lcv += 1
            levels[t] = k * h
            if lcv < r:
                if slices[(t + k) % r][0] == "1":
                    g, f = split(slices[(t + k) % r])
                    levels[t] = k * h + g
                    levels[(t + k) % r] = h - g - f
                    lcv += 1
                k = 0
        if k > 0 and t != s and slices[s][0] == "1" and levels[s] == h:
            g, f = split(slices[s])
            levels[t] = k * h + g
            levels[s] = h - g - f
        return levels

    # Routes.

    def first(self, wanted: list[bool], s: int) -> int:
        return next(((s + k) % self.r for k in range(self.r) if wanted[(s + k) % self.r]), s)

    def route(self, i: int, j: int, levels: list[int], last: int) -> list[str]:
        """The nodes from leaf i to leaf j, the trees in falling order with `last` at the end."""
        leaf, nodes = i, [f"L{i}"]
        for k in range(1, self.r + 1):
            t = (last - k) % self.r
            nodes += [self.above(leaf, t, v) for v in range(1, levels[t] + 1)]
            for place in self.z[t][: levels[t]]:
                leaf += (self.digit(j, place) - self.digit(leaf, place)) * int(self.m**place)
            nodes += [self.above(leaf, t, v) for v in reversed(range(levels[t]))]
        assert leaf == j
        return nodes


@st.composite
def networks(draw: st.DrawFn, *, most: int = 300, two: bool = False) -> Reference:
    """Any valid parameters with at most `most` leaves; m = 2 and not KYKLOS-I if `two`."""
    m = 2 if two else draw(st.integers(2, 5))
    highest = next(n for n in range(1, 20) if m ** (n + 1) > most)
    n = draw(st.integers(1, highest))
    r = draw(st.sampled_from([r for r in range(1, n + 1) if n % r == 0]))
    variants: list[Variant] = ["proposed"]
    if not two:
        variants.append("I")
        if r == 2:
            variants.append("original")
    return Reference(m, r, n, draw(st.sampled_from(variants)))
