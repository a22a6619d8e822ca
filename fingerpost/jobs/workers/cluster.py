"""Workers of a Dask cluster."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from distributed import CancelledError, Client, KilledWorker, as_completed
from distributed.comm import CommClosedError

WAITING = 4
"""Units that wait for each worker, so that it never waits for one."""

TIMEOUT = 10
"""Seconds to wait for the scheduler of a cluster."""

Unit = TypeVar("Unit")


def results(
    work: Callable[..., Any],
    ready: Callable[[int], Sequence[Unit]],
    arguments: Callable[[Unit], Sequence[Any]],
    address: str,
    *,
    job: str,
) -> Generator[tuple[Unit, Any], None, None]:
    """Let the workers of a Dask scheduler work; see `fingerpost.jobs.workers.results`."""
    head = list(ready(1))
    if not head:
        return  # without a cluster
    with _client(address, job) as client:
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
def _client(address: str, job: str) -> Iterator[Any]:
    """Connect to the cluster there."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise OSError(f"{job} needs a Dask scheduler at {address}: {error}") from None
    try:
        with client:
            yield client
    except (CancelledError, CommClosedError, KilledWorker) as error:
        raise OSError(f"{job} lost its Dask workers at {address}: {error}") from None
