"""Timing diagrams: what was seen of signals in a simulation, cycle by cycle, and pictures of it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Protocol

from amaranth import Elaboratable, Value
from amaranth.hdl import ValueLike
from amaranth.sim import Simulator

from fingerpost.drawing.picture import adapting
from fingerpost.jobs.files import write_text
from fingerpost.testbench.compiled.wiring import ports
from fingerpost.testbench.context import Context

COLOURS = {"H": "3", "T": "5", "HT": "7", "": "x"}
"""The boxes that are not as all others, by the first word in them."""

CHANGES = {
    r"<style>@media\(.*?</style>": '<rect width="100%" height="100%" fill="#fff"/>',
    r"text\{font-size:11pt": "text{font-size:10pt",
    r"font-family:Helvetica\}": "font-family:Helvetica,Arial,sans-serif}",
}
"""In WaveDrom's picture: paper for its turning colours round on dark pages, and smaller letters."""


@dataclass(frozen=True)
class Trace:
    """A row of a diagram."""

    name: str
    seen: tuple[int | str, ...]
    """The level of a wire, 0 or 1, or what is written into a box; "" where nothing is said."""


@dataclass(frozen=True)
class Diagram:
    """What is drawn."""

    groups: Mapping[str, tuple[Trace, ...]]
    """The rows, by what they belong to."""
    first: int = 0
    """The number of the first cycle."""
    step: int = 1
    """A number stands at each cycle that it divides."""
    dense: bool = False
    """Whether cycles are drawn narrow, and no clock."""
    scale: int = 1
    """How many times as wide as else a cycle is: for long words."""

    @property
    def title(self) -> str:
        """Return what is drawn in one line: the rows of each group, and how many cycles."""
        cycles = len(next(iter(self.groups.values()))[0].seen)
        rows = "; ".join(
            (f"{name}: " if name else "") + ", ".join(trace.name for trace in traces)
            for name, traces in self.groups.items()
        )
        return f"{cycles} cycles of {rows}"

    def trace(self, name: str) -> tuple[int | str, ...]:
        """Return what was seen in the row of a name."""
        return next(
            trace.seen for traces in self.groups.values() for trace in traces if trace.name == name
        )


def waves(diagram: Diagram) -> dict[str, Any]:
    """Return a diagram as WaveDrom takes it."""
    cycles = len(next(iter(diagram.groups.values()))[0].seen)
    clock = [] if diagram.dense else [{"name": "clk", "wave": "p" + "." * (cycles - 1)}]
    groups = [[name, *map(row, traces)] for name, traces in diagram.groups.items()]
    numbers = {"tick": diagram.first, "every": diagram.step}
    return {
        "signal": [*clock, *groups],
        # WaveDrom cannot number one cycle alone.
        "head": numbers if cycles > 1 else {"text": f"cycle {diagram.first}"},
        "config": {"skin": "narrower" if diagram.dense else "default", "hscale": diagram.scale},
    }


def boxes(valid: Sequence[int], flits: Sequence[int], *, digits: int = 2) -> tuple[str, ...]:
    """Return what is written for the flits on some wires: if they are head or tail, and data.

    The data is hexadecimal.
    """
    kinds = "", "H ", "T ", "HT "
    return tuple(
        f"{kinds[flit & 3]}{flit >> 2:0{digits}X}" if on else ""
        for on, flit in zip(valid, flits, strict=True)
    )


def row(trace: Trace) -> dict[str, Any]:
    """Return a row: a letter for each cycle, a dot where it is as before, and words of boxes."""
    wave, words, before = "", [], None
    for now in trace.seen:
        if now == before:
            wave += "."
        elif isinstance(now, int):
            wave += str(now)
        else:
            wave += COLOURS.get(now.partition(" ")[0], "4")
            words += [now] if now else []
        before = now
    return {"name": trace.name, "wave": wave, "data": words}


def svg(diagram: Diagram) -> str:
    """Return a diagram as a picture that is black on white wherever it is shown.

    Raises
    ------
    ValueError
        If this is another WaveDrom, whose pictures are otherwise.
    """
    from yowasp_wavedrom import render

    text: str = render(waves(diagram))
    for found, instead in CHANGES.items():
        text, changed = re.subn(found, instead, text, count=1)
        if not changed:
            raise ValueError(f"A picture of WaveDrom needs {found!r} in it, which is changed")
    return f"{text}\n"


Get = Callable[[ValueLike], Any]
"""Returns the value of a signal."""


class Drive(Protocol):
    """What stands around the hardware."""

    def __call__(self, cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        """Return the inputs of a cycle; `get` returns the value of any other signal."""


class Sender:
    """Sends flits into a port, on its first channel, as soon as there is a credit."""

    def __init__(self, end: Any, flits: Sequence[tuple[int, int, int]], credits: int) -> None:
        self.end, self.flits, self.credits = end, list(flits), credits
        self.counted: list[int] = []

    @property
    def sends(self) -> bool:
        """Return whether a flit goes in this cycle; none does in the first."""
        return bool(self.flits) and self.counted[-1] > 0 and len(self.counted) > 1

    def drive(self, get: Get) -> Iterator[tuple[Any, Any]]:
        """Send a flit, or none."""
        self.counted.append(self.credits)
        self.credits += get(self.end.credit)
        yield self.end.valid, int(sends := self.sends)
        if sends:
            self.credits -= 1
            yield self.end.flit, dict(zip(("head", "tail", "data"), self.flits.pop(0), strict=True))


class Receiver:
    """Takes flits from a port, and returns the credit of each some cycles after it arrived.

    Parameters
    ----------
    end : Any
        The port.
    wait : int
        The cycles.
    pace : int, optional
        Cycles from a place to the next at least; by default as many, so one flit at a time.
    """

    def __init__(self, end: Any, wait: int = 0, pace: int | None = None) -> None:
        self.end, self.wait, self.pace = end, wait, wait if pace is None else pace
        self.due: list[tuple[int, int]] = []

    def drive(self, cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        """Take what comes, and give a credit back."""
        if channel := get(self.end.valid):
            after = [when + self.pace for when, _ in self.due[-1:]]
            self.due.append((max([cycle + self.wait, *after]), channel))
        back = bool(self.due) and self.due[0][0] <= cycle
        yield self.end.credit, self.due.pop(0)[1] if back else 0


def record(
    hardware: Elaboratable,
    drive: Drive,
    watch: Mapping[str, ValueLike],
    cycles: int,
    domain: str = "sync",
) -> dict[str, list[int]]:
    """Simulate the hardware, and return what each signal was in each cycle, after a reset.

    The cycles are those of one of its clock domains.
    """
    seen: dict[str, list[int]] = {name: [] for name in watch}

    async def bench(ctx: Context) -> None:
        for cycle in range(cycles):
            for signal, value in drive(cycle, ctx.get):
                ctx.set(signal, value)
            for name, signal in watch.items():
                seen[name].append(ctx.get(Value.cast(signal)))
            await ctx.tick(domain)

    simulator: Any = Simulator(hardware)
    simulator.add_clock(1e-6, domain=domain)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


RESET_NS, CYCLE_NS = 5, 2
"""Cycle c is in a waveform of cocotb's from 5 + 2 c ns on: three cycles of reset come before it,
and all of the parts of the run before, and their resets."""

PAYLOAD = "head", "tail", "data"


def files(result: Any) -> dict[str, str]:
    """Write picture and view beside the waveform, and return their paths; none without one."""
    told = result.details.get("difference")
    if not told or result.waveform is None:
        return {}
    waveform = Path(result.waveform)
    picture = waveform.with_name("difference.svg")
    drawn = diagram(told)
    write_text(picture, adapting(svg(drawn), drawn.title))
    found = {"picture": str(picture)}
    if result.bench.engine == "cocotb":
        saved = waveform.with_name("difference.gtkw")
        top = ("TOP." if result.simulator == "verilator" else "") + f"{result.bench.top}.n"
        sources = Path(result.results_xml).parent / "sources"
        write_text(saved, view(told, waveform=waveform, top=top, sources=sources))
        found["view"] = str(saved)
    return found


def diagram(told: Mapping[str, Any]) -> Diagram:
    """Return what model and hardware had at the place of the difference, up to its cycle."""
    model, hardware = told["model"], told["hardware"]
    where = "terminal" if told["port"] is None else f"port {told['port']}"
    cycles = len(model[told["field"]])
    return Diagram(
        {
            f"{name}: {where} of node {told['node']}": tuple(
                Trace(field, shown(field, seen)) for field in seen
            )
            for name, seen in (("model", model), ("hardware", hardware))
        }
        | {"": (Trace(f"{told['field']} differs", (*[0] * (cycles - 1), 1)),)},
        first=told["cycle"] - cycles + 1,
    )


def shown(field: str, seen: Mapping[str, list[int]]) -> tuple[int | str, ...]:
    """Return the row of a field: levels if it is never above 1, else boxes."""
    valid = (
        seen.get("valid", [1] * len(seen[field])) if field in PAYLOAD else [1] * len(seen[field])
    )
    if field != "data" and max(seen[field]) <= 1:
        return tuple(each if on else 0 for each, on in zip(seen[field], valid, strict=True))
    return tuple(f"{each:X}" if on else "" for each, on in zip(seen[field], valid, strict=True))


def view(told: Mapping[str, Any], *, waveform: Path, top: str, sources: Path) -> str:
    """Return a view for GTKWave: the ports of the node, those that differ first, at the cycle.

    Raises
    ------
    ValueError
        If the node is not in the sources.
    """
    from vcd.gtkw import GTKWSave

    network = (sources / "network.v").read_text(encoding="utf-8")
    instance = rf"^  (\w+)(?: #\(.*?\))? node_{told['node']}\([^\n]*(.*?)\);"
    place = re.search(instance, network, flags=re.M | re.S)
    if place is None:
        raise ValueError(f"{sources}: there is no node_{told['node']} in network.v")
    module, connections = place.groups()
    declared = ports((sources / f"{module}.v").read_text(encoding="utf-8"))[module]
    widths = {port.name: port.width for port in declared}
    traced = [port for port in re.findall(r"\.(\w+)\(", connections) if port in widths]
    end = ("inject", "eject") if told["port"] is None else (f"outputs__{told['port']}_",)
    traced.sort(key=lambda port: (port not in ("clk", "rst"), not port.startswith(end)))
    written = StringIO()
    save = GTKWSave(written)
    save.dumpfile(str(waveform), abspath=False)
    cycle = told["before"] + told["cycle"]
    save.timestart(max(0, RESET_NS + CYCLE_NS * (cycle - 10)))
    save.zoom_markers(zoom=-3.0, marker=RESET_NS + CYCLE_NS * cycle)
    save.treeopen(f"{top}.node_{told['node']}.")
    for port in traced:
        bits = f"[{widths[port] - 1}:0]" if widths[port] > 1 else ""
        save.trace(f"{top}.node_{told['node']}.{port}{bits}")
    return written.getvalue()
