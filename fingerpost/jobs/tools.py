"""The tools that synthesise, place and route: how they fail, and what they need not do again."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path

from fingerpost.hdl.emit import tools
from fingerpost.hdl.emit.files import locked
from fingerpost.jobs.files import write_text
from fingerpost.testbench.toolchain import ToolError


class CostError(ToolError):
    """A tool is there, but broke down."""


find_tool = partial(tools.find_tool, remedy="run `pip install 'fingerpost[cost]'`", error=ToolError)
run_tool = partial(tools.run_tool, error=CostError, logs=True)


def run_once(
    command: Sequence[str],
    folder: Path,
    *,
    reads: Iterable[str],
    writes: str,
    also: Iterable[str] = (),
) -> None:
    """Run a tool, unless it has written the same file before; so a long job can be interrupted.

    Beside the file is a mark of what it was made of: the version of the tool, its command, and
    what it read. If several ask for a file at once, one runs the tool and the others wait.

    Parameters
    ----------
    reads, writes, also : str
        Names of files in the folder; `also` are others that it writes.

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
        there = all((folder / name).exists() for name in (writes, *also))
        if mark.exists() and there and mark.read_text().strip() == digest:
            return
        mark.unlink(missing_ok=True)
        run_tool(command, folder)
        write_text(mark, f"{digest}\n")


@cache
def _version(tool: str) -> str:
    return run_tool([tool, "--version"], Path.cwd())
