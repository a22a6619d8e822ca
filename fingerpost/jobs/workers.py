"""Who does the points of a job: processes of this machine, or a Dask cluster.

A worker of this machine is a new Python that gets pickled units of work by a socket. It ends itself
when the other end of the socket is closed, so it never outlives the process that started it; and a
unit whose worker is lost is done again, while the others go on. Executors of libraries do neither.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from queue import SimpleQueue
from traceback import format_exc
from typing import Any

ATTEMPTS = 3
"""Workers that a unit may lose until it is given up."""

WAITING = 4
"""Units that wait for each worker of a cluster, so that it never waits for one."""

TIMEOUT = 10
"""Seconds to wait for the scheduler of a cluster."""

ONE_THREAD = dict.fromkeys(("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""All cores have workers: numpy shall start no threads beside them."""

Work = Callable[..., Any]


@contextmanager
def pool(
    address: str | None, job: str, workers: int | None = None
) -> Iterator["_Local | _Cluster"]:
    """Yield the workers of this machine, or those of the Dask scheduler at an address.

    A unit whose worker is lost is done again by another one. Leaving the context ends the workers
    of this machine.

    Parameters
    ----------
    job : str
        Name of the job, for messages.
    workers : int, optional
        How many this machine has; as many as cores without it.

    Raises
    ------
    ValueError
        If a number of workers is given for a cluster, which has its own.
    OSError
        If there is no cluster, or it is lost, or if a unit ends every worker that does it.
    ModuleNotFoundError
        If there is an address, and Dask is not installed.
    """
    if address is not None and workers is not None:
        raise ValueError(
            f"{job} needs either --workers, processes of this machine, or --cluster, not both"
        )
    if address is not None:
        cluster = _Cluster(address, job)
        try:
            yield cluster
        except cluster.lost as error:
            raise OSError(f"{job} lost its Dask workers at {address}: {error}") from None
        finally:
            cluster.close()
        return
    local = _Local(job, workers)
    try:
        yield local
    finally:
        local.close()


class _Local:
    """Processes of this machine, each of which does one unit at a time."""

    def __init__(self, job: str, workers: int | None) -> None:
        self.job, self.workers = job, workers
        self.idle: list[_Worker] = []
        self.running: dict[Any, tuple[_Worker, tuple[Any, Work, Sequence[Any]], int]] = {}

    def free(self) -> int:
        """Return how many more units can be started now."""
        return (self.workers or _cores()) - len(self.running)

    def start(self, unit: Any, work: Work, arguments: Sequence[Any], attempt: int = 1) -> None:
        """Let a worker call a function of a module; `unit` says of what the result is."""
        worker = self.idle.pop() if self.idle else _Worker()
        self.running[worker.connection] = worker, (unit, work, arguments), attempt
        worker.start(work, arguments)

    def busy(self) -> bool:
        """Return whether a unit is running."""
        return bool(self.running)

    def finished(self) -> tuple[Any, Any]:
        """Wait for a unit, any of them; return it with its result, or raise what it has raised."""
        while True:
            worker, given, attempt = self.running[wait(self.running)[0]]
            try:
                done, found = worker.connection.recv()
            except (EOFError, ConnectionError):
                del self.running[worker.connection]
                worker.close()
                if attempt == ATTEMPTS:
                    raise OSError(
                        f"{self.job} lost {attempt} workers with the same work, the last one with "
                        f"exit status {worker.process.returncode}: is there too little memory?"
                    ) from None
                self.start(*given, attempt + 1)
                continue
            if not done:
                raise found
            del self.running[worker.connection]
            self.idle.append(worker)
            return given[0], found

    def close(self) -> None:
        """End all processes."""
        for worker in (*self.idle, *(worker for worker, *_ in self.running.values())):
            worker.close()


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


class _Worker:
    """A process that does what it is sent."""

    def __init__(self) -> None:
        self.connection, there = Pipe()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from fingerpost.jobs.workers import serve; serve({there.fileno()})"
        )
        with there, _interrupts_blocked():
            self.process = subprocess.Popen(
                [sys.executable, "-c", program],
                pass_fds=[there.fileno()],
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def start(self, work: Work, arguments: Sequence[Any]) -> None:
        """Send a unit of work. If the worker is lost, that shows when its result is received."""
        with suppress(ConnectionError):
            self.connection.send((work, arguments))

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let processes that start now never hear of Ctrl-C: this one ends them.

    The signal waits, so the worker receives it after this.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(socket: int) -> None:
    """Do what comes by a socket until it is closed: this is all that a worker does."""
    connection = Connection(socket)
    received: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, received), daemon=True).start()
    while True:
        message = received.get()
        try:
            work, arguments = pickle.loads(message)
            answer = True, work(*arguments)
        except Exception as error:
            error.add_note(format_exc())
            answer = False, error
        connection.send(answer)


def _receive(connection: Connection, received: "SimpleQueue[bytes]") -> None:
    """Receive units, also during work; end the process when the other end closes."""
    try:
        while True:
            received.put(connection.recv_bytes())
    except (EOFError, ConnectionError):
        os._exit(0)


class _Cluster:
    """The workers of a Dask scheduler, which is asked when there is a unit to do."""

    def __init__(self, address: str, job: str) -> None:
        self.address, self.job = address, job
        self.client: Any = None
        self.ended: Any = None
        self.running: dict[str, Any] = {}
        self.lost: tuple[type[Exception], ...] = ()

    def free(self) -> int:
        """Return 1 as long as there is no connection; then as many as keep all workers busy."""
        if self.client is None:
            return 1
        workers: int = max(1, sum(self.client.nthreads().values()))  # more may have come
        return max(0, WAITING * workers - len(self.running))

    def start(self, unit: Any, work: Work, arguments: Sequence[Any]) -> None:
        from distributed import as_completed  # only the extra `cluster` brings it

        if self.client is None:
            self._connect()
        future = self.client.submit(work, *arguments, pure=False)
        self.running[future.key] = unit
        if self.ended is None:
            self.ended = as_completed([future], with_results=True)
        else:
            self.ended.add(future)

    def _connect(self) -> None:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm import CommClosedError

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self.client = Client(self.address, timeout=TIMEOUT)
        except (OSError, ValueError) as error:
            raise OSError(f"{self.job} needs a Dask scheduler at {self.address}: {error}") from None
        self.lost = CancelledError, CommClosedError, KilledWorker

    def busy(self) -> bool:
        return bool(self.running)

    def finished(self) -> tuple[Any, Any]:
        future, found = next(self.ended)
        return self.running.pop(future.key), found

    def close(self) -> None:
        """Leave the cluster."""
        if self.client is not None:
            self.client.close()
