"""Workers of this machine: a process for each core, which does one unit of work at a time.

A worker is a new Python that gets pickled units by a socket. It ends itself when the other end of
the socket is closed, so it never outlives the process that started it.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from queue import SimpleQueue
from traceback import format_exc
from typing import Any, TypeVar

ATTEMPTS = 3
"""Workers that a unit may lose until it is given up."""

ONE_THREAD = dict.fromkeys(("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""All cores have workers: numpy shall start no threads beside them."""

Unit = TypeVar("Unit")


def results(
    work: Callable[..., Any],
    ready: Callable[[int], Sequence[Unit]],
    arguments: Callable[[Unit], Sequence[Any]],
    *,
    job: str,
) -> Generator[tuple[Unit, Any], None, None]:
    """Let all cores work; see `fingerpost.jobs.workers.results`.

    Raises
    ------
    OSError
        If a unit ends every worker that does it.
    """
    idle: list[_Worker] = []
    busy: dict[Any, tuple[_Worker, Unit, int]] = {}  # by connection
    again: list[tuple[Unit, int]] = []
    with ExitStack() as workers:
        while True:
            while len(busy) < _cores():
                again = again or [(unit, 1) for unit in ready(1)]
                if not again:
                    break
                worker = idle.pop() if idle else workers.enter_context(closing(_Worker()))
                unit, attempt = again.pop()
                busy[worker.connection] = worker, unit, attempt
                worker.start(work, arguments(unit))
            if not busy:
                return
            worker, unit, attempt = busy.pop(wait(busy)[0])
            try:
                done, found = worker.connection.recv()
            except (EOFError, ConnectionError):
                worker.close()
                if attempt == ATTEMPTS:
                    raise OSError(
                        f"{job} lost {ATTEMPTS} workers with the same work, the last one with "
                        f"exit status {worker.process.returncode}: is there too little memory?"
                    ) from None
                again.append((unit, attempt + 1))
                continue
            if not done:
                raise found
            idle.append(worker)
            yield unit, found


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


class _Worker:
    """A process that does what it is sent."""

    def __init__(self) -> None:
        self.connection, there = Pipe()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from fingerpost.jobs.workers.local import serve; serve({there.fileno()})"
        )
        with there, _interrupts_blocked():
            self.process = subprocess.Popen(
                [sys.executable, "-c", program],
                pass_fds=[there.fileno()],
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def start(self, work: Callable[..., Any], arguments: Sequence[Any]) -> None:
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
