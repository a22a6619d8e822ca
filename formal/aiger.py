"""And-inverter graphs as text: what a counterexample does in every cycle."""

from collections.abc import Sequence

__all__ = ["trace"]


def trace(graph: str, inputs: Sequence[str]) -> list[dict[str, int]]:
    """Return the value of every named input and output, cycle by cycle.

    Parameters
    ----------
    graph : str
        In the ASCII format of AIGER, with symbols; all latches start at 0.
    inputs : sequence of str
        Of each cycle the bits of all inputs, ``0`` or ``1``.

    References
    ----------
    .. [1] A. Biere, The AIGER And-Inverter Graph (AIG) Format Version 20071012.
    """
    lines = graph.splitlines()
    _, _, ins, latches, outs, ands = (
        int(word) if word != "aag" else 0 for word in lines[0].split()
    )
    rows = [
        [int(word) for word in line.split()] for line in lines[1 : 1 + ins + latches + outs + ands]
    ]
    sources, rows = [row[0] for row in rows[:ins]], rows[ins:]
    registers, rows = rows[:latches], rows[latches:]
    results, gates = [row[0] for row in rows[:outs]], sorted(rows[outs:])
    names = {}
    for line in lines[1 + ins + latches + outs + ands :]:
        if line == "c":
            break
        place, name = line.split(maxsplit=1)
        if place[0] in "io":
            names[(sources if place[0] == "i" else results)[int(place[1:])], place[0], name] = 0

    state = dict.fromkeys((row[0] for row in registers), 0)
    cycles = []
    for word in inputs:
        value = {0: 0, 1: 1}

        def bit(literal: int, value: dict[int, int] = value) -> int:
            return value[literal & ~1] ^ (literal & 1)

        value.update(zip(sources, map(int, word), strict=True))
        value.update(state)
        for result, left, right in gates:
            value[result] = bit(left) & bit(right)
        cycle: dict[str, int] = {}
        for literal, _, symbol in names:
            name, _, index = symbol.rstrip("]").partition("[")
            cycle[name] = cycle.get(name, 0) | bit(literal) << int(index or 0)
        cycles.append(cycle)
        state = {row[0]: bit(row[1]) for row in registers}
    return cycles
