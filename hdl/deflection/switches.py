"""Ranks of 2 x 2 switches; the twin of fingerpost.golden.network.switches."""

from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from amaranth import Const, Module, Mux, Signal, Value

from fingerpost.golden.network.switches import RANKS, Passage, Reach, compared, reach


@dataclass
class Slots:
    """What the switches look at and exchange, by slot."""

    flit: list[Value]
    """What decides of a flit, and whether there is one."""
    payload: list[Value]
    """What it carries; no decision depends on that, so its registers have no reset."""
    wanted: list[dict[int, Value]]
    """Whether each output slot that can still be reached is productive."""
    first: dict[tuple[int, int], Value]
    """Of pairs of slots, the lower one first: whether its flit has the higher priority."""
    key: list[dict[int, Value]] = field(default_factory=list)
    """The key by output slot, likewise; empty before the last rank."""
    prefers: list[tuple[Value, Value]] = field(default_factory=list)
    """The sides of the first switch that are the only productive ones, where they are known."""
    down: list[Value] = field(default_factory=list)
    """By slot in which they start: that its link is not up; empty if all links always are."""

    def registered(self, m: Module, name: str) -> "Slots":
        """Return them behind a register."""

        def kept(value: Value, what: str, *, reset_less: bool = False) -> Value:
            register = Signal(len(value), name=f"{name}_{what}", reset_less=reset_less)
            m.d.sync += register.eq(value)
            return register

        return Slots(
            [kept(flit, f"flit{slot}") for slot, flit in enumerate(self.flit)],
            [
                kept(payload, f"payload{slot}", reset_less=True)
                for slot, payload in enumerate(self.payload)
            ],
            [
                {out: kept(bit, f"wanted{slot}_{out}") for out, bit in bits.items()}
                for slot, bits in enumerate(self.wanted)
            ],
            {(a, b): kept(bit, f"first{a}_{b}") for (a, b), bit in self.first.items()},
            down=[kept(bit, f"down{slot}") for slot, bit in enumerate(self.down)],
        )


def pass_rank(
    m: Module, slots: Slots, rank: int, passages: tuple[Passage, ...] | None = None
) -> Slots:
    """Return the slots behind a rank of switches, by its number.

    The `passages` are those of the rank, of slots whose links are not up.
    """
    links = len(slots.flit)
    flit, payload = list(slots.flit), list(slots.payload)
    wanted, key = list(slots.wanted), list(slots.key)
    swaps: dict[int, tuple[int, Value]] = {}
    for place, ((a, b), side) in enumerate(
        zip(RANKS[links][rank], reach(links)[rank], strict=True)
    ):
        swap = Signal(name=f"swap{rank}_{a}_{b}")
        prefers = [
            slots.prefers[slot] if slots.prefers else _prefers(slots.wanted[slot], side)
            for slot in (a, b)
        ]
        crosses = _crosses(slots.first[a, b], *prefers)
        if passages and slots.down:
            through = passages[place]
            fixed = slots.down[through.a] | slots.down[through.b]
            crosses = crosses | fixed if through.crosses else crosses & ~fixed
        m.d.comb += swap.eq(crosses)
        swaps[a], swaps[b] = (b, swap), (a, swap)
        for each, was in ((flit, slots.flit), (payload, slots.payload)):
            each[a], each[b] = Mux(swap, was[b], was[a]), Mux(swap, was[a], was[b])
        for some, had in ((wanted, slots.wanted), (key, slots.key)):
            for slot, other, where in ((a, b, side.first), (b, a, side.second)):
                if had:
                    some[slot] = {
                        out: Mux(swap, had[other][out], had[slot][out])
                        for out in where.nonzero()[0].tolist()
                    }
    first = {pair: _first(slots, swaps, *pair) for pair in compared(links)[rank + 1]}
    return Slots(flit, payload, wanted, first, key, down=slots.down)


def _prefers(wanted: dict[int, Value], side: Reach) -> tuple[Value, Value]:
    """Return whether only the first side of a switch is productive, and only the second."""
    first, second = (
        reduce(or_, [wanted[out] for out in where.nonzero()[0].tolist()]) for where in side
    )
    return first & ~second, second & ~first


def _crosses(first: Value, a: tuple[Value, Value], b: tuple[Value, Value]) -> Value:
    """Return whether a switch exchanges its flits, as `golden.network.switches.crosses`."""
    (a_stays, a_goes), (b_goes, b_stays) = a, b
    return Mux(first, a_goes | (~a_stays & b_goes), b_goes | (~b_stays & a_goes))


def _first(slots: Slots, swaps: dict[int, tuple[int, Value]], x: int, y: int) -> Value:
    """Return whether the flit that comes to slot x has a higher priority than that in y."""

    def before(p: int, q: int) -> Value:
        return slots.first[p, q] if p < q else ~slots.first[q, p]

    other_x, swap_x = swaps.get(x, (x, Const(0)))
    other_y, swap_y = swaps.get(y, (y, Const(0)))
    if other_x == y:
        return before(x, y) ^ swap_x

    def row(p: int) -> Value:
        stays = before(p, y)
        return stays if other_y == y else Mux(swap_y, before(p, other_y), stays)

    return row(x) if other_x == x else Mux(swap_x, row(other_x), row(x))
