"""What the workers of the tests do; they import it, so it imports little."""

import os
import signal
import time
from pathlib import Path


def square(number: int) -> int:
    return number**2


def slow_square(number: int) -> int:
    time.sleep(0.1)
    return number**2


def together(folder: str) -> int:
    """Return how many workers have come to a folder, when no more come for a while."""
    Path(folder, str(os.getpid())).touch()
    time.sleep(0.5)
    return len([*Path(folder).iterdir()])


def seen(_: object) -> dict[str, object]:
    """What a worker has of its surroundings."""
    return {
        "process": os.getpid(),
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "deaf": signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []),
    }


def refuse(number: int) -> int:
    if number == 5:
        raise ValueError("5 is refused")
    return number


def die_once(marks: str, number: int) -> int:
    """Lose the worker when a unit is done for the first time, if its number is even."""
    mark = Path(marks, str(number))
    if number % 2 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait(mark: str) -> None:
    """Work for long, and tell which process does."""
    Path(mark).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(100)
