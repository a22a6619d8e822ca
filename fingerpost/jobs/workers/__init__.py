"""Work for many processes: all cores of this machine, or a Dask cluster by its address."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from fingerpost.jobs.workers import local

__all__ = ["results"]

Unit = TypeVar("Unit")


def results(
    work: Callable[..., Any],
    ready: Callable[[int], Sequence[Unit]],
    arguments: Callable[[Unit], Sequence[Any]],
    address: str | None,
    *,
    job: str,
) -> closing[Generator[tuple[Unit, Any], None, None]]:
    """Let workers do units of work in a context, of each with its result, in any order.

    A unit whose worker is lost is done again by another one. Leaving the context ends the workers
    of this machine.

    Parameters
    ----------
    work : callable
        What a worker calls; a function of a module.
    ready : callable
        Returns up to that many units that can run next. It is called again after each
        result; the work ends when there are none and none is running.
    arguments : callable
        Returns what `work` is given for a unit.
    address : str, optional
        That of a Dask scheduler; otherwise all cores of this machine work.
    job : str
        Name of the job, for messages.

    Raises
    ------
    OSError
        If there is no cluster, or it is lost, or if a unit ends every worker that does it.
    ModuleNotFoundError
        If there is an address, and Dask is not installed.
    """
    if address is None:
        return closing(local.results(work, ready, arguments, job=job))
    from fingerpost.jobs.workers import cluster  # Dask, which only the extra `cluster` brings

    return closing(cluster.results(work, ready, arguments, address, job=job))
