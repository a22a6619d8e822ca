"""What a test bench in Amaranth's simulator is given."""

from typing import Any, Protocol


class Context(Protocol):
    """The part of Amaranth's testbench context in use here, which has no public name."""

    def get(self, expr: Any) -> Any:
        """Return the value of an expression."""

    def set(self, expr: Any, value: Any) -> None:
        """Give a signal a value."""

    def tick(self, domain: str = "sync") -> Any:
        """Wait for a clock edge."""

    def delay(self, interval: float) -> Any:
        """Wait for some seconds."""
