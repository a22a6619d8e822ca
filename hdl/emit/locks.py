"""Locks between processes and threads: one works on a file or folder at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fingerpost.hdl.emit.scratch import naming


@contextmanager
def locked(path: Path, *, busy: str = "") -> Iterator[None]:
    """Hold the lock of `path`, which need not exist. Its folder has to.

    The lock is a hidden file beside `path`, and is removed afterwards. When a process ends, in
    whatever way, the system releases its locks.

    Parameters
    ----------
    busy : str
        The message if another process or thread holds the lock; without one, wait for it.

    Raises
    ------
    ValueError
        If the lock is held, with the message `busy`.
    OSError
        If the lock file cannot be written; the error names `path`.
    """
    lock = path.with_name(f".{path.name}.lock")
    with naming(path):
        held = _acquire(lock, busy)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        fcntl.flock(held, fcntl.LOCK_UN)  # a forked process may have the descriptor, too
        os.close(held)


def _acquire(lock: Path, busy: str) -> int:
    """Return the descriptor of the lock file, locked."""
    while True:
        held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
            if os.path.samestat(os.fstat(held), lock.stat()):
                return held
        except BlockingIOError:
            os.close(held)
            raise ValueError(busy) from None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(held)
            raise
        os.close(held)  # the last holder has removed the file: lock a new one
