"""The model with hardware beside it, as one engine: it stops where they differ."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fingerpost.golden.engine import Engine, Record, engine
from fingerpost.golden.measure.soak import SoakError
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled.assembly import Rows
from fingerpost.testbench.compiled.lock_step import CompiledLockStep
from fingerpost.testbench.lock_step import Chunk, Comparison
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.write import write


class HardwareBeside:
    """The nodes of a network, compiled, that stand beside one engine after the other.

    Parameters
    ----------
    network : AnyNetwork
        One that the compiled model can run.
    directory : Path
        Where `fingerpost.testbench.cosim.run` writes, too.
    sources : sequence of Path, optional
        Verilog to run instead of what is generated.

    Raises
    ------
    BenchError
        If something does not compile, or an input of a node reaches an output within a cycle.
    ToolError
        If a tool is missing.
    """

    def __init__(
        self,
        network: AnyNetwork,
        directory: Path,
        *,
        sources: Sequence[Path] | None = None,
        progress: Progress | None = None,
    ) -> None:
        bench = make(network, "network", engine="compiled")
        with TemporaryDirectory() as folder:
            files = sources or write(bench, Path(folder))
            self.compiled = CompiledLockStep(
                bench, files, directory / bench.engine, progress=progress
            )
        self.hardware = self.compiled.assembly.hardware()

    def engine(
        self,
        network: AnyNetwork,
        traffics: Sequence[Traffic],
        *,
        stall: float = 0.0,
        **options: Any,
    ) -> "Beside":
        """Return an engine for one traffic; it resets the hardware, which ends any earlier one."""
        self.hardware.reset()
        return Beside(engine(network, traffics, stall=stall, compiled=True, **options), self)


class Beside(Engine):
    """An engine that goes no further than hardware does the same.

    Parameters
    ----------
    model : Engine
        Of one run.
    beside : HardwareBeside
        The hardware, after its reset.

    Raises
    ------
    ValueError
        If there are several runs.
    """

    name = "compiled"

    def __init__(self, model: Engine, beside: HardwareBeside) -> None:
        if len(model.runs) != 1:
            raise ValueError(f"Hardware needs one run, not {len(model.runs)}")
        self.model, self.beside, self.runs = model, beside, model.runs
        self.rows = Rows(beside.compiled.layout)

    def _start(self, traffics: Sequence[Traffic], start: Callable[..., Any]) -> None:
        self.model._start(traffics, start)

    def _recording(self, cycles: int) -> Any:
        return self.model._recording(cycles)

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        """Go through so many cycles.

        Raises
        ------
        SoakError
            If a link or a terminal of the hardware differs.
        """
        most = self.beside.compiled.chunk
        for begin in range(0, cycles, most):
            if until_delivered and self.runs[0].all_delivered:
                return
            self.record(min(most, cycles - begin))

    def record(self, cycles: int) -> Record:
        """Go through so many cycles; return what went in and came out.

        Raises
        ------
        SoakError
            If a link or a terminal of the hardware differs.
        """
        record = self.model.record(cycles)
        chunk = Chunk(cycles, record.given, (record.links, record.terminals))
        given, expected = self.rows.of(chunk)
        done, seen = self.beside.hardware.run(given, expected)
        if done < cycles:
            columns = map(self.rows.columns, (expected[done], seen))
            compared = Comparison(self.beside.compiled.layout)
            raise SoakError(compared.compare(record.first + done, *columns))
        return record
