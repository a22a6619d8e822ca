"""Metacyclic groups an element at a time: no powers, no inverse; independent of golden."""

from typing import Any

from hypothesis import strategies as st

Element = tuple[int, int]
Group = tuple[int, int, int]
"""m, k and r: the modulus of y, that of t, and the multiplier."""

CHINESE: dict[str, Any] = {"m": 77, "k": 15, "r": 25, "A": (6, 71), "B": (5, 15)}
"""The multiplier has order 5 modulo 11 and 3 modulo 7: the modulus is no prime."""

UNFAITHFUL: dict[str, Any] = {"m": 7, "k": 6, "r": 2, "A": (1, 0), "B": (2, 1)}
"""The multiplier has order 3, and there are 6 classes."""


def times(g: Element, h: Element, group: Group) -> Element:
    """One turn by r for each step of the class."""
    m, k, r = group
    y = h[1]
    for _ in range(g[0]):
        y = y * r % m
    return (g[0] + h[0]) % k, (g[1] + y) % m


def links(group: Group, generators: list[Element], *, directed: bool = False) -> list[Element]:
    """The generators and, of links both ways, their inverses, found by trying every element."""
    m, k, _ = group
    every = [(t, y) for t in range(k) for y in range(m)]
    back = [next(h for h in every if times(g, h, group) == (0, 0)) for g in generators]
    pairs = zip(generators, back, strict=True)
    return [*generators, *([] if directed else [h for g, h in pairs if h != g])]


def cayley(group: Group, generators: list[Element], *, directed: bool = False) -> list[list[int]]:
    """The nodes v*g for the links g, for every node v; (t, y) is node y*k + t."""
    m, k, _ = group
    taken = links(group, generators, directed=directed)
    ends = [[times((t, y), g, group) for g in taken] for y in range(m) for t in range(k)]
    return [[y * k + t for t, y in row] for row in ends]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Group, Element, Element]:
    """A group and two generators, which may make a graph or not."""
    m, k = draw(st.integers(2, 24)), draw(st.integers(2, 8))
    r = draw(st.sampled_from([r for r in range(1, m) if pow(r, k, m) == 1]))
    element = st.tuples(st.integers(0, k - 1), st.integers(0, m - 1))
    return (m, k, r), draw(element), draw(element)
