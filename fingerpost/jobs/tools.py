"""The tools that synthesise, place and route: where they are, and what they need not do again."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from fingerpost.hdl.emit.locks import locked
from fingerpost.jobs.files import write_text
from fingerpost.testbench.toolchain import ToolError

__all__ = ["CostError", "find_tool", "run_once", "run_tool"]


class CostError(ToolError):
    """A tool is there, but broke down."""


def find_tool(name: str) -> str:
    """Return a tool of this Python environment, active or not, or of PATH.

    Raises
    ------
    ToolError
        If it is nowhere.
    """
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    tool = shutil.which(name, path=places)
    if tool is None:
        raise ToolError(f"{name} is missing: run `pip install 'fingerpost[cost]'`")
    return str(Path(tool).absolute())


def run_tool(command: Sequence[str], folder: Path) -> str:
    """Run a tool where its files are: it sees the current folder, not the whole file system.

    Raises
    ------
    CostError
        If it breaks down.
    """
    ended = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if ended.returncode:
        last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
        raise CostError(f"{Path(command[0]).name} broke down, see the logs in {folder}: {last}")
    return ended.stdout


def run_once(command: Sequence[str], folder: Path, *, reads: Iterable[str], writes: str) -> None:
    """Run a tool, unless it has written the same file before; so a long job can be interrupted.

    Beside the file is a mark of what it was made of: the version of the tool, its command, and
    what it read. If several ask for a file at once, one runs the tool and the others wait.

    Parameters
    ----------
    reads, writes : str
        Names of files in the folder.

    Raises
    ------
    CostError
        If it breaks down.
    """
    made_of = hashlib.sha256(repr((_version(command[0]), *command[1:])).encode())
    for name in reads:
        made_of.update(hashlib.sha256((folder / name).read_bytes()).digest())
    mark, digest = folder / f"{writes}.made-of", made_of.hexdigest()
    with locked(folder / writes):
        if mark.exists() and (folder / writes).exists() and mark.read_text().strip() == digest:
            return
        mark.unlink(missing_ok=True)
        run_tool(command, folder)
        write_text(mark, f"{digest}\n")


@cache
def _version(tool: str) -> str:
    return run_tool([tool, "--version"], Path.cwd())
