"""Minimal and near-minimal routing in hardware; the twin of fingerpost.golden.routing.scc.

The most promising lateral link is golden's `promising`, of all links at once. For a link b,
d(i, b) + Eq. (16) behind b is, but for what is the same for all b,

    d(i, b) + enter + leave + d(b, p[1]) - d(b, p[b]),

since exchanging positions 1 and b changes two terms of Eq. (8) only; d is 0 where either is 1.
`enter` is the distance from b to the nearest symbol of B behind b, `leave` from i_d to that of F.
Behind b, the r-cycles without symbol 1 are those of p, less the one of b. Only b itself can leave
both sets empty, and then there is no other link to choose.

Distances are bars here: bit k is set if the distance is above k.
"""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

from fingerpost.golden import routing as golden
from fingerpost.golden.algebra.star_cycles import ring_distance
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.star import Scc
from fingerpost.hdl.routing.base import RoutingUnit
from fingerpost.hdl.routing.star import StarRouting
from fingerpost.hdl.routing.star_cycles import apart, bsymbols, count, lowest, same_cycle


def promising(m: Module, p: Sequence[Value], whole: Value, b: Value, i: Value, i_d: Value) -> Value:
    """Return the link of `b` = B(p) which promises the shortest route, one-hot.

    Of equals the nearest, and of these the smallest. `whole` are the symbols of the r-cycles
    without symbol 1.
    """
    n = len(p)
    cycle = same_cycle(m, p)
    around_i = _around(m, "around_i", i, n)
    around_i_d = _around(m, "around_i_d", i_d, n)
    keys = []
    for k in range(1, n):
        others = Signal(n, name=f"others{k + 1}")
        m.d.comb += others.eq(whole & ~cycle[k])
        before_one = Cat(row[0] if s != k else p[0][0] for s, row in enumerate(p))
        around_k = [Const(mask, n) for mask in _masks(k, n)]
        d = Cat(~mask[k] for mask in around_i)
        enter = _distance(others | p[k], around_k)
        leave = _distance(others | before_one, around_i_d)
        first, following = (_farther(row, around_k) for row in (p[0], p[k]))
        bars = Signal(5 * len(d), name=f"bars{k + 1}")
        m.d.comb += bars.eq(Cat(d, enter, leave, first, ~following))
        promise = count(m, bars)
        keys.append(Cat(count(m, d), promise, ~b[k]))
    return Cat(0, _least(m, keys)[1])


def _masks(t: int, n: int) -> list[int]:
    """Return the ring positions within distance 0, 1, 2, ... of position `t`, but not all."""
    d = ring_distance(n)[t]
    return [sum(1 << s for s in range(1, n) if d[s] <= k) for k in range((n - 1) // 2)]


def _around(m: Module, name: str, t: Value, n: int) -> Sequence[Value]:
    """Return the same for a position that is a signal."""
    masks = [Signal(n, name=f"{name}_{k}") for k in range((n - 1) // 2)]
    with m.Switch(t):
        for position in range(1, n):
            with m.Case(position):
                m.d.comb += [x.eq(mask) for x, mask in zip(masks, _masks(position, n), strict=True)]
    return masks


def _distance(positions: Value, around: Sequence[Value]) -> Value:
    """Return the distance of the nearest of `positions` from the middle of `around`."""
    return Cat(~(positions & mask).any() for mask in around)


def _farther(symbol: Value, around: Sequence[Value]) -> Value:
    """Return the distance of one position from the middle of `around`; 0 if it is 1."""
    return Cat((symbol & ~mask)[1:].any() for mask in around)


def _least(m: Module, keys: Sequence[Value]) -> tuple[Value, Value]:
    """Return the least key, and the first place that has it, one-hot."""
    half = len(keys) // 2
    if not half:
        return keys[0], Const(1, 1)
    (low, lower), (high, higher) = _least(m, keys[:half]), _least(m, keys[half:])
    least, is_low = Signal(len(low), name="least"), Signal(name="is_low")
    m.d.comb += [is_low.eq(low <= high), least.eq(Mux(is_low, low, high))]
    return least, Mux(is_low, lower, Cat(Const(0, len(lower)), higher))


class Minimal(RoutingUnit):
    """The shortest route, from a table; combinational (Algorithm 3 of the paper).

    Two ROMs, each addressed by the number of the permutation:
    of output ports, for every ring position of the node and the destination, and of the numbers
    behind the lateral links. A router, where the former position is a constant, keeps its part of
    them only, which is `routing.table_bits()`.
    """

    algorithm = "minimal"

    routing: golden.Minimal

    def elaborate(self, platform: object) -> Module:
        """Look up the port, and what is behind a lateral link."""
        m = Module()
        topology, header = self.routing.topology, self.header
        ports = self._rom(m, "ports", self.routing.ports, len(self.port))
        behind = self._rom(m, "behind", self.routing.behind, len(header.number))
        wrong = header.number >= len(topology.labels)
        if isinstance(topology, Scc):
            n, i = topology.n, (self.straps.i - 1)[: len(self.straps.i)]
            here = ports.word_select(i, len(ports) // (n - 1))
            number = Mux(
                self.port == topology.lateral,
                behind.word_select(i, len(header.number)),
                header.number,
            )
            wrong |= (header.i_d == 0) | (header.i_d >= n)
            m.d.comb += [
                self.port.eq(here.word_select((header.i_d - 1)[: len(header.i_d)], len(self.port))),
                self.next_header.i_d.eq(header.i_d),
                self.next_header.number.eq(number),
            ]
        else:
            m.d.comb += [self.port.eq(ports), self.next_header.number.eq(behind)]
        m.d.comb += self.error.eq((self.arrival == topology.local) & wrong)
        return m

    def _rom(self, m: Module, name: str, table: IntArray, width: int) -> Signal:
        """Return all entries for the permutation, the first lowest."""
        rows = table.reshape(len(table), -1).tolist()
        word = Signal(len(rows[0]) * width, name=name)
        init = [sum(entry << k * width for k, entry in enumerate(row)) for row in rows]
        depth = 1 << len(self.header.number)  # to the end of the addresses: nothing is undefined
        memory: Memory = Memory(shape=len(word), depth=depth, init=init)
        m.submodules[f"{name}_rom"] = memory
        port = memory.read_port(domain="comb")
        m.d.comb += [port.addr.eq(self.header.number), word.eq(port.data)]
        return word


class NearMinimal(StarRouting):
    """The lateral link that promises the shortest route; combinational (Section 6 of the paper)."""

    algorithm = "near-minimal"

    routing: golden.NearMinimal

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return the most promising lateral link."""
        whole = apart(m, p)
        b = bsymbols(m, p, whole)
        if not isinstance(self.routing.topology, Scc):
            return lowest(b)  # there are no local links: all promise the same
        return promising(m, p, whole, b, self.straps.i, self.header.i_d)
