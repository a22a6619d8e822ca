"""And-inverter graphs as text: what a counterexample does in every cycle; in binary, for abc.

References
----------
.. [1] A. Biere, The AIGER And-Inverter Graph (AIG) Format Version 20071012.
"""

from collections.abc import Sequence


def binary(graph: str, *outputs: str) -> bytes:
    """Return a graph with some of its outputs in the binary format of AIGER [1]_, without symbols.

    Parameters
    ----------
    graph : str
        In the ASCII format, with symbols, numbered as the binary format asks.
    outputs : str
        Their names; each has one bit.
    """
    lines = graph.splitlines()
    most, ins, latches, outs, ands = map(int, lines[0].split()[1:])
    rows = [[int(word) for word in line.split()] for line in lines[1 : 1 + ins + latches + outs]]
    symbols = (line.split() for line in lines[1 + ins + latches + outs + ands :])
    numbers = {name: int(at[1:]) for at, *names in symbols if at[0] == "o" for name in names}
    text = [f"aig {most} {ins} {latches} {len(outputs)} {ands}"]
    text += [" ".join(map(str, row[1:])) for row in rows[ins : ins + latches]]
    text += [str(rows[ins + latches + numbers[name]][0]) for name in outputs]
    gates = bytearray()
    for line in lines[1 + ins + latches + outs :][:ands]:
        gate, high, low = (int(word) for word in line.split())
        for step in (gate - high, high - low):
            size = max(1, -(-step.bit_length() // 7))
            gates.extend(step >> 7 * i & 127 | (i < size - 1) << 7 for i in range(size))
    return ("\n".join(text) + "\n").encode() + bytes(gates)


def trace(graph: str, inputs: Sequence[str]) -> list[dict[str, int]]:
    """Return the value of every named input and output, cycle by cycle.

    Parameters
    ----------
    graph : str
        In the ASCII format of AIGER [1]_, with symbols; all latches start at 0.
    inputs : sequence of str
        Of each cycle the bits of all inputs, ``0`` or ``1``.
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
    names: list[tuple[int, str, int]] = []
    for line in lines[1 + ins + latches + outs + ands :]:
        if line == "c":
            break
        number, *symbols = line.split()
        if number[0] in "io":
            literal = (sources if number[0] == "i" else results)[int(number[1:])]
            for symbol in symbols:
                name, _, place = symbol.rstrip("]").rpartition("[")
                names.append((literal, name or symbol, int(place) if name else 0))

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
        for literal, name, index in names:
            cycle[name] = cycle.get(name, 0) | bit(literal) << index
        cycles.append(cycle)
        state = {row[0]: bit(row[1]) for row in registers}
    return cycles
