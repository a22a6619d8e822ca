"""A run that is watched, to see whether anything moves in it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from fingerpost.golden.compiled import Engine, Run, engine
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic

__all__ = ["STILL", "MakeEngine", "Watched"]

STILL = 5000
"""Cycles in which nothing moves, after which nothing ever will: no link is so slow."""


class MakeEngine(Protocol):
    """What makes an engine, as `fingerpost.golden.compiled.engine` does."""

    def __call__(
        self, network: AnyNetwork, traffics: Sequence[Traffic], *, stall: float, **options: Any
    ) -> Engine: ...


class Watched:
    """One traffic in a network.

    Parameters
    ----------
    network : AnyNetwork
    traffic : Traffic
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    make : callable
        What makes the engine.

    Attributes
    ----------
    engine : Engine
    run : Run
    moved : int
        A cycle behind which no flit has moved.
    """

    def __init__(
        self,
        network: AnyNetwork,
        traffic: Traffic,
        *,
        stall: float = 0.0,
        make: MakeEngine | Callable[..., Engine] = engine,
    ) -> None:
        self.network, self.traffic = network, traffic
        self.engine = make(network, [traffic], stall=stall)
        self.run: Run = self.engine.runs[0]
        self.moved, self._seen = self.run.now, self._signs()

    def _signs(self) -> tuple[int, int, int]:
        """Return what changes when a flit moves on a link, to a terminal, or into the network."""
        return int(self.run.sent.sum()), int(self.run.received.sum()), self.run.flits

    def advance(self, cycles: int) -> None:
        """Go through so many cycles; some tens at a time, or `still` is not known well."""
        self.engine.run(cycles)
        signs = self._signs()
        if signs != self._seen:
            self.moved, self._seen = self.run.now, signs

    @property
    def now(self) -> int:
        """Return the next cycle."""
        return self.run.now

    @property
    def still(self) -> int:
        """Return for how many cycles nothing has moved, though there is something to deliver."""
        if self.now == self.moved:
            return 0
        waiting = self.run.expected & (self.run.delivered < 0)
        since = int(self.traffic.time.min(where=waiting, initial=self.now))
        return self.now - max(since, self.moved)

    def check(self) -> None:
        """Refuse to go on if something came out where it should not.

        Raises
        ------
        ValueError
            If it did.
        """
        if self.run.faults:
            raise ValueError(f"Model needs repair: {self.run.faults[0]}")
