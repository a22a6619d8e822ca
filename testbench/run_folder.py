"""A folder for each run: two runs at once share no file but what is compiled."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from time import strftime

from fingerpost.hdl.emit.scratch import fresh_folder, naming
from fingerpost.testbench.runner import BenchError

__all__ = ["run_folder"]


@contextmanager
def run_folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder in `parent`, named by date and time.

    It stays if there is no error, or after a `BenchError`, whose message names a log in it. After
    other errors, Ctrl-C too, it is removed.

    Raises
    ------
    OSError
        If a file cannot be written. The error names it as if it were in `parent`.
    """
    with naming(parent):
        parent.mkdir(parents=True, exist_ok=True)
        folder = fresh_folder(parent.resolve(), strftime("%Y%m%d-%H%M%S-"))
    try:
        with naming(parent, instead_of=folder):
            yield folder
    except BenchError:
        # A simulator that cannot write cannot write that into its log, either.
        if not os.statvfs(folder).f_bavail:
            shutil.rmtree(folder, ignore_errors=True)
            raise OSError(ENOSPC, os.strerror(ENOSPC), str(parent)) from None
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
