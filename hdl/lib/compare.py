"""Comparison with what is constant in the end."""

from amaranth import C, Mux, Value


def at_least(value: Value, bound: Value) -> Value:
    """Return whether value >= bound, bit by bit.

    For `>=` synthesis takes a carry chain, and keeps it if the bound, a strap, turns out to be
    constant. Of this nothing is left then but an AND or an OR at each bit: 3 or 4 LUTs for 11 bits.
    """
    above: Value = C(1, 1)
    for i in range(max(len(value), len(bound))):
        v, b = (x[i] if i < len(x) else C(0, 1) for x in (value, bound))
        above = Mux(v ^ b, v, above)
    return above
