"""Where nextpnr is while it runs, by its log."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LOOK = 1.0
"""Seconds between two looks at the log."""

ENDS = 0.8
"""The analytic placer ends when the wires of its solution are so long, compared with those of what
is legal."""


def stage(log: str) -> str:
    """Return the last stage that a log tells of, with its iteration and how far that has come.

    No percentage is one of time: it is how much of what an iteration is to remove is gone.
    """
    now, conflicts = "starting", 0
    for line in log.splitlines():
        if "Packing" in line:
            now = "packing"
        elif found := re.search(r"initial placer iter (\d+)", line):
            now = f"first placement, iteration {found[1]}"
        elif found := re.search(r"iteration #(\d+), .* solved = (\d+), .* legal = (\d+)", line):
            share = int(found[2]) / int(found[3]) / ENDS if int(found[3]) else 1
            now = f"placement, iteration {found[1]}, {min(100, int(100 * share))} % converged"
        elif found := re.search(r"iteration #(\d+): temp", line):
            now = f"refinement of the placement, iteration {found[1]}"
        elif found := re.search(r"iter=(\d+) .* overused=(\d+)", line):
            left = int(found[2])
            conflicts = max(conflicts, left)
            share = 1 - left / conflicts if conflicts else 1
            now = f"routing, iteration {found[1]}, {int(100 * share)} % of conflicts gone"
        elif found := re.search(r"^Info:\s+\d+ \|.*\|\s*(\d+)\|", line):
            now = f"routing, {found[1]} arcs left"
        elif "Running router" in line or "Setting up rout" in line:
            now = "routing"
    return now


@contextmanager
def followed(log: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Tell the stage by a log that is being written, whenever it changes."""
    ended = threading.Event()
    before = log.stat().st_mtime_ns if log.exists() else 0

    def look() -> None:
        told = ""
        while not ended.wait(LOOK):
            if not log.exists() or log.stat().st_mtime_ns == before:
                continue  # that of an earlier run
            now = stage(log.read_text(encoding="utf-8", errors="replace"))
            if now != told:
                told = now
                tell(now)

    looker = threading.Thread(target=look, daemon=True)
    looker.start()
    try:
        yield
    finally:
        ended.set()
        looker.join()
