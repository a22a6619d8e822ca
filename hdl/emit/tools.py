"""External tools: where they are, and how they run."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from fingerpost.golden import caches

STACK = "call stack exhausted"
"""What WebAssembly says when a recursion of a tool is too deep."""

ERRNO = "Error: [Errno "
"""What Python says when the wrapper of a tool cannot read or write a file."""

CRASHED = tuple(-n for n in (signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGSEGV))
"""Exit statuses of a process that runs a damaged file."""


def find_tool(*names: str, remedy: str, error: type[Exception]) -> str:
    """Return the first of some tools that this Python environment, active or not, or PATH has.

    Raises
    ------
    error
        If there is none; it names the first, and what to do.
    """
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    for name in names:
        tool = shutil.which(name, path=places)
        if tool is not None:
            return str(Path(tool).absolute())
    raise error(f"{names[0]} is missing: {remedy}")


def run_tool(
    command: Sequence[str], folder: Path, *, error: type[Exception], logs: bool = False
) -> str:
    """Run a tool in the folder of its files, because it can access only the current folder.

    Returns what it prints. With `logs` its logs stay in the folder. A tool of YoWASP that fails on
    account of its cache runs again without it, and compiles itself.

    Raises
    ------
    error
        If it breaks down; it has the error, or the last line that was printed.
    """
    tool, home = Path(command[0]).name, caches.home()
    ended = _run(command, folder)
    kept = os.environ.get("YOWASP_CACHE_DIR") or f"{home}/YoWASP"
    if tool.startswith("yowasp-") and (ended.returncode in CRASHED or ERRNO in _last(ended)):
        shutil.rmtree(Path(kept, tool.replace("-", "_")), ignore_errors=True)
        with TemporaryDirectory(prefix="fingerpost-") as empty:
            ended = _run(command, folder, YOWASP_CACHE_DIR=empty)
    if ended.returncode:
        last = _last(ended)
        if STACK in last:
            last += "; the design is too large for this build of the tool, take a part of it"
        if ERRNO in last:
            last += f"; it writes to {folder}, {kept} and {gettempdir()}"
        where = f", see the logs in {folder}" if logs else ""
        raise error(f"{tool} broke down{where}: {last}")
    return ended.stdout


def _run(
    command: Sequence[str], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def _last(ended: subprocess.CompletedProcess[str]) -> str:
    """Return the error, or the last line that was printed."""
    lines = ended.stdout.strip().splitlines() or ["nothing was said"]
    return next((line for line in lines if line.startswith("ERROR: ")), lines[-1])
