"""Build and run one cocotb bench; what was compiled is kept for other runs."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cocotb_tools import config
from cocotb_tools import runner as cocotb_runner
from cocotb_tools.check_results import get_results

from fingerpost.hdl.emit.files import fresh_folder, locked, naming
from fingerpost.testbench import toolchain

Progress = Callable[[int, int], None]
"""Called with (done, to do)."""

PARAMETERS = "FINGERPOST_BENCH"
"""The variable that names the folder in which a bench finds its parameters."""


COMPLETE = "complete"
"""The file of a folder of what was built, with a digest of the others."""

PLAIN = re.compile(r"[\w./,+@-]*")
"""A path without characters that are special to make."""


def is_complete(place: Path) -> bool:
    """Return whether a folder is as `cached` has left it."""
    try:
        return (place / COMPLETE).read_text() == _digest(place)
    except (OSError, UnicodeDecodeError):
        return False


def _digest(folder: Path) -> str:
    """Return a digest of the files in a folder, as long as a block of a disk."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file != folder / COMPLETE:
            digest.update(f"{file.relative_to(folder)} {file.stat().st_size} ".encode())
            digest.update(file.read_bytes())
    return f"{digest.hexdigest():4096}"


def cached(place: Path, fill: Callable[[Path], None]) -> Path:
    """Return the folder `place`; make it first if it is not there, or damaged.

    If several ask for it at once, one fills it and the others wait.

    Parameters
    ----------
    fill : callable
        Fills a temporary folder, which then becomes `place`.
    """
    if not is_complete(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            if not is_complete(place):
                scratch = fresh_folder(place.parent, ".building-")
                try:
                    fill(scratch)
                    # Some tools do not tell that the disk is full: then this is not written.
                    with naming(place.parent):
                        (scratch / COMPLETE).write_text(_digest(scratch))
                    if place.is_dir():
                        shutil.rmtree(place)
                    place.unlink(missing_ok=True)
                    scratch.replace(place)
                finally:
                    shutil.rmtree(scratch, ignore_errors=True)
    return place


class BenchError(RuntimeError):
    """A simulation did not build, or ended without a result."""


@dataclass(frozen=True)
class Outcome:
    """What a bench reported, where its JUnit results and waveform are, and how long it ran."""

    report: dict[str, Any]
    results_xml: Path
    waveform: Path | None
    build_seconds: float
    seconds: float


class _Runner(cocotb_runner.Runner):
    """A runner that starts its tools under variables of its own.

    Those of this process stay as they are: another thread may run something else.
    """

    variables: Mapping[str, str]

    def _set_env_common(self) -> None:
        super()._set_env_common()
        self.env.update(self.variables)


class _Icarus(_Runner, cocotb_runner.Icarus):
    """Icarus Verilog."""


class _Verilator(_Runner, cocotb_runner.Verilator):
    """Verilator with only the ports of the top module visible to cocotb.

    cocotb makes every signal of the design public; that simulates several times slower.
    """

    def _simulator_in_path_build_only(self) -> None:
        self.executable = str(Path(self.variables["VERILATOR_ROOT"]) / "bin" / "verilator")

    def _build_command(self) -> list[Any]:
        commands = super()._build_command()
        at = commands[0].index("--public-flat-rw")
        commands[0][at : at + 1] = ["--public-depth", "1", "-Wno-fatal", "-O3"]
        return commands


def cosimulate(
    bench: str,
    *,
    sources: Sequence[Path],
    toplevel: str,
    simulator: str,
    folder: Path,
    cache: Path,
    parameters: Mapping[str, Any],
    several_clocks: bool = False,
    seed: int = 0,
    waves: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Build `sources` if they are not in the cache, and run the cocotb tests of `bench` on them.

    Parameters
    ----------
    bench : str
        A module; behind "::" the name of a test, if not all in it are run.
    folder : Path
        Where everything about this run is written. No other run may use it.
    cache : Path
        Where what is built is kept, for this and other runs.
    parameters : mapping
        Plain data for the bench, which gets it by `parameters()`.
    several_clocks : bool
        Whether drivers write at the edges of more than one.

    Raises
    ------
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    module, _, name = bench.partition("::")
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with naming(folder / "parameters.json"):
        (folder / "parameters.json").write_text(json.dumps(dict(parameters)))
    for stale in ("report.json", "progress"):  # of a run without a waveform
        (folder / stale).unlink(missing_ok=True)
    variables = toolchain.environment(simulator, several_clocks=several_clocks)
    runner = (_Verilator if simulator == "verilator" else _Icarus)()
    runner.variables = variables
    started = time.perf_counter()
    key = _key(simulator, variables, sources, toplevel, waves=waves)

    def build(scratch: Path) -> None:
        read = [x for x in sources if simulator == "verilator" or x.suffix != ".vlt"]
        with _logged(folder / "build.log", "build"), plain(scratch, read) as (place, files):
            runner.build(
                sources=files,
                hdl_toplevel=toplevel,
                build_dir=place,
                timescale=("1ns", "1ns"),
                waves=waves,
                log_file=folder / "build.log",
            )

    place = cached(cache.resolve() / f"{toplevel}-{simulator}-{key}", build)
    built = time.perf_counter()
    wave = folder / (f"{toplevel}.fst" if simulator == "icarus" else "dump.vcd")
    with _watched(folder / "progress", progress), _logged(folder / "run.log", "run"):
        runner.test(
            hdl_toplevel=toplevel,
            hdl_toplevel_lang="verilog",
            test_module=module,
            test_filter=rf"{name}$" if name else None,
            build_dir=place,
            test_dir=folder,
            results_xml=str(folder / "results.xml"),
            seed=seed,
            waves=waves,
            plusargs=[f"+dumpfile_path={wave}"] if waves and simulator == "icarus" else [],
            timescale=("1ns", "1ns"),
            extra_env={
                PARAMETERS: str(folder),
                "COCOTB_LOG_LEVEL": "WARNING",
                # Nothing is rewritten for pytest's messages: it would be every module that is
                # imported, numpy too, which takes longer than most benches do.
                "COCOTB_REWRITE_ASSERTION_FILES": "",
            },
            log_file=folder / "run.log",
        )
    finished = time.perf_counter()
    return Outcome(
        report=_report(folder),
        results_xml=folder / "results.xml",
        waveform=wave if waves else None,
        build_seconds=built - started,
        seconds=finished - built,
    )


@contextlib.contextmanager
def plain(folder: Path, sources: Sequence[Path]) -> Iterator[tuple[Path, Sequence[Path]]]:
    """Yield a folder for what is built from sources, and the sources.

    If one of the paths has characters that are special to make, these are copies elsewhere, and
    what was built is copied to `folder` at the end.
    """
    if all(PLAIN.fullmatch(str(path)) for path in (folder, *sources)):
        yield folder, sources
        return
    with TemporaryDirectory(prefix="fingerpost-") as name:
        files = [Path(shutil.copy(source, name)) for source in sources]
        yield Path(name) / "built", files
        shutil.copytree(Path(name) / "built", folder, dirs_exist_ok=True)


def _key(
    simulator: str,
    variables: Mapping[str, str],
    sources: Sequence[Path],
    toplevel: str,
    *,
    waves: bool,
) -> str:
    """Return a hash of all that a build is made of: sources, tools, and how they are called."""
    made_of = [
        toplevel,
        waves,
        os.environ.get("WAVES"),
        str(config.libs_dir),
        toolchain.versions(simulator, engine="cocotb"),
        {name: value for name, value in variables.items() if name != "PATH"},
        [(source.name, hashlib.sha256(source.read_bytes()).hexdigest()) for source in sources],
    ]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:16]


def _report(folder: Path) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    except FileNotFoundError:
        log = (folder / "run.log").read_text(errors="replace").strip().splitlines()
        last = next((line for line in reversed(log) if line.strip()), "nothing was logged")
        raise BenchError(
            f"Simulation ended without a result, see {folder / 'run.log'}: {last.strip()}"
        ) from None
    tests, failed = get_results(folder / "results.xml")
    if not report["mismatches"] and (failed or not tests):
        raise BenchError(f"{failed} of {tests} tests broke down, see {folder / 'run.log'}")
    return report


@contextlib.contextmanager
def _logged(log: Path, what: str) -> Iterator[None]:
    """Turn the exits of the cocotb runner into errors that name the log."""
    try:
        yield
    except SystemExit as stop:
        # A failed cocotb test ends here too; it has left its report.
        if what == "build" or not (log.parent / "report.json").exists():
            raise BenchError(f"Simulation did not {what}, see {log}: {stop}") from None
    except RuntimeError as error:
        raise BenchError(f"Simulation did not {what}, see {log}: {error}") from None


@contextlib.contextmanager
def _watched(file: Path, progress: Progress | None) -> Iterator[None]:
    """Pass on the progress that a running bench writes to a file."""
    if progress is None:
        yield
        return
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.3):
            with contextlib.suppress(OSError, ValueError):
                done, total = map(int, file.read_text().split())
                progress(done, total)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


def parameters() -> dict[str, Any]:
    """Return the parameters of the running bench."""
    loaded: dict[str, Any] = json.loads(
        (Path(os.environ[PARAMETERS]) / "parameters.json").read_text()
    )
    return loaded


def finish(message: str, mismatches: int | None = None, **facts: object) -> None:
    """Leave the result of the running bench for `cosimulate`, and end it.

    Raises
    ------
    AssertionError
        If there is a message.
    """
    found = int(bool(message)) if mismatches is None else mismatches
    values = {"mismatches": found, "message": message, **facts}
    (Path(os.environ[PARAMETERS]) / "report.json").write_text(json.dumps(values))
    assert not message, message


def tick(done: int, total: int) -> None:
    """Tell how far the running bench has come."""
    (Path(os.environ[PARAMETERS]) / "progress").write_text(f"{done} {total}")
