"""What all tests rely on."""

import gc
import signal
import subprocess
from collections.abc import Iterator

import pytest

from fingerpost.golden.jit.compile import PLAIN, SETTING, why_plain
from fingerpost.golden.network.network import Network
from tests import yosys
from tests.networks import load


def pytest_configure() -> None:
    """Heed Ctrl-C: what a shell starts in the background ignores it, and hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Look for garbage seldom: what is collected here stays, and is much to look through."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(autouse=True, scope="session")
def yosys_in_this_process() -> Iterator[None]:
    """Load Yosys once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "run", yosys.run)
        yield


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
