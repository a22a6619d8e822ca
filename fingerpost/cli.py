"""The command line. Each command loads, asks the room that knows, and prints the answer."""

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
        return reported
    if status == failure.INTERRUPTED:  # newer typers say so in their own way
        return failure.report(KeyboardInterrupt()) or status
    return status or 0
