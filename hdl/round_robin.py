"""Taking turns: the next after the last, by one-hot words."""

from amaranth import Cat, Module, Mux, Signal, Value

from hdl.priority import lowest

__all__ = ["next_after"]


def next_after(m: Module, name: str, last: Value, requests: Value) -> Signal:
    """Return one-hot the first of `requests` above the bit `last`, or else the first of all.

    `last` is one-hot, or 0: then it is the first of all.
    """
    width = len(requests)
    later, anyone, turn = (
        Signal(width, name=f"{name}_{what}") for what in ("later", "all", "next")
    )
    m.d.comb += [
        anyone.eq(requests),
        later.eq(requests & Cat(last[:i].any() for i in range(width))),
        turn.eq(Mux(later.any(), lowest(later), lowest(anyone))),
    ]
    return turn
