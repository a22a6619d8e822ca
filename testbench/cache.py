"""What was compiled, kept for other runs: a folder for each, named by a hash of what it is of."""

import shutil
from collections.abc import Callable
from pathlib import Path

from fingerpost.hdl.emit.locks import locked
from fingerpost.hdl.emit.scratch import fresh_folder, naming

__all__ = ["cached"]


def cached(place: Path, fill: Callable[[Path], None]) -> Path:
    """Return the folder `place`; make it first if it is not there.

    It is complete or not there. If several ask for it at once, one fills it and the others wait.

    Parameters
    ----------
    fill : callable
        Fills a temporary folder, which then becomes `place`.
    """
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            if not place.is_dir():
                scratch = fresh_folder(place.parent, ".building-")
                try:
                    fill(scratch)
                    # Some tools do not tell that the disk is full: then this is not written.
                    with naming(place.parent):
                        (scratch / "complete").write_bytes(bytes(4096))
                    scratch.replace(place)
                finally:
                    shutil.rmtree(scratch, ignore_errors=True)
    return place
