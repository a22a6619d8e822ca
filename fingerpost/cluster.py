"""Work for many processes: all cores of this machine, or a Dask cluster by its address."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from signal import SIG_IGN, SIGINT, signal
from typing import Any, TypeVar

from dask import config
from distributed import CancelledError, Client, KilledWorker, as_completed
from distributed.comm import CommClosedError

__all__ = ["results"]

WAITING = 4
"""Units that wait for each worker, so that it never waits for one."""

TIMEOUT = 10
"""Seconds to wait for the scheduler of a cluster."""

MEMORY: dict[str, dict[str, str]] = {"distributed.nanny.pre-spawn-environ": {}}
"""Workers of this machine keep the memory that they free. What Dask would set there makes them
give it back at once, and arrays then take several times as long."""

Unit = TypeVar("Unit")


def results(
    work: Callable[..., Any],
    ready: Callable[[int], Sequence[Unit]],
    arguments: Callable[[Unit], Sequence[Any]],
    address: str | None,
    *,
    who: str,
) -> Generator[tuple[Unit, Any], None, None]:
    """Let workers do units of work, and return each with its result, in any order.

    A unit whose worker is lost is done again by another one.

    Parameters
    ----------
    work : callable
        What a worker calls; a function of a module.
    ready : callable
        Returns so many units that can be done next, or fewer. It is asked anew when somebody has
        taken a result; the work ends when there are none and none is being done.
    arguments : callable
        Returns what `work` is given for a unit.
    address : str, optional
        That of a Dask scheduler; otherwise all cores of this machine work.
    who : str
        Whose work it is, for messages.

    Raises
    ------
    OSError
        If there is no cluster, or it is lost.
    """
    head = list(ready(1))
    if not head:
        return  # without a cluster
    with _client(address, who) as client:
        running: dict[str, Unit] = {}

        def submit() -> list[Any]:
            workers = max(1, sum(client.nthreads().values()))  # more may have come
            futures = []
            units = [*head, *ready(max(0, WAITING * workers - len(running) - len(head)))]
            head.clear()
            for unit in units:
                futures.append(client.submit(work, *arguments(unit), pure=False))
                running[futures[-1].key] = unit
            return futures

        ended = as_completed(submit(), with_results=True)
        for future, found in ended:
            yield running.pop(future.key), found
            ended.update(submit())


@contextmanager
def _client(address: str | None, who: str) -> Iterator[Any]:
    """Connect to the cluster there, or to one of all cores here that lives as long."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    where = f"at {address}" if address else "on this machine"
    local = {
        "threads_per_worker": 1,
        "dashboard_address": "localhost:0",  # any port, for others may hold Dask's own
        "silence_logs": logging.CRITICAL,
    }
    try:
        with _interrupts_ignored(), config.set(MEMORY):
            client = Client(address, timeout=TIMEOUT) if address else Client(**local)
    except (OSError, ValueError) as error:
        raise OSError(f"{who} needs a Dask scheduler {where}: {error}") from None
    try:
        with client:
            yield client
    except (CancelledError, CommClosedError, KilledWorker) as error:
        raise OSError(f"{who} lost its Dask workers {where}: {error}") from None


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let the processes that start now never hear of Ctrl-C: this one will end them."""
    handler = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, handler)
