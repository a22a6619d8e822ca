"""The pipeline of a router: the cycles of its stages, which model, hardware and contracts read."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """The cycles that a flit spends in each stage of a router, where nothing is in its way.

    With the default, a flit that is on a link in cycle 0 is on the next one in cycle 2::

        cycle  0        1            2
        stage  LT, RC   VA, SA, ST   LT, RC

    With `allocation` 1 it takes three cycles::

        cycle  0        1            2            3
        stage  LT, RC   VA, SA       ST           LT, RC

    Examples
    --------
    >>> pipeline = Pipeline()
    >>> pipeline.hop_cycles, pipeline.link_cycles, pipeline.full_rate_depth
    (2, 1, 4)
    >>> pipeline = Pipeline(allocation=1)
    >>> pipeline.hop_cycles, pipeline.link_cycles, pipeline.full_rate_depth
    (3, 2, 5)
    """

    routing: int = 1
    """Route computation (RC) and the write to a buffer. Link traversal (LT) is in the same cycle.
    """
    allocation: int = 0
    """From VC allocation (VA) and switch allocation (SA), which share a cycle, to switch traversal:
    0 if a flit crosses the switch in the cycle of its grant, else 1."""
    traversal: int = 1
    """Switch traversal (ST), up to the register of the link; more add registers to the link."""
    credit: int = 1
    """From the grant of a flit to the credit on its way back; more add registers there."""
    credit_count: int = 1
    """From there to a grant that the credit allows; always 1."""

    def __str__(self) -> str:
        stages = f"RC {self.routing}, SA {self.allocation}, ST {self.traversal}"
        return f"hop_cycles {self.hop_cycles} ({stages})"

    @property
    def hop_cycles(self) -> int:
        """Return the cycles from one link to the next."""
        return self.routing + self.allocation + self.traversal

    @property
    def link_cycles(self) -> int:
        """Return the cycles from the grant of a flit to its arrival at the next router."""
        return self.allocation + self.traversal

    @property
    def full_rate_depth(self) -> int:
        """Return the flits that a buffer must hold for one flit a cycle: the cycles of a credit."""
        return self.hop_cycles + self.credit + self.credit_count
