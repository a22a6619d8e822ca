"""What a router counts: names, widths and meanings, for model, hardware, benches and manifest."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    """A counter that every router has. It counts from the reset on, and stops at `most`."""

    name: str
    width: int
    meaning: str

    @property
    def most(self) -> int:
        """Return where it stops."""
        return (1 << self.width) - 1


ERRORS = Counter("errors", 8, "malformed packets and flits")
OVERRUNS = Counter("overruns", 8, "flits of terminal v without a credit")
LOST = Counter("lost", 8, "flits lost on links that are not up")
COUNTERS = ERRORS, OVERRUNS
