"""Star graphs, and super rotators, written down again from their definitions."""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise, permutations
from math import factorial
from typing import TypeVar

Permutation = tuple[int, ...]
Node = tuple[int, Permutation]
"""<i, pi>: a position on the ring and a permutation, p[k] at index k-1."""

Vertex = TypeVar("Vertex")


def labels(n: int) -> list[Permutation]:
    return list(permutations(range(1, n + 1)))


def behind(p: Permutation, i: int) -> Permutation:
    """Exchange the first and the i-th symbol."""
    q = list(p)
    q[0], q[i - 1] = q[i - 1], q[0]
    return tuple(q)


def star_neighbours(p: Permutation) -> list[Permutation]:
    return [behind(p, i) for i in range(2, len(p) + 1)]


def scc_neighbours(node: Node) -> list[Node]:
    """Return the nodes by +, - and the lateral link; for n = 3, + is the only local one."""
    i, p = node
    n = len(p)
    plus, minus = (i + 1 if i < n else 2), (i - 1 if i > 2 else n)
    ring = [(plus, p)] if n == 3 else [(plus, p), (minus, p)]
    return [*ring, (i, behind(p, i))]


def hops_to(goal: Vertex, neighbours: Callable[[Vertex], Iterable[Vertex]]) -> dict[Vertex, int]:
    """Return the distance by BFS of every node from `goal`; to it, if links lead both ways."""
    away = {goal: 0}
    queue = deque([goal])
    while queue:
        node = queue.popleft()
        for other in neighbours(node):
            if other not in away:
                away[other] = away[node] + 1
                queue.append(other)
    return away


def r_cycles(p: Permutation) -> list[list[int]]:
    """Return the r-cycles in canonical form, 1-cycles too: s is followed by p[s]."""
    cycles: list[list[int]] = []
    for start in range(1, len(p) + 1):
        if any(start in cycle for cycle in cycles):
            continue
        cycle, s = [start], p[start - 1]
        while s != start:
            cycle.append(s)
            s = p[s - 1]
        cycles.append(cycle)
    return cycles


def b_list(p: Permutation) -> list[int]:
    """Return B(p) in canonical order."""
    found = []
    for cycle in r_cycles(p):
        if len(cycle) >= 2:
            found += [cycle[1]] if cycle[0] == 1 else cycle
    return found


def f_list(p: Permutation) -> list[int]:
    """Return F(p)."""
    found = []
    for cycle in r_cycles(p):
        if len(cycle) >= 2:
            found += [cycle[-1]] if cycle[0] == 1 else cycle
    return found


def d(i: int, j: int, n: int) -> int:
    """Return the distance on the ring 2..n by walking it both ways."""
    if i == j:
        return 0
    ring = list(range(2, n + 1))
    ahead = (ring.index(j) - ring.index(i)) % len(ring)
    return min(ahead, len(ring) - ahead)


def move_in(p: Permutation) -> int:
    """Return the local links within the executions of all r-cycles, Eqs. (2) and (8)."""
    total = 0
    for cycle in r_cycles(p):
        if len(cycle) >= 2:
            stops = cycle[1:] if cycle[0] == 1 else [*cycle, cycle[0]]
            total += sum(d(a, b, len(p)) for a, b in pairwise(stops))
    return total


def relative(source: Permutation, destination: Permutation) -> Permutation:
    """Return pi_ds: at k the position in the destination of the symbol at k in the source."""
    return tuple(destination.index(symbol) + 1 for symbol in source)


def direction(i: int, t: int, n: int) -> int:
    """Return +1 or -1, the shorter way from i to t; halfway + if t is the larger."""
    if d(i, t, n) * 2 == n - 1:
        return 1 if t > i else -1
    return 1 if d(i + 1 if i < n else 2, t, n) < d(i, t, n) else -1


def laterals(
    i: int, p: Permutation, choose: Callable[[int, Permutation], int]
) -> tuple[list[int], int]:
    """Follow `choose` to the identity; return the lateral links and the last position."""
    taken = []
    while p != tuple(sorted(p)):
        i = choose(i, p)
        taken.append(i)
        p = behind(p, i)
    return taken, i


def greedy_laterals(i: int, p: Permutation) -> list[int]:
    """Return the lateral links of Algorithm 2, with whole r-cycles at once (step 4, Eq. (3))."""
    n, taken = len(p), []
    while b_list(p):
        t = min(b_list(p), key=lambda b: d(i, b, n))  # the first of the nearest
        cycle = next(cycle for cycle in r_cycles(p) if t in cycle)
        if cycle[0] == 1:
            links = [t]
        else:
            start = cycle.index(t)
            links = [*cycle[start:], *cycle[:start], t]
        for link in links:
            p = behind(p, link)
        i = t
        taken += links
    return taken


def length(i: int, taken: Iterable[int], i_d: int, n: int) -> int:
    """Return the length of a route, Eq. (15)."""
    stops = [i, *taken, i_d]
    return len(stops) - 2 + sum(d(a, b, n) for a, b in pairwise(stops))


Word = tuple[int, ...]
Link = tuple[int, int]


def vertex_number(word: Word) -> int:
    """Return the sum of d_i i!, d_i the number of smaller letters before letter i."""
    return sum(
        factorial(i) * sum(before < letter for before in word[:i]) for i, letter in enumerate(word)
    )


def rotated(word: Word, letters: int) -> Word:
    return word[1:letters] + word[:1] + word[letters:]


def digits(nodes: int) -> dict[int, int]:
    """Return c_i by i, from the highest class down (Definition 4), for those that are not 0."""
    found = {}
    i = max(i for i in range(1, 12) if factorial(i) <= nodes)
    while i:
        c, nodes = divmod(nodes, factorial(i))
        if c:
            found[i] = c
        i -= 1
    return found


class Plain:
    """Steps 1 to 4: labels by the letters that Step 2 gives out, then links of types R, A and B."""

    def __init__(self, nodes: int) -> None:
        self.classes = digits(nodes)
        self.n = n = max(self.classes)
        self.letters: dict[int, list[Word]] = {}  # of every class, in the order of the numbers
        free: list[int] = list(range(1, n + 2))
        tail: Word = ()
        for i in range(n, 0, -1):
            c = self.classes.get(i, 0)
            if c:
                self.letters[i] = []
                for last in free[:c]:
                    rest = [letter for letter in free if letter != last]
                    labels = [(*word, last, *tail) for word in permutations(rest)]
                    self.letters[i] += sorted(labels, key=vertex_number)
            tail = (free.pop(c), *tail)  # symbol(i)
        self.words = [word for i in self.classes for word in self.letters[i]]
        number = {word: x for x, word in enumerate(self.words)}
        self.node_class = [i for i in self.classes for _ in self.letters[i]]

        self.rotations: set[Link] = set()
        self.type_a: set[Link] = set()
        for i, labels in self.letters.items():
            members = {number[word] for word in labels}
            for word in labels:
                for letters in range(2, i + 1):
                    self.rotations.add((number[word], number[rotated(word, letters)]))
                across = rotated(word, i + 1)
                if number.get(across) in members and across[i] != word[i]:
                    self.type_a.add((number[word], number[across]))
        self.type_b: set[Link] = set()
        for j, i in pairwise(sorted(self.classes)):  # SR_j and C_i
            leader = number[self.letters[i][0]]
            last = leader + factorial(i) - 1
            lower = [number[word] for k in self.classes if k <= j for word in self.letters[k]]
            for count, x in enumerate(sorted(lower)):
                for s in range(count * (i - j), (count + 1) * (i - j)):
                    self.type_b |= {(x, leader + s), (last - s, x)}

    @property
    def links(self) -> set[Link]:
        return self.rotations | self.type_a | self.type_b
