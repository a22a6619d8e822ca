"""The entry point: runs the command line, and turns errors into an exit status."""

import atexit
import codecs
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper
from typing import Any, TextIO

from fingerpost.golden import caches
from fingerpost.jobs.interrupt import Interruption, interruptible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not _open_streams():
        return 2
    caches.home()
    # Numpy starts threads for products of large matrices of floats. There are none here, and to
    # start the threads takes time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic looks through all installed packages for plugins of its own. None is used here.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    with interruptible() as interruption, _seldom_looks_for_garbage():
        status = _run(arguments, interruption)
    if interruption.number is not None:
        interruption.exit(interruption.number)
    return status


def _run(arguments: Sequence[str], interruption: Interruption) -> int:
    try:
        from fingerpost.cli.app import app

        with redirect_stdout(_Output(sys.stdout)):
            ended = app(
                list(arguments) or ["--help"], prog_name="fingerpost", standalone_mode=False
            )
            sys.stdout.flush()
    except Exception as error:
        if interruption.number is not None:
            raise
        reported = _reported(error)
        _flushed(sys.stdout)
        return reported
    finally:
        _flushed(sys.stderr)
    return ended or 0


def _reported(error: Exception) -> int:
    """Print what went wrong, and return the exit status."""
    try:
        from fingerpost.cli import failure

        return failure.report(error)
    except Exception:  # there is no memory or descriptor left, not even for this import
        os.write(2, f"fingerpost: {type(error).__name__}: {error}\n".encode(errors="replace"))
        return 2


SELDOM = 300_000
"""New objects until garbage is looked for; a short command makes fewer."""


@contextmanager
def _seldom_looks_for_garbage() -> Iterator[None]:
    """Look for garbage seldom: what is imported stays, and is much to look through.

    When the process ends, all is left to the system: to look through it then takes a fifth of a
    short command.
    """
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # all that is there is old now: else it is looked through at once
        gc.set_threshold(*before)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """Return how characters are written that the encoding of a stream has not."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].replace("\N{PLUS-MINUS SIGN}", "+-")
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _open_streams() -> bool:
    """Return whether there is a standard output; what else is closed becomes the null device.

    Otherwise the next file that is opened would get the number of the stream, and messages. Both
    streams take any text, whatever their encoding.
    """
    # A stream that was closed when Python started is None, whatever its annotation says.
    given, output, errors = (getattr(sys, x) is not None for x in ("stdin", "stdout", "stderr"))
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    if not given:
        sys.stdin = os.fdopen(0, closefd=False)
    if not errors:
        sys.stderr = os.fdopen(2, "w", closefd=False)
    if not output:
        os.write(2, b"fingerpost: standard output is closed; send it to a file or to /dev/null\n")
    codecs.register_error("fingerpost", _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="fingerpost")
    return output


class _Output:
    """Standard output; its errors name it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _naming_output():
            return self._stream.write(text)

    def flush(self) -> None:
        with _naming_output():
            self._stream.flush()


@contextmanager
def _naming_output() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = "standard output"
        raise


def _flushed(stream: TextIO) -> bool:
    """Flush a stream, or forget what cannot be written: Python would try again at exit."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
