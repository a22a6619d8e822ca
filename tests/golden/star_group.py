"""Star graphs and star-connected cycles in plain Python, a node and a cycle at a time."""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise, permutations
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
