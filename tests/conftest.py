"""What all tests rely on."""

import gc
import signal


def pytest_configure() -> None:
    """Heed Ctrl-C: what a shell starts in the background ignores it, and hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Look for garbage seldom: what is collected here stays, and is much to look through."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
