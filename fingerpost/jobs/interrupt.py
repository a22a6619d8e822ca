"""Ctrl-C and SIGTERM end a command soon, whatever it is doing, and leave no process behind.

The handler ends all processes that the command has started, and raises KeyboardInterrupt, so that
files and the terminal are cleaned up. Libraries may lose that exception, or be in a long call of
C: so a thread, which the signal wakes by a file descriptor, ends the command after a grace period.
"""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

GRACE = 1.0
"""Seconds in which a command can clean up."""

SHOW_CURSOR = "\x1b[?25h"
"""What a terminal gets if the command could not clean up: progress bars hide its cursor."""

ENDED_BY = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
DEFAULTS = signal.default_int_handler, signal.SIG_DFL

_kept: list[str] = []


def keeps(path: object) -> None:
    """Let the message of an interruption name a file that keeps what is finished."""
    _kept[:] = [str(path)]


class Interruption:
    """The signal that ends a command, if one comes."""

    def __init__(self) -> None:
        self.number: int | None = None

    def receive(self, number: int, _frame: object) -> None:
        """Take a signal: the first one ends the command with KeyboardInterrupt, the next at once.

        Raises
        ------
        KeyboardInterrupt
            Always.
        """
        if self.number is not None:
            self.exit(number)
        self.number = number
        sys.unraisablehook = lambda _: None  # no words on where KeyboardInterrupt was lost,
        warnings.simplefilter("ignore")  # nor on what is given up
        _kill_descendants()
        raise KeyboardInterrupt

    def exit(self, number: int) -> NoReturn:
        """Print one line, and end the process with the status that a shell reports for a signal.

        Half an answer, which standard output may hold, is dropped.
        """
        _kill_descendants()
        kept = "".join(
            f"; what is finished is kept in {path}, the same command resumes" for path in _kept
        )
        cursor = SHOW_CURSOR if sys.stderr and sys.stderr.isatty() else ""
        with suppress(OSError):
            os.write(2, f"{cursor}fingerpost: {ENDED_BY[signal.Signals(number)]}{kept}\n".encode())
        os._exit(128 + number)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Let signals end what runs in here; whatever it raises on account of one is not passed on.

    If one has come, the caller shall `exit`.

    Signals that are ignored stay so, and those of a program that calls us with handlers of its own
    are left to it.
    """
    interruption = Interruption()
    _kept.clear()
    ours = {number for number in ENDED_BY if signal.getsignal(number) in DEFAULTS}
    if threading.current_thread() is not threading.main_thread() or not ours:
        yield interruption
        return
    try:
        with _watched(interruption, ours):
            before = {number: signal.signal(number, interruption.receive) for number in ours}
            yield interruption
    except BaseException:
        if interruption.number is None:
            raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _watched(interruption: Interruption, numbers: Container[int]) -> Iterator[None]:
    """End the process if a signal comes and has not led out of here after the grace period."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    ended = threading.Event()

    def watch() -> None:
        while (number := os.read(reads, 1)[0]) not in numbers:
            if ended.is_set():
                return
        if not ended.wait(GRACE):
            interruption.exit(number)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        ended.set()
        os.write(writes, b"\0")
        watcher.join()
        os.close(reads)
        os.close(writes)


def _kill_descendants() -> None:
    """End all processes that this one has started, and those that they have."""
    stopped: set[int] = set()
    while new := _descendants() - stopped:
        for process in new:  # one that stands still starts no other
            _send(process, signal.SIGSTOP)
        stopped |= new
    for process in stopped:
        _send(process, signal.SIGKILL)


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _descendants() -> set[int]:
    """Return the processes whose parent is this one, or one of them."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended
            parents[int(status.parent.name)] = int(
                status.read_bytes().rpartition(b")")[2].split()[1]
            )
    found, new = set(), {os.getpid()}
    while new:
        new = {process for process, parent in parents.items() if parent in new}
        found |= new
    return found
