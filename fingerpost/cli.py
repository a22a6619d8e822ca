"""The command line. Each command loads, asks the room that knows, and prints the answer."""

import os
import sys
from collections.abc import Sequence

from fingerpost import failure
from fingerpost.commands import ask, make, research
from fingerpost.commands.app import app

__all__ = ["app", "main"]

del ask, make, research  # imported for the commands that they add, in the order of use


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        status = app(list(arguments) or ["--help"], prog_name="fingerpost", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        reported = failure.report(error)
        if reported is None:
            raise
        _give_up_output()
        return reported
    if status == failure.INTERRUPTED:  # newer typers say so in their own way
        return failure.report(KeyboardInterrupt()) or status
    return status or 0


def _give_up_output() -> None:
    """Forget what cannot be written, or Python tries again at exit and has its own say."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
