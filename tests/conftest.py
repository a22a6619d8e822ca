"""What all tests rely on."""

import gc
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.order import Progress
from fingerpost.golden.jit.compile import PLAIN, SETTING, why_plain
from fingerpost.golden.network import network as networks
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Routing
from tests import yosys
from tests.networks import load


def pytest_configure() -> None:
    """Heed Ctrl-C: what a shell starts in the background ignores it, and hands that on.

    And look for no garbage while tests are collected, which all stay.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage seldom: what is collected here stays, and is much to look through."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(autouse=True, scope="session")
def yosys_in_this_process() -> Iterator[None]:
    """Load Yosys once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "run", yosys.run)
        yield


@pytest.fixture(autouse=True, scope="session")
def searched_once() -> Iterator[Callable[[Routing, bytes, Progress], IntArray]]:
    """Search the order of the channels of a network once for all tests; return what searches."""
    found, search = dict[bytes, IntArray](), networks._ranks

    def ranks(routing: Routing, content: bytes, progress: Progress) -> IntArray:
        if content not in found:
            found[content] = search(routing, content, progress)
            found[content].flags.writeable = False
        return found[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "_ranks", ranks)
        yield search


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nodes without optimisation: what runs for a second need not run fast."""
    monkeypatch.setattr("fingerpost.testbench.compiled.build.OPTIMISE", "-O0")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the model be plain Python: what runs for a second need not be compiled."""
    monkeypatch.setenv(SETTING, PLAIN)
    why_plain.cache_clear()
    yield
    why_plain.cache_clear()


@pytest.fixture(scope="session")
def borel21() -> Network:
    return load("borel-21")
