"""The command line. Each command loads, asks the room that knows, and prints the answer."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from fingerpost.interrupt import Interruption, interruptible

__all__ = ["main"]

COMMANDS = "start", "ask", "measure", "page", "make", "port", "board", "prove", "research"
"""The modules of the commands, in the order of use."""


ROOMS = str(Path(__file__).resolve().parents[1])
"""Where the rooms are: golden, hdl, testbench and this one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.path[:1] != [ROOMS]:
        # Whoever stands in a folder with a `testbench` of its own means ours. Simulators and
        # workers get this path too.
        sys.path.insert(0, ROOMS)
    # Numpy starts threads for products of large matrices of floats. There are none here, and to
    # start the threads takes time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with interruptible() as interruption, _seldom_looks_for_garbage():
        status = _run(arguments, interruption)
    if interruption.number is not None:
        interruption.exit(interruption.number)
    return status


def _run(arguments: Sequence[str], interruption: Interruption) -> int:
    try:
        for name in COMMANDS:
            import_module(f"fingerpost.commands.{name}")
        app = import_module("fingerpost.commands.app").app
        ended = app(list(arguments) or ["--help"], prog_name="fingerpost", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        if interruption.number is not None:
            raise
        reported: int | None = import_module("fingerpost.failure").report(error)
        if reported is None:
            raise
        _give_up_output()
        return reported
    return ended or 0


@contextmanager
def _seldom_looks_for_garbage() -> Iterator[None]:
    """Look for garbage seldom: what is imported stays, and is much to look through."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _give_up_output() -> None:
    """Forget what cannot be written, or Python tries again at exit and has its own say."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
