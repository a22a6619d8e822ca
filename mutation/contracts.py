"""Mutants of a component before its contract, which must not hold of them.

All mutants are in one graph, and an input selects one. A mutant is killed if a claim can be broken.
One that is not is compared with the hardware in the same surroundings: whatever the contract leaves
open happens to both, and the outputs of the component are to be equal.
"""

import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from amaranth import Signal

from fingerpost.formal.proofs import Proof
from fingerpost.formal.prove import BROKEN, FOUND, LIMITED, PROVEN, design, run_tool, tool
from fingerpost.golden.arrays import IntArray
from mutation.campaign import Hunt, Killed, Subject
from mutation.mutated import SELECTOR, Mutant, Mutated, mutate_graph

COUNT = 100
"""Mutants of a component, at most."""

PDR = "strash; scorr; pdr", 20
"""What shows that outputs always agree, and after how many seconds of processor time it gives up;
and the last that breaks claims: those about counters, after hundreds of cycles."""

ENGINES = ("strash; bmc3 -F 10", 5), ("strash; scorr -F 3; bmc3 -F 400", 20), PDR
"""What breaks most claims that can be broken, and what breaks others: ports are silent for long
after a reset."""

POSSIBLE = "possible"
"""The trigger that always holds: asserted while all assumptions have held."""

MODULE = re.compile(r"^module \\top\.(dut|router)\n(.*?)^end\n", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^  wire (?:width \d+ )?output \d+ +(?:signed )?\\(\S+)$", re.MULTILINE)
NUMBERED = re.compile(r"\$\d+$")
"""What Amaranth adds to a name that there is twice."""

VALID = {
    port: valid
    for valid, ports in {
        "valid": "flit payload front front_body front_last front_eager front_source received",
        "tvalid": "tdata tkeep tlast tuser",
        "stream__tvalid": "tdest stranger",
        "rvalid": "rdata rresp rid rlast",
        "bvalid": "bresp bid",
        "arvalid": "araddr arlen arsize arburst arprot arcache arqos",
        "awvalid": "awaddr awlen awsize awburst awprot awcache awqos",
        "wvalid": "wdata wstrb wlast",
        "request__tvalid": "dest",
        "r_valid": "r_data",
        "request": "address write wdata",
        "wanted_valid": "wanted",
        "answer_valid": "answer",
        "acked": "acked_peer acked_units",
        "granted": "granted_slot granted_base",
        "ack": "dat_r",
        "byte": "data",
    }.items()
    for port in ports.split()
}
"""Ports that mean something only while another is asserted."""


@dataclass(frozen=True)
class Contracted(Subject):
    """A component in its contract."""

    proof: Proof
    """The contract and its size; with resets in any cycle."""
    without: str = ""
    """The names of parts that have contracts of their own, with spaces between."""
    others: tuple[Proof, ...] = ()
    """Further contracts of the same component, each of which may kill as well."""
    kind = "contract"

    @property
    def name(self) -> str:
        """Return the name of the component."""
        return self.proof.component

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component."""
        return self.proof.component

    def hunt(self, *, count: int, seed: int, cache: Path) -> "ContractHunt":
        """Return graphs with all mutants, one of each contract."""
        first = self._mutated(self.proof, min(count, COUNT), seed)
        others = [self._mutated(proof, COUNT, seed, first[0].commands) for proof in self.others]
        graphs = tuple(Graph(mutated.text, seen) for mutated, seen in (first, *others))
        return ContractHunt(first[0].mutants, graphs)

    def _mutated(
        self, proof: Proof, count: int, seed: int, like: Sequence[str] = ()
    ) -> tuple[Mutated, list[str]]:
        """Return the mutants in a contract, and what is seen of them."""
        contract = proof.make()
        contract.triggers[POSSIBLE] = Signal(init=1)
        text = design([contract])
        found = MODULE.search(text)
        outputs = [f"{found[1]}.{name}" for name in OUTPUT.findall(found[2])] if found else []
        cells = f"c:*{found[1]}.* a:src=*formal/*.py:* %d" if found else "a:src=*hdl/*.py:*"
        for part in self.without.split():
            cells += f" c:*.*{part}.* %d"
        mutated = mutate_graph(
            text,
            count=count,
            seed=seed,
            cells=cells,
            seen=outputs,
            like=like,
        )
        return mutated, outputs or [signal.name for signal in contract.seen.values()]


class ContractHunt(Hunt):
    """ABC before the mutants of graphs; in the surroundings of the first one they are compared."""

    def __init__(self, mutants: tuple[Mutant, ...], graphs: tuple["Graph", ...]) -> None:
        self.mutants, self.graphs = mutants, graphs

    @cached_property
    def digest(self) -> str:
        """Of the graphs and the engines."""
        texts = [graph.text for graph in self.graphs]
        return hashlib.sha256(repr([ENGINES, *texts]).encode()).hexdigest()[:24]

    def kill(self, number: int) -> Killed | None:
        """Return the cycle in which a claim is broken."""
        graphs = [graph.claims(number) for graph in self.graphs]
        for (engine, seconds), aiger in product(ENGINES, graphs):
            if FOUND in (said := _asked(aiger, engine, seconds)):
                (cycle,) = re.findall(rf"{FOUND} (\d+)", said)
                return Killed("contract", int(cycle))
        return None

    def equivalent(self, number: int) -> bool | None:
        """Return whether the outputs always equal those of the hardware."""
        said = _asked(self.graphs[0].differs(number), *PDR)
        return True if any(word in said for word in PROVEN) else False if FOUND in said else None


def _asked(aiger: bytes, engine: str, seconds: int) -> str:
    """Return what ABC says of a graph, within so many seconds of processor time."""
    abc = tool("berkeley-abc", "abc", remedy="on Debian: apt-get install berkeley-abc")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "mutant.aig").write_bytes(aiger)
        steps = f"read_aiger mutant.aig; {engine}"
        return run_tool(["sh", "-c", LIMITED.format(seconds), abc, "-q", steps], Path(folder))


class Graph:
    """An and-inverter graph with a selector, of which one mutant at a time is taken.

    Parameters
    ----------
    text : str
        In the ASCII format of AIGER, with symbols, numbered as the binary format asks.
    seen : sequence of str
        Outputs that must not differ.
    """

    def __init__(self, text: str, seen: Sequence[str]) -> None:
        self.text = text
        lines = text.splitlines()
        self.most, ins, latches, outs, ands = map(int, lines[0].split()[1:])
        rows = [
            [int(word) for word in line.split()] for line in lines[1 : 1 + ins + latches + outs]
        ]
        self.inputs = np.array([row[0] for row in rows[:ins]], np.int64)
        self.latches = np.array([row[:2] for row in rows[ins : ins + latches]], np.int64)
        self.latches = self.latches.reshape(-1, 2)
        gates = [line.split() for line in lines[1 + len(rows) : 1 + len(rows) + ands]]
        self.gates = np.array(gates, np.int64).reshape(-1, 3)
        sources = {"i": [row[0] for row in rows], "o": [row[0] for row in rows[ins + latches :]]}
        self.ports: dict[str, dict[int, int]] = {}
        for line in lines[1 + len(rows) + ands :]:
            place, *symbols = line.split()
            for symbol in symbols if place[0] in sources else ():
                name, _, bit = symbol.rstrip("]").rpartition("[")
                known = self.ports.setdefault(name or symbol, {})
                known[int(bit) if name else 0] = sources[place[0]][int(place[1:])]
        by_name = {NUMBERED.sub("", name): name for name in seen}
        self.groups = [
            (self.bits(by_name[valid]) if valid in by_name else [], self.bits(name))
            for name in seen
            for prefix, dot, last in [
                NUMBERED.sub("", name).rpartition("__" if "__" in name else ".")
            ]
            for valid in [f"{prefix}{dot}{VALID.get(last)}"]
        ]

    def bits(self, name: str) -> list[int]:
        """Return the literals of a port."""
        return [self.ports[name][bit] for bit in sorted(self.ports[name])]

    def _selected(self, number: int) -> IntArray:
        """Return by what to replace literals: those of the selector are constants."""
        found = np.arange(2 * self.most + 2)
        for bit, literal in self.ports[SELECTOR].items():
            value = number >> bit & 1
            found[literal], found[literal ^ 1] = value, 1 - value
        return found

    def claims(self, number: int) -> bytes:
        """Return the graph of a mutant, with the output that is 1 if a claim is broken."""
        now = self._selected(number)
        gates = self.gates.copy()
        gates[:, 1:] = now[gates[:, 1:]]
        (broken,) = self.bits(f"{BROKEN}0")
        return _binary(len(self.inputs), now[self.latches[:, 1]], int(now[broken]), gates)

    def differs(self, number: int) -> bytes:
        """Return hardware and mutant with the same inputs, and whether they differ."""
        ins, latches, ands = len(self.inputs), len(self.latches), len(self.gates)
        literals = np.arange(2 * self.most + 2)
        first, after = 1 + ins, 1 + ins + 2 * latches
        next_, gates, copies = list[IntArray](), list[IntArray](), list[IntArray]()
        for copy, selected in enumerate((self._selected(0), self._selected(number))):
            variable = np.zeros(self.most + 1, np.int64)
            variable[self.inputs >> 1] = np.arange(1, first)
            variable[self.latches[:, 0] >> 1] = first + copy * latches + np.arange(latches)
            variable[self.gates[:, 0] >> 1] = after + copy * ands + np.arange(ands)
            renamed = variable[literals >> 1] << 1 | literals & 1
            copies.append(renamed[selected])
            next_.append(copies[-1][self.latches[:, 1]])
            both = [renamed[self.gates[:, :1]], copies[-1][self.gates[:, 1:]]]
            gates.append(np.concatenate(both, axis=1))
        more = _Gates(after + 2 * ands)
        one, other = copies
        unequal = []
        for valid, bits in self.groups:
            differ = [more.xor(int(one[x]), int(other[x])) for x in bits if one[x] != other[x]]
            differ = [more.any(differ)] if differ else []
            if valid and differ:
                differ = [more.both(differ[0], more.any([int(one[x]) for x in valid]))]
            unequal += differ
        (possible,) = self.bits(f"trigger0_{POSSIBLE}")
        differs = more.both(more.any(unequal), int(one[possible]))
        every = np.concatenate([*gates, np.array(more.rows, np.int64).reshape(-1, 3)])
        return _binary(ins, np.concatenate(next_), differs, every)


class _Gates:
    """Gates behind others."""

    def __init__(self, variable: int) -> None:
        self.variable, self.rows = variable, list[tuple[int, int, int]]()

    def both(self, one: int, other: int) -> int:
        """Return a literal that is 1 where both are."""
        self.rows.append((2 * self.variable, one, other))
        self.variable += 1
        return self.rows[-1][0]

    def any(self, several: Sequence[int]) -> int:
        """Return a literal that is 1 where one of them is."""
        none = 1
        for each in several:
            none = self.both(none, each ^ 1)
        return none ^ 1

    def xor(self, one: int, other: int) -> int:
        """Return a literal that is 1 where they differ."""
        return self.any([self.both(one, other ^ 1), self.both(one ^ 1, other)])


def _binary(inputs: int, latches: IntArray, output: int, gates: IntArray) -> bytes:
    """Return a graph in the binary format of AIGER; inputs, latches and gates follow in order."""
    most = inputs + len(latches) + len(gates)
    lines = [f"aig {most} {inputs} {len(latches)} 1 {len(gates)}", *map(str, latches), str(output)]
    high, low = gates[:, 1:].max(axis=1), gates[:, 1:].min(axis=1)
    steps = np.stack([gates[:, 0] - high, high - low], axis=1).ravel()
    more = ((steps >> 7 * k > 0).astype(np.int64) for k in range(1, 5))
    size = sum(more, np.ones(len(steps), np.int64))
    ends = np.cumsum(size)
    coded = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    for k in range(5):
        there = size > k
        rest = (k < size[there] - 1).astype(np.int64) << 7
        coded[(ends - size)[there] + k] = steps[there] >> 7 * k & 127 | rest
    return "\n".join([*lines, ""]).encode() + coded.tobytes()
