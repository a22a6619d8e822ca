"""External tools: where they are, and how they run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

STACK = "call stack exhausted"
"""What WebAssembly says when a recursion of a tool is too deep."""


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

    Returns what it prints. With `logs` its logs stay in the folder.

    Raises
    ------
    error
        If it breaks down; it has the last line that was printed.
    """
    ended = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode:
        last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
        if STACK in last:
            last += "; the design is too large for this build of the tool, take a part of it"
        where = f", see the logs in {folder}" if logs else ""
        raise error(f"{Path(command[0]).name} broke down{where}: {last}")
    return ended.stdout
