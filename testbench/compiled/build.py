"""Compile nodes and the harness around them, each once, into a folder that is kept."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fingerpost.golden import caches
from fingerpost.hdl.emit.files import fresh_folder, locked
from fingerpost.testbench import toolchain
from fingerpost.testbench.compiled.bit_parallel import parallel_source
from fingerpost.testbench.compiled.gates import gates
from fingerpost.testbench.compiled.node import TOP, node_source, node_verilog
from fingerpost.testbench.compiled.plan import Kind
from fingerpost.testbench.runner import BenchError, Progress, cached, is_complete

HERE = Path(__file__).parent

ENGINE = HERE / "lock_step.cpp"

SEVERAL = 32
"""Nodes of a kind from which on they are evaluated side by side, and not by Verilator."""

VERILATE = (
    *("verilator", "--cc", "-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast"),
    *("--no-timing", "--timescale", "1ns/1ns", "--output-split", "0"),
    *("--prefix", "Vnode", "--Mdir", "."),
)

DEFINITIONS = "SC=0 TIMING=0 TRACE_FST=0 TRACE_SAIF=0"
"""What Verilator's own make files define."""

COMPILE = (
    *("g++", "-std=gnu++17", "-fPIC", "-fvisibility=default", "-fno-gnu-unique", "-w", "-I."),
    *(f"-DVM_{definition}" for definition in DEFINITIONS.split()),
)

OPTIMISE = "-O2"
"""What more than this makes faster is less than what it costs to compile."""

SUPPORT = ("verilated", "verilated_threads")

MEMORY = re.compile(r"\bVlUnpacked<\w+(?:/\*.*?\*/)?, (\d+)> (\w+__DOT__memory);")
"""What Verilator declares a memory as."""

COVER = "--coverage-line", "--coverage-toggle"


@dataclass(frozen=True)
class Libraries:
    """What was built: that of the network, and those of the nodes by module."""

    network: Path
    nodes: dict[str, Path]


class _Job(NamedTuple):
    """A folder, and what fills it if it is not there; see `fingerpost.testbench.runner.cached`."""

    place: Path
    fill: Callable[[Path], None]


class Builder:
    """Compiles, or finds what was compiled before.

    Parameters
    ----------
    folder : Path
        Where what is compiled is kept, each library by the hash of all that it is made of.
    traced : bool
        Whether nodes can write waveforms. What does so runs only for a moment, and need not be
        fast.
    lines : bool
        Whether nodes count which lines of Verilog they go through, and which bits change. To
        optimise what counts takes g++ a minute, and saves seconds.
    """

    def __init__(self, folder: Path, *, traced: bool = False, lines: bool = False) -> None:
        self.folder, self.traced, self.lines = folder.resolve(), traced, lines
        self.folder.mkdir(parents=True, exist_ok=True)
        self.variables = os.environ | toolchain.environment("verilator")
        include = Path(self.variables["VERILATOR_ROOT"]) / "include"
        self.include = include
        optimise = "-O0" if traced or lines else OPTIMISE
        self.compile = (
            *COMPILE,
            optimise,
            f"-I{include}",
            f"-I{include / 'vltstd'}",
            f"-DVM_TRACE={int(traced)}",
            f"-DVM_TRACE_VCD={int(traced)}",
            f"-DVM_COVERAGE={int(lines)}",
            *(("-DTRACED",) if traced else ()),
        )
        # The wheel has no version in what it prints; its header does.
        version = (include / "verilated_config.h").read_text()
        compiler = subprocess.run(
            ["g++", "-dumpfullversion"], capture_output=True, text=True, check=False
        ).stdout
        self.common = "\n".join([version, compiler, *self.compile])

    def build(
        self, sources: dict[str, str], kinds: Sequence[Kind], progress: Progress | None = None
    ) -> Libraries:
        """Compile what is not there yet, as many at once as there are processors.

        Parameters
        ----------
        sources : dict
            The Verilog of each module that stands at nodes.

        Raises
        ------
        BenchError
            If something does not compile; the message names the log.
        """
        network, nodes = self._network(), dict[str, _Job]()
        first: list[_Job] = []
        for kind in kinds:
            if len(kind.nodes) < SEVERAL or self.traced or self.lines:
                first = [self._support()]
                nodes[kind.module] = self._verilated(kind, sources[kind.module], first[0].place)
            else:
                nodes[kind.module] = self._parallel(kind, sources[kind.module])
        jobs = [network, *nodes.values()]
        if not all(is_complete(job.place) for job in (*first, *jobs)):
            # One build at a time takes all processors. It waits here, where Ctrl-C ends it.
            with locked(self.folder / "build"), ThreadPoolExecutor(os.cpu_count()) as pool:
                for job in first:
                    cached(job.place, job.fill)
                pending = [pool.submit(cached, job.place, job.fill) for job in jobs]
                for done, ended in enumerate(as_completed(pending), 1 + len(first)):
                    ended.result()
                    if progress:
                        progress(done, len(first) + len(jobs))
        return Libraries(
            network.place / "network.so",
            {name: job.place / "node.so" for name, job in nodes.items()},
        )

    def _job(
        self,
        what: str,
        texts: Iterable[str],
        fill: Callable[[Path], None],
        place: Path | None = None,
    ) -> _Job:
        """Return what fills the folder of something, which is named by the hash of its texts."""
        digest = hashlib.sha256("\0".join([self.common, *texts]).encode()).hexdigest()[:16]
        return _Job((place or self.folder) / f"{what}-{digest}", fill)

    def _support(self) -> _Job:
        """Compile what Verilator brings for all that it makes: once for a user, if that can be."""
        more = ("verilated_vcd_c",) * self.traced + ("verilated_cov",) * self.lines

        def fill(folder: Path) -> None:
            for name in (*SUPPORT, *more):
                source = self.include / f"{name}.cpp"
                self._run([*self.compile, "-c", str(source), "-o", f"{name}.o"], folder)

        return self._job("verilated", [], fill, caches.folder("verilator"))

    def _network(self) -> _Job:
        def fill(folder: Path) -> None:
            command = [*self.compile, f"-I{HERE}", "-shared", str(ENGINE), "-o", "network.so"]
            self._run(command, folder)

        return self._job("network", _texts("lock_step.h", ENGINE.name), fill)

    def _parallel(self, kind: Kind, verilog: str) -> _Job:
        def fill(folder: Path) -> None:
            (folder / "node.cpp").write_text(parallel_source(kind, gates(kind, verilog)))
            options = [f"-I{HERE}", "-O1", "-march=native", "-shared", "node.cpp", "-o", "node.so"]
            self._run([*self.compile, *options], folder)

        cpp = "lock_step.h", "bit_parallel.h", "bit_parallel.cpp"
        harness = _texts(*cpp, "bit_parallel.py", "gates.py", "node.py")
        reads = [verilog, repr(kind.shape), _instructions(), *harness]
        return self._job(f"{kind.module}-parallel", reads, fill)

    def _verilated(self, kind: Kind, verilog: str, support: Path) -> _Job:
        def fill(folder: Path) -> None:
            around = node_verilog(kind)
            (folder / "node.v").write_text(f"{verilog}\n{around}")
            more = [*(COVER if self.lines else ()), *(["--trace-vcd"] if self.traced else [])]
            top = ["--top-module", TOP, "node.v"]
            self._run([*VERILATE, *more, *top], folder)
            (folder / "node.cpp").write_text(self._source(kind, folder))
            files = [file.name for file in sorted(folder.glob("Vnode*.cpp"))]
            (folder / "all.cpp").write_text(
                "".join(f'#include "{name}"\n' for name in [*files, "node.cpp"])
            )
            self._run([*self.compile, f"-I{HERE}", "-c", "all.cpp", "-o", "node.o"], folder)
            objects = ["node.o", *map(str, sorted(support.glob("*.o")))]
            self._run(["g++", "-shared", "-Wl,-Bsymbolic", *objects, "-o", "node.so"], folder)
            for file in folder.iterdir():
                if file.suffix in (".cpp", ".h", ".mk", ".d", ".dat", ".o"):
                    file.unlink()

        harness = _texts("lock_step.h", "node.cpp", "node.py")
        return self._job(kind.module, [*VERILATE, verilog, repr(kind.shape), *harness], fill)

    def _source(self, kind: Kind, folder: Path) -> str:
        text = (folder / "Vnode___024root.h").read_text()
        pattern = re.compile(rf"\b(__Vtrigprevexpr_\w*_{kind.clock}__\d+);")
        before = pattern.findall(text)
        falls_by = before[0] if len(before) == 1 and not self.traced else None
        memories = {name: int(entries) for entries, name in MEMORY.findall(text)}
        if kind.contents and not memories:
            raise BenchError(f"Nodes of {kind.module} have no memory for their parameter")
        return node_source(kind, falls_by=falls_by, memories=memories)

    def _run(self, command: Sequence[str], folder: Path) -> None:
        with (folder / "build.log").open("a") as log:
            log.write(" ".join(command) + "\n")
            log.flush()
            ended = subprocess.run(
                command, cwd=folder, env=self.variables, stdout=log, stderr=log, check=False
            )
        if ended.returncode:
            kept = fresh_folder(self.folder, "failed-") / "build.log"
            shutil.copy(folder / "build.log", kept)
            raise BenchError(f"Simulation did not build, see {kept}: {command[0]} failed")


def _texts(*names: str) -> list[str]:
    """Return files beside this one."""
    return [(HERE / name).read_text() for name in names]


def _instructions() -> str:
    """Return what the processor can do, as the compiler knows it."""
    command = ["g++", "-march=native", "-dM", "-E", "-x", "c++", os.devnull]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
