"""A component many times side by side, each joined with a bench or its model and with no other."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from amaranth.lib import wiring

from fingerpost.testbench.compiled.assembly import bits
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.wiring import ports
from fingerpost.testbench.packing import Columns, Fields, fill
from fingerpost.testbench.terminals.stimulus import Ports, Stimulus
from mutation.equivalent import equivalent
from mutation.mutated import SELECTOR, Mutant, Mutated
from mutation.subject import Subject, Trial, Turn, selectable

__all__ = ["Beside", "InLanes", "Lanes"]

CLOCKS = "clk", SELECTOR

TEXT = """\
module lanes(
  input clk,
  input rst,
  input [{sent}:0] sent,
  output [{received}:0] received
);
{nodes}
endmodule
"""

BENCH = """\
module network_bench(
  input clk,
  input rst,
  input [{sent}:0] given,
  output [{received}:0] seen
);
  lanes n(.clk(clk), .rst(rst), .sent(given), .received(seen));
endmodule
"""

LANES = 16


class Lanes:
    """Mutants of a component, many times side by side.

    Parameters
    ----------
    mutated : Mutated
    module : str
    count : int
        How often it stands there.
    names : mapping
        What its outputs are called, where that is not their name: of ``head``, ``tail`` and
        ``data`` only what is there with ``valid`` means anything.
    restarts : bool
        Whether each has a reset of its own, `rst` of what is given.
    """

    def __init__(
        self,
        mutated: Mutated,
        module: str,
        *,
        count: int,
        names: Mapping[str, str],
        restarts: bool = False,
    ) -> None:
        self.mutated, self.module, self.count = mutated, module, count
        known = [port for port in ports(mutated.verilog)[module] if port.name not in CLOCKS]
        own = [port for port in known if not port.output and (restarts or port.name != "rst")]
        self.inputs: Fields = [(port.name, port.width) for port in own]
        self.outputs: Fields = [(port.name, port.width) for port in known if port.output]
        self.seen: Fields = [(names.get(name, name), width) for name, width in self.outputs]
        self.restarts = restarts

    def _sources(self) -> dict[str, str]:
        sent, received = bits(self.inputs), bits(self.outputs)
        nodes = []
        for lane in range(self.count):
            joined = [".clk(clk)", *([] if self.restarts else [".rst(rst)"])]
            joined += _parts(self.inputs, "sent", lane * sent)
            joined += _parts(self.outputs, "received", lane * received)
            nodes.append(f"  {self.module} node_{lane}(\n    {', '.join(joined)}\n  );")
        widths = {"sent": sent * self.count - 1, "received": received * self.count - 1}
        return {
            "network.v": TEXT.format(nodes="\n".join(nodes), **widths),
            "bench.v": BENCH.format(**widths),
        }

    def words(self, given: Sequence[Columns], expected: Sequence[Columns]) -> tuple[Words, Words]:
        """Return what is given and expected in each cycle as words."""
        return _filled(self.inputs, given), _filled(self.seen, expected)

    def trial(self, name: str, turns: Iterable[Turn], cache: Path) -> Trial:
        """Return the bench, compiled.

        Raises
        ------
        BenchError
            If something does not compile.
        """
        return Trial.of(
            name,
            selectable(self._sources(), self.module, self.mutated.verilog),
            turns,
            sent=self.inputs,
            groups=[(self.count, self.seen)],
            cache=cache,
        )


class InLanes(Subject):
    """Hardware whose only bench has it many times side by side.

    Attributes
    ----------
    bench : str
        What the bench is called.
    lanes : int
        How often the hardware stands there.
    names, restarts
        As of `Lanes`.
    """

    bench: ClassVar[str] = "terminal"
    lanes: ClassVar[int]
    names: ClassVar[Mapping[str, str]] = {}
    restarts: ClassVar[bool] = False

    @abstractmethod
    def _turns(self, lanes: Lanes) -> Iterable[Turn]:
        """Return what is given after each reset, and all that golden says of it."""

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the bench."""
        lanes = Lanes(
            mutated, self.module, count=self.lanes, names=self.names, restarts=self.restarts
        )
        return [lanes.trial(self.bench, self._turns(lanes), cache)]

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same, whatever goes in."""
        return equivalent(mutated.verilog, self.module, number, cache=cache)


def _parts(fields: Fields, vector: str, at: int) -> Iterator[str]:
    """Yield the connections of ports to parts of a vector from a bit on."""
    for name, width in fields:
        yield f".{name}({vector}[{at} +: {width}])"
        at += width


def _filled(fields: Fields, cycles: Sequence[Columns]) -> Words:
    """Return a row for each cycle: in it the words of each lane, one lane after the other."""
    if not cycles:
        return np.zeros((0, 0), np.uint64)
    columns = {name: np.array([each[name] for each in cycles], np.int64) for name, _ in fields}
    lanes = len(cycles[0][fields[0][0]])
    found = np.zeros((len(cycles), lanes, words(bits(fields))), np.uint64)
    fill(fields, columns, found)
    return found.reshape(len(cycles), -1)


@dataclass(frozen=True)
class Beside(InLanes):
    """A component behind registers, and its model, many times, each in surroundings of its own.

    Attributes
    ----------
    kind : str
        What stands before the names of its components.
    stimulus : callable
        Returns the component, and what goes in and comes out, by a seed.
    turns : tuple of int
        Clocks after each reset.
    """

    name: str
    kind: str
    stimulus: Callable[..., Stimulus]
    turns: tuple[int, ...]
    within: str = r"^inner\.(?!port)"  # contracts have the ports of buses
    module: str = field(default="beside", init=False)
    count = 200
    lanes = LANES

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        inner = (mutant.component or "").removeprefix("inner").lstrip(".")
        return f"{self.kind}, {inner}" if inner else self.kind

    def component(self) -> wiring.Component:
        """Return the component behind registers."""
        return self.stimulus(seed=0).component()

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        for turn, long in enumerate(self.turns):
            several = [self.stimulus(seed=turn * LANES + lane) for lane in range(LANES)]
            clocks = [[each.clock() for each in several] for _ in range(long)]
            given = [_columns([each[0] for each in clock], lanes.inputs) for clock in clocks]
            seen = [_columns([each[1] for each in clock], lanes.outputs) for clock in clocks]
            first = _columns([each.after_reset for each in several], lanes.outputs)
            yield lanes.words(given, [first, *seen[:-1]])  # what goes in comes a clock later


def _columns(lanes: Sequence[Ports], fields: Any) -> Columns:
    """Return the values of ports by lane; those that are not given are 0."""
    return {
        name: np.array([ports.get(name, 0) for ports in lanes], np.uint64).astype(np.int64)
        for name, _ in fields
    }
