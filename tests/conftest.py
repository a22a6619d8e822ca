"""What all tests rely on."""

import signal


def pytest_configure() -> None:
    """Heed Ctrl-C: what a shell starts in the background ignores it, and hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
